import type { CustomerService } from '../../../customers/service.ts'
import type { Database } from '../../../db/database.ts'
import type { PaymentAccountService } from '../../../payment-accounts/service.ts'
import { isSameName } from '../../../screening/same-name.ts'
import type { AccountName } from '../formats.ts'
import * as store from './sender-store.ts'

type SenderPolicyDeps = {
  database: Database
  paymentAccounts: Pick<PaymentAccountService, 'open' | 'readBankDetails' | 'hashSenders' | 'findVirtualAccount'>
  customers: Pick<CustomerService, 'open'>
  /** False when the operator accepts money for a transaction or a virtual account from any sender. */
  holdsMismatches: boolean
}

export type SenderPolicy = ReturnType<typeof createSenderPolicy>

// A transaction that is over for longer than this is hardly the reason of a transfer.
const suggestionDays = 7

/** Compares the senders of credits with the customers that we await money from. */
export function createSenderPolicy(deps: SenderPolicyDeps) {
  return {
    /**
     * True when the sender of a credit is not who we await money from: the customer of the virtual account that it was
     * sent to, which owns the money also under the message of a transaction; else the owner of the source account of its
     * transaction, or the customer unless that account is a third party's. A credit without a name is no mismatch. Must
     * run outside a database transaction.
     */
    isMismatch: async ({ message, name, receiver }: NamedCredit): Promise<boolean> => {
      if (!deps.holdsMismatches || name === undefined) return false
      const source =
        receiver ?? (message === undefined ? undefined : await store.findExpectedSource(deps.database, message))
      if (!source) return false
      const expected = await namesOf(deps, source)
      return expected.length > 0 && !expected.some((each) => isSameName(each, name))
    },

    /** Finds the virtual account that money was sent to, with its customer. */
    findReceiver: async (named: AccountName & { currency: string }): Promise<store.ExpectedSource | undefined> => {
      const paymentAccountId = await deps.paymentAccounts.findVirtualAccount(deps.database, named)
      return paymentAccountId === undefined ? undefined : store.findReceiver(deps.database, paymentAccountId)
    },

    /**
     * Finds the transactions that the messages of a credit name. More than one known message selects no transaction:
     * each is a suggestion. Messages of another customer than that of the virtual account come first: they contradict it.
     */
    findNamed: async (
      messages: readonly string[],
      receiver: store.ExpectedSource | undefined,
    ): Promise<NamedTransactions> => {
      if (messages.length < 2) return { messages, rivals: [] }
      const rivals = await store.findNamed(deps.database, messages)
      const known = messages.filter((message) => rivals.some((rival) => rival.message === message))
      if (known.length > 1) {
        const isForeign = (message: string) =>
          receiver !== undefined &&
          rivals.some((rival) => rival.message === message && rival.customerId !== receiver.customerId)
        return { messages: [...known.filter(isForeign), ...known.filter((message) => !isForeign(message))], rivals }
      }
      return { messages: known.length === 1 ? known : messages.slice(0, 1), rivals: [] }
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

/** The name of a sender, and whom the money is for. */
type NamedCredit = {
  message: string | undefined
  name: string | undefined
  /** The virtual account that it was sent to. */
  receiver: store.ExpectedSource | undefined
}

/** The messages that count, and the transactions that they name if there are several. */
type NamedTransactions = { messages: readonly string[]; rivals: readonly store.Suggestion[] }

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
