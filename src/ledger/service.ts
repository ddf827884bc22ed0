import type { Queryable, Tx } from '../db/database.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import type { AccountName } from './account.ts'
import { type CheckDeps, createLedgerCheckService } from './checks.ts'
import type {
  Balance,
  IncreasedWallet,
  NewPosting,
  NewReserve,
  PostOutcome,
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

export type LedgerDeps = CheckDeps & {
  pages: Pages
  /** Told in the transaction of the posting or release, so that what waits for money is enqueued with it. */
  onIncrease?(tx: Tx, wallets: readonly IncreasedWallet[]): Promise<void>
}

export type LedgerService = ReturnType<typeof createLedgerService>

export function createLedgerService(deps: LedgerDeps) {
  return { ...createPostingOperations(deps), ...createReadOperations(deps), ...createLedgerCheckService(deps) }
}

/** Everything here writes in the caller's transaction, takes many at once, and answers each by itself. */
function createPostingOperations({ onIncrease }: LedgerDeps) {
  const tellRaised = async (tx: Tx, wallets: readonly IncreasedWallet[]) => {
    if (wallets.length > 0) await onIncrease?.(tx, wallets)
  }
  const post = async (tx: Tx, postings: readonly NewPosting[]): Promise<PostOutcome[]> => {
    if (postings.length === 0) return []
    const posted = await store.post(tx, postings)
    const unbalanced = posted.findIndex(({ outcome }) => outcome === 'UNBALANCED')
    if (unbalanced >= 0) throw new Error(`the posting ${postings[unbalanced]?.reference} does not sum to zero`)
    await tellRaised(
      tx,
      posted.flatMap(({ raised }) => raised),
    )
    return posted.map(({ outcome, postingId }) => ({ outcome, ...(postingId && { postingId }) }) as PostOutcome)
  }
  return {
    post,

    /** A posting that takes reserved money: the reserve is resolved by it, and what it leaves is available again. */
    capture: (tx: Tx, postings: readonly (NewPosting & { captures: string })[]) => post(tx, postings),

    reserve: async (tx: Tx, reserves: readonly NewReserve[]): Promise<ReserveOutcome[]> =>
      reserves.length === 0 ? [] : store.reserve(tx, reserves),

    release: async (tx: Tx, reserves: readonly ReserveName[]): Promise<ReleaseOutcome[]> => {
      if (reserves.length === 0) return []
      const released = await store.release(tx, reserves)
      const raised = released.flatMap(({ outcome, holder, asset }, index) => {
        const { organizationId = '', reference = '' } = reserves[index] ?? {}
        const isRaised = outcome === 'RELEASED' && holder && asset
        return isRaised ? [{ organizationId, paymentAccountId: holder, asset, causes: [reference] }] : []
      })
      await tellRaised(tx, raised)
      return released.map(({ outcome }) => ({ outcome }))
    },

    /** Makes an empty balance visible. Not needed before a posting: the first one opens its accounts. */
    openWallet: (tx: Tx, wallet: { organizationId: string; paymentAccountId: string; asset: string }): Promise<void> =>
      store.openAccounts(tx, wallet.organizationId, [walletOf(wallet.paymentAccountId, wallet.asset)]),
  }
}

function createReadOperations({ database, pages }: LedgerDeps) {
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
export async function whyNotErase(tx: Tx, organizationId: string, customerId: string): Promise<string | undefined> {
  const kept = await store.readBalances(tx, organizationId, { kind: 'RETURNED_FUNDS', holder: customerId })
  return kept.some(({ posted }) => posted !== 0n) ? 'Money is kept for this customer' : undefined
}
