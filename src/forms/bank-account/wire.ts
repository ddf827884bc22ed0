import { compileSchema } from '../../http/bodies/validate.ts'
import { CompletePaymentAccountBody } from '../../payment-accounts/wire.ts'

/** Checks the answers with the schema of the API. */
export const inspectCompletion = compileSchema(CompletePaymentAccountBody)
