import type { Queryable } from '../db/database.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import type { AccountName } from './account.ts'
import { type CheckOptions, makeChecking } from './checks.ts'
import type {
  Balance,
  NewPosting,
  NewReserve,
  PostOutcome,
  RaisedWallet,
  ReleaseOutcome,
  ReserveName,
  ReserveOutcome,
  StatementEntry,
  Subject,
} from './posting.ts'
import { referenceOf } from './posting.ts'
import { walletOf } from './postings.ts'
import { mergeStatement, readPlace } from './statement.ts'
import * as store from './store.ts'

export type LedgerOptions = CheckOptions & {
  pages: Pages
  /** Told in the transaction of the posting or release, so that what waits for money is enqueued with it. */
  onRaised?(transaction: Queryable, wallets: readonly RaisedWallet[]): Promise<void>
}

export type LedgerService = ReturnType<typeof makeLedgerService>

export function makeLedgerService(options: LedgerOptions) {
  return { ...makePosting(options), ...makeReading(options), ...makeChecking(options) }
}

/** Everything here writes in the caller's transaction, takes many at once, and answers each by itself. */
function makePosting({ onRaised }: LedgerOptions) {
  const tellRaised = async (transaction: Queryable, wallets: readonly RaisedWallet[]) => {
    if (wallets.length > 0) await onRaised?.(transaction, wallets)
  }
  const post = async (transaction: Queryable, postings: readonly NewPosting[]): Promise<PostOutcome[]> => {
    if (postings.length === 0) return []
    const posted = await store.post(transaction, postings)
    const unbalanced = posted.findIndex(({ outcome }) => outcome === 'UNBALANCED')
    if (unbalanced >= 0) throw new Error(`the posting ${postings[unbalanced]?.reference} does not sum to zero`)
    await tellRaised(
      transaction,
      posted.flatMap(({ raised }) => raised),
    )
    return posted.map(({ outcome, postingId }) => ({ outcome, ...(postingId && { postingId }) }) as PostOutcome)
  }
  return {
    post,

    /** A posting that takes reserved money: the reserve is resolved by it, and what it leaves is available again. */
    capture: (transaction: Queryable, postings: readonly (NewPosting & { captures: string })[]) =>
      post(transaction, postings),

    reserve: async (transaction: Queryable, reserves: readonly NewReserve[]): Promise<ReserveOutcome[]> =>
      reserves.length === 0 ? [] : store.reserve(transaction, reserves),

    release: async (transaction: Queryable, reserves: readonly ReserveName[]): Promise<ReleaseOutcome[]> => {
      if (reserves.length === 0) return []
      const released = await store.release(transaction, reserves)
      const raised = released.flatMap(({ outcome, holder, asset }, index) => {
        const { organizationId = '', reference = '' } = reserves[index] ?? {}
        const isRaised = outcome === 'RELEASED' && holder && asset
        return isRaised ? [{ organizationId, paymentAccountId: holder, asset, causes: [reference] }] : []
      })
      await tellRaised(transaction, raised)
      return released.map(({ outcome }) => ({ outcome }))
    },

    /** Makes an empty balance visible. Not needed before a posting: the first one opens its accounts. */
    openWallet: (
      transaction: Queryable,
      wallet: { organizationId: string; paymentAccountId: string; asset: string },
    ): Promise<void> =>
      store.openAccounts(transaction, wallet.organizationId, [walletOf(wallet.paymentAccountId, wallet.asset)]),
  }
}

function makeReading({ database, pages }: LedgerOptions) {
  return {
    /** Of every asset that the wallet was opened for, by name. */
    balances: (queryable: Queryable, organizationId: string, paymentAccountId: string): Promise<Balance[]> =>
      store.readBalances(queryable, organizationId, { kind: 'WALLET', holder: paymentAccountId }),

    /** Money that rails gave back, which waits for the customer's next quote. */
    returnedFunds: (queryable: Queryable, organizationId: string, customerId: string): Promise<Balance[]> =>
      store.readBalances(queryable, organizationId, { kind: 'RETURNED_FUNDS', holder: customerId }),

    /** Where an account that many write to stands, such as a treasury; a debit is negative. */
    position: (queryable: Queryable, organizationId: string, account: AccountName): Promise<bigint> =>
      store.readPosition(queryable, organizationId, account),

    /** The statement of a wallet, newest first. The caller has made sure that it may see this payment account. */
    entries: (
      organizationIds: readonly string[],
      paymentAccountId: string,
      request: PageRequest & { asset?: string },
    ): Promise<Page<StatementEntry>> => {
      const { asset, ...page } = request
      return pages.read(
        { list: 'ledger-entries', filters: { for: organizationIds[0], paymentAccountId, asset } },
        page,
        async ({ after, limit }) => {
          const below = readPlace(after)
          const found = await store.readStatement(database, organizationIds, paymentAccountId, { below, limit, asset })
          return mergeStatement(found, below).slice(0, limit)
        },
        ({ place }) => place,
      )
    },

    /** Everything that was posted about a transaction or a deposit, on every account, in order. */
    entriesAbout: (queryable: Queryable, organizationId: string, subject: Subject) =>
      store.readSubjectEntries(queryable, organizationId, referenceOf(subject, '')),

    /** Counts postings into the accounts that keep no balance; a duty of one worker. */
    fold: async (): Promise<{ folded: number }> => {
      let folded = 0
      for (let taken = foldBatch; taken === foldBatch; folded += taken) {
        taken = await store.foldEntries(database, foldBatch)
      }
      return { folded }
    },
  }
}

const foldBatch = 5_000

/** To whom we owe money, them we have to know. */
export async function whyNotErase(
  transaction: Queryable,
  organizationId: string,
  customerId: string,
): Promise<string | undefined> {
  const kept = await store.readBalances(transaction, organizationId, { kind: 'RETURNED_FUNDS', holder: customerId })
  return kept.some(({ posted }) => posted !== 0n) ? 'Money is kept for this customer' : undefined
}
