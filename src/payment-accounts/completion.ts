import type { CustomerKey } from '../customers/sealed-customer.ts'
import type { Tx } from '../db/database.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import { emitAccount, openById, type PaymentAccountDeps } from './access.ts'
import { hashBankAccount } from './account-hash.ts'
import { bankProfile, readBankAccount } from './bank-accounts/bank-account.ts'
import { issuedProblems } from './bank-accounts/virtual-account.ts'
import { badRequest, requireEligible, requireOffered } from './creation.ts'
import { type BankDetails, paymentAccountMoves, statusesWithAccounts } from './payment-account.ts'
import type { PaymentAccountView } from './present.ts'
import { prefixFields } from './request.ts'
import { type OpenAccount, sealBankDetails, sealProfile } from './sealed-account.ts'
import * as store from './store.ts'

export type PreparedCompletion = {
  opened: OpenAccount
  key: CustomerKey
  details: BankDetails
  customerEmail: string | undefined
}

/** Completes PENDING bank accounts with their details, under the same id. */
export function createAccountCompletionService(deps: PaymentAccountDeps) {
  return {
    /** Reports a missing account and wrong statuses before problems of the body. */
    prepareComplete: async (
      organizationIds: readonly string[],
      pendingPaymentAccountId: string,
      inspectBody: () => Validated<{ externalBankAccount: object }>,
    ): Promise<PreparedCompletion> => {
      const opened = await openById(deps, organizationIds, pendingPaymentAccountId)
      const customer = opened && (await deps.customers.open([opened.account.organizationId], opened.account.customerId))
      if (!opened || !customer) throw notFound()
      const key = requireEligible(customer)
      const { status, isThirdParty } = opened.account
      if (!canMove(paymentAccountMoves, 'complete', status)) throw notPending()
      const inspected = inspectBody()
      const holder = { name: customer.profile?.name ?? '', isThirdParty }
      const sent = (inspected.value as { externalBankAccount?: unknown } | undefined)?.externalBankAccount
      const { details, problems } = readBankAccount(sent, holder)
      const found = details ? await issuedProblems(deps, details) : problems
      if (!inspected.ok || !details || found.length > 0)
        throw badRequest(inspected, prefixFields('externalBankAccount', found))
      requireOffered(deps, [[details.paymentMethod]])
      return { opened, key, details, customerEmail: customer.profile?.email }
    },

    complete: async (tx: Tx, prepared: PreparedCompletion): Promise<PaymentAccountView> => {
      const { opened, key, details, customerEmail } = prepared
      const profile = { ...opened.profile, ...bankProfile(details, customerEmail) }
      const account = await store.completeAccount(tx, {
        ...opened.account,
        from: paymentAccountMoves.complete.from,
        currency: details.currency,
        paymentMethod: details.paymentMethod,
        accountHash: hashBankAccount(deps.hashKey, details),
        sealedProfile: sealProfile(key, opened.account, profile),
        sealedDetails: sealBankDetails(key, opened.account, details),
        customerStatuses: statusesWithAccounts,
      })
      if (!account) throw notPending()
      return emitAccount(deps, tx, 'payment_account.updated', { account, key, profile })
    },
  }
}

function notPending(): Refusal {
  return new Refusal('CONFLICT', 'Only a bank account that is PENDING can be completed')
}
