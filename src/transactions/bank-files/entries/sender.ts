import type { CustomerService } from '../../../customers/service.ts'
import type { Database, Tx } from '../../../db/database.ts'
import type { PaymentAccountService } from '../../../payment-accounts/service.ts'
import { isSameName } from '../../../screening/same-name.ts'
import type { AccountName } from '../formats.ts'
import * as store from './sender-store.ts'

type SenderPolicyDeps = {
  database: Database
  paymentAccounts: Pick<PaymentAccountService, 'open' | 'readBankDetails' | 'hashSenders'>
  customers: Pick<CustomerService, 'open'>
  /** False when the operator accepts money with a transaction's message from any sender. */
  holdsMismatches: boolean
}

export type SenderPolicy = ReturnType<typeof createSenderPolicy>

// A transaction that is over for longer than this is hardly the reason of a transfer.
const suggestionDays = 7

/** Compares the senders of credits with the customers that we await money from. */
export function createSenderPolicy(deps: SenderPolicyDeps) {
  return {
    /**
     * True when the sender of a credit is not who its transaction awaits money from: the owner of the source account,
     * or the customer, unless the account is a third party's. A credit without a name is no mismatch. Must run outside
     * a database transaction.
     */
    isMismatch: async (message: string | undefined, name: string | undefined): Promise<boolean> => {
      if (!deps.holdsMismatches || message === undefined || name === undefined) return false
      const source = await store.findExpectedSource(deps.database, message)
      if (!source) return false
      const expected = await namesOf(deps, source)
      return expected.length > 0 && !expected.some((each) => isSameName(each, name))
    },

    /** Suggests owners of a credit that names none. A suggestion moves no money. */
    suggest: async (
      tx: Tx,
      { sender, ...credit }: Omit<store.UnattributedCredit, 'senderHashes'> & { sender: AccountName | undefined },
    ): Promise<void> => {
      if (!sender) return
      const { currency: _, ...named } = sender
      const senderHashes = deps.paymentAccounts.hashSenders({ ...named, currency: credit.asset })
      if (senderHashes.length > 0) await store.insertSuggestions(tx, { ...credit, senderHashes }, suggestionDays)
    },
  }
}

async function namesOf(
  { paymentAccounts, customers }: SenderPolicyDeps,
  { organizationId, customerId, paymentAccountId }: store.ExpectedSource,
): Promise<string[]> {
  const opened = await paymentAccounts.open([organizationId], paymentAccountId)
  const owner = opened && paymentAccounts.readBankDetails(opened)?.ownerName
  const isThirdParty = opened?.account.isThirdParty ?? false
  const customer = isThirdParty ? undefined : await customers.open([organizationId], customerId)
  return [owner, customer?.profile?.name].filter((name) => name !== undefined && name.trim() !== '') as string[]
}
