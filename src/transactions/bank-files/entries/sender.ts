import type { CustomerService } from '../../../customers/service.ts'
import type { Database } from '../../../db/database.ts'
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

    /**
     * Finds owners that a credit may have, the best first: customers with the sender's name, then registered accounts with
     * it, then the newest transactions. A suggestion moves no money. Must run outside a database transaction.
     */
    suggest: async ({ sender, name, ...credit }: UnattributedCredit): Promise<store.Suggestion[]> => {
      if (!sender) return []
      const { currency: _, ...named } = sender
      const senderHashes = deps.paymentAccounts.hashSenders({ ...named, currency: credit.asset })
      if (senderHashes.length === 0) return []
      const found = await store.findSuggestions(deps.database, { ...credit, senderHashes }, suggestionDays)
      return rankByName(deps, found, name)
    },

    /** Keeps suggestions with the credit that they are about. */
    keep: store.insertSuggestions,
  }
}

type UnattributedCredit = Omit<store.UnattributedCredit, 'senderHashes'> & {
  sender: AccountName | undefined
  name: string | undefined
}

const maxSuggestions = 20

/** Orders suggestions by the likeness of names. Those that are alike keep their order. */
async function rankByName(
  deps: SenderPolicyDeps,
  found: readonly store.Suggestion[],
  name: string | undefined,
): Promise<store.Suggestion[]> {
  if (name === undefined || found.length < 2) return found.slice(0, maxSuggestions)
  const likeness = new Map<string, number>()
  for (const suggestion of found) {
    const key = `${suggestion.customerId} ${suggestion.paymentAccountId}`
    if (!likeness.has(key)) likeness.set(key, await likenessOf(deps, suggestion, name))
  }
  const of = ({ customerId, paymentAccountId }: store.Suggestion) =>
    likeness.get(`${customerId} ${paymentAccountId}`) ?? 0
  return found.toSorted((one, two) => of(two) - of(one)).slice(0, maxSuggestions)
}

/** 2: the customer has this name; 1: only the owner of the registered account, whom the customer names; else 0. */
async function likenessOf(deps: SenderPolicyDeps, source: store.ExpectedSource, name: string): Promise<number> {
  const { owner, customer } = await readNames(deps, source)
  if (customer !== undefined && isSameName(customer, name)) return 2
  return owner !== undefined && isSameName(owner, name) ? 1 : 0
}

async function namesOf(deps: SenderPolicyDeps, source: store.ExpectedSource): Promise<string[]> {
  const { owner, customer, isThirdParty } = await readNames(deps, source)
  return [owner, isThirdParty ? undefined : customer].filter((name) => name !== undefined)
}

async function readNames(
  { paymentAccounts, customers }: SenderPolicyDeps,
  { organizationId, customerId, paymentAccountId }: store.ExpectedSource,
) {
  const opened = await paymentAccounts.open([organizationId], paymentAccountId)
  const profile = (await customers.open([organizationId], customerId))?.profile
  const given = (name: string | undefined) => (name === undefined || name.trim() === '' ? undefined : name)
  return {
    owner: given(opened && paymentAccounts.readBankDetails(opened)?.ownerName),
    customer: given(profile?.name),
    isThirdParty: opened?.account.isThirdParty ?? false,
  }
}
