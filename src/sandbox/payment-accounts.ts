import Type from 'typebox'
import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { Caller } from '../lib/caller.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import { CompletePaymentAccountBody, PaymentAccountAnswer } from '../payment-accounts/wire.ts'

type Prepared = Awaited<ReturnType<PaymentAccountService['prepareComplete']>>

export const completePath = '/sandbox/payment-accounts/{paymentAccountId}/complete'

/** Completes a bank account as the customer does in the hosted form, so that a test needs no browser. */
export function paymentAccountSandboxRoutes(accounts: PaymentAccountService, audit: Audit): Route[] {
  const complete = async (tx: Tx, caller: Caller, prepared: Prepared) => {
    const completed = await accounts.complete(tx, prepared)
    const { organizationId, paymentAccountId: subjectId } = prepared.opened.account
    const actor = `api_key:${caller.apiKeyId}`
    await audit.append(tx, { organizationId, actor, action: 'sandbox.payment_account_completed', subjectId })
    return completed
  }
  return [
    route({
      method: 'POST',
      path: completePath,
      access: 'sandbox:write',
      tag: 'Sandbox',
      sandboxOnly: true,
      summary: 'Complete a PENDING bank account',
      description: 'Fills in the hosted form for the customer. The account becomes ACTIVE under the same id.',
      params: Type.Object({
        paymentAccountId: { ...Uuid, description: 'The pendingPaymentAccountId of the bank account' },
      }),
      body: CompletePaymentAccountBody,
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
