import { customerOperations } from './customers.ts'
import { operatorOperations } from './operators.ts'
import { organizationOperations } from './organizations.ts'
import { paymentAccountOperations } from './payment-accounts.ts'
import { paymentOperations } from './payments.ts'
import { returnOperations } from './returns.ts'
import { ruleOperations } from './rules.ts'
import { sandboxOperations } from './sandbox.ts'
import { webhookOperations } from './webhooks.ts'

/** An example of a request or an answer of one operation. */
export type ExampleOperation = { request?: unknown; answer?: unknown }

/**
 * The examples of operations by their id, where those of the schemas would not tell the story: what an act sends, and the
 * resource as it is afterwards.
 */
export const exampleOperations: Readonly<Record<string, ExampleOperation>> = {
  ...customerOperations,
  ...paymentAccountOperations,
  ...paymentOperations,
  ...ruleOperations,
  ...returnOperations,
  ...webhookOperations,
  ...organizationOperations,
  ...sandboxOperations,
  ...operatorOperations,
}
