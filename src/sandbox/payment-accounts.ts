import Type from 'typebox'
import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { Caller } from '../lib/caller.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import { CompleteBody, PaymentAccountAnswer } from '../payment-accounts/wire.ts'

type Prepared = Awaited<ReturnType<PaymentAccountService['prepareComplete']>>

export const completePath = '/sandbox/payment-accounts/{paymentAccountId}/complete'

/** Does what the customer does in the hosted form, so that a test need not open a browser. */
export function paymentAccountSandboxRoutes(accounts: PaymentAccountService, audit: Audit): Route[] {
  const complete = async (tx: Tx, caller: Caller, prepared: Prepared) => {
    const completed = await accounts.complete(tx, prepared)
    const { organizationId, paymentAccountId: subjectId } = prepared.opened.account
    const act = { actor: `api_key:${caller.apiKeyId}`, action: 'sandbox.payment_account_completed', subjectId }
    await audit.append(tx, { organizationId, ...act })
    return completed
  }
  return [
    route({
      ...({ method: 'POST', path: completePath, access: 'sandbox:write', tag: 'Sandbox' } as const),
      sandboxOnly: true,
      summary: 'Fill in the form of a bank account that is PENDING',
      description: 'As the customer would: the account becomes ACTIVE under the same id.',
      params: Type.Object({ paymentAccountId: { ...Uuid, description: 'Its pendingPaymentAccountId' } }),
      body: CompleteBody,
      refusals: ['CONFLICT', 'DUPLICATE_PAYMENT_ACCOUNT', 'PAYMENT_METHOD_NOT_AVAILABLE'],
      answer: { status: 200, description: 'The account', schema: PaymentAccountAnswer },
      handle: ({ caller, params: { paymentAccountId }, inspectBody, once }) =>
        once(
          (tx, prepared: Prepared) => complete(tx, caller, prepared),
          () => accounts.prepareComplete(caller.organizationIds, paymentAccountId, inspectBody),
          ({ key }) => key,
        ),
    }),
  ]
}
