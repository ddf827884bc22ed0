import type { CustomerKey } from '../customers/sealed-customer.ts'
import type { Tx } from '../db/database.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import { emit, openById, type PaymentAccountDeps } from './access.ts'
import { hashBankAccount } from './account-hash.ts'
import { bankProfile, readBankAccount } from './bank-accounts/bank-account.ts'
import { allProblems, requireOffered, requireOpenToAccounts } from './creation.ts'
import { type BankDetails, paymentAccountMoves, statusesWithAccounts } from './payment-account.ts'
import type { PaymentAccountView } from './present.ts'
import { underField } from './request.ts'
import { type OpenAccount, sealBankDetails, sealProfile } from './sealed-account.ts'
import * as store from './store.ts'

export type PreparedCompletion = {
  account: OpenAccount
  key: CustomerKey
  details: BankDetails
  customerEmail: string | undefined
}

/** Turns a bank account that waits for its form into one that can be used, under the same id. */
export function createAccountCompletionService(deps: PaymentAccountDeps) {
  return {
    /** 404 and the states are told before anything is said about the body. */
    prepareComplete: async (
      organizationIds: readonly string[],
      pendingPaymentAccountId: string,
      inspectBody: () => Validated<{ externalBankAccount: object }>,
    ): Promise<PreparedCompletion> => {
      const account = await openById(deps, organizationIds, pendingPaymentAccountId)
      const customer = account && (await deps.customers.open([account.row.organizationId], account.row.customerId))
      if (!account || !customer) throw notFound()
      const key = requireOpenToAccounts(customer)
      if (!canMove(paymentAccountMoves, 'complete', account.row.status)) throw notPending()
      const inspected = inspectBody()
      const holder = { name: customer.profile?.name ?? '', isThirdParty: account.row.isThirdParty }
      const sent = (inspected.value as { externalBankAccount?: unknown } | undefined)?.externalBankAccount
      const { details, problems } = readBankAccount(sent, holder)
      if (!inspected.ok || !details) throw allProblems(inspected, underField('externalBankAccount', problems))
      requireOffered(deps, [[details.paymentMethod]])
      return { account, key, details, customerEmail: customer.profile?.email }
    },

    complete: async (tx: Tx, prepared: PreparedCompletion): Promise<PaymentAccountView> => {
      const { account, key, details, customerEmail } = prepared
      const profile = { ...account.profile, ...bankProfile(details, customerEmail) }
      const row = await store.completeAccount(tx, {
        ...account.row,
        ...paymentAccountMoves.complete,
        currency: details.currency,
        paymentMethod: details.paymentMethod,
        accountHash: hashBankAccount(deps.hashKey, details),
        sealedProfile: sealProfile(key, account.row, profile),
        sealedDetails: sealBankDetails(key, account.row, details),
        customerStatuses: statusesWithAccounts,
      })
      if (!row) throw notPending()
      return emit(deps, tx, 'payment_account.updated', { row, key, profile })
    },
  }
}

function notPending(): Refusal {
  return new Refusal('CONFLICT', 'Only a bank account that is PENDING can be completed')
}
