import { compileSchema } from '../../http/bodies/validate.ts'
import { badField } from '../../lib/refusal.ts'
import { CompletePaymentAccountBody } from '../../payment-accounts/wire.ts'

/** Checks the answers with the schema of the API. */
export const inspectCompletion = compileSchema(CompletePaymentAccountBody)

/** The fields of the page besides the body of the API. */
type OwnFields = { saveKey?: unknown; bankCountry?: unknown }

const ownFieldsOf = (sent: unknown): OwnFields => (typeof sent === 'object' && sent !== null ? sent : {})

export function withoutOwnFields(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  const { saveKey: _, bankCountry: __, ...body } = sent as OwnFields
  return body
}

/** Reads the random key that the page made for a save. A page that asks again sends the same. */
export function readSaveKey(sent: unknown): string {
  const { saveKey } = ownFieldsOf(sent)
  if (typeof saveKey === 'string' && /^[\w-]{32,64}$/.test(saveKey)) return saveKey
  throw badField('saveKey', 'must be 32 to 64 random letters and digits')
}

export function readBankCountry(sent: unknown): string | undefined {
  const { bankCountry } = ownFieldsOf(sent)
  return typeof bankCountry === 'string' ? bankCountry : undefined
}
