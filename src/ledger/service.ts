import type { Database, Queryable, Tx } from '../db/database.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import type { AccountName } from './account.ts'
import { createLedgerCheckService } from './checks.ts'
import { createPayoutHaltService, type HaltDeps } from './halts.ts'
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
import { mergeStatement, readCursor } from './statement.ts'
import * as store from './store.ts'

export type LedgerDeps = HaltDeps & {
  pages: Pages
  /** Runs in the database transaction of the posting or release, so that rules waiting for money are queued with it. */
  onIncrease?(tx: Tx, wallets: readonly IncreasedWallet[]): Promise<void>
}

export type LedgerService = ReturnType<typeof createLedgerService>

export function createLedgerService(deps: LedgerDeps) {
  return {
    ...createPostingOperations(deps),
    ...createReadOperations(deps),
    ...createLedgerCheckService(deps),
    ...createPayoutHaltService(deps),
  }
}

/** Each operation writes many records in the caller's database transaction, and answers one outcome for each. */
function createPostingOperations({ onIncrease }: LedgerDeps) {
  const reportIncrease = async (tx: Tx, wallets: readonly IncreasedWallet[]) => {
    if (wallets.length > 0) await onIncrease?.(tx, wallets)
  }
  const post = async (tx: Tx, postings: readonly NewPosting[]): Promise<PostOutcome[]> => {
    if (postings.length === 0) return []
    const posted = await store.post(tx, postings)
    const unbalanced = posted.findIndex(({ outcome }) => outcome === 'UNBALANCED')
    if (unbalanced >= 0)
      throw new Error(`posting ${postings[unbalanced]?.reference} does not sum to zero in each asset`)
    await reportIncrease(
      tx,
      posted.flatMap(({ increased }) => increased),
    )
    return posted.map(({ outcome, postingId }) => ({ outcome, ...(postingId && { postingId }) }) as PostOutcome)
  }
  return {
    post,

    /** Posts with reserved money, which resolves the reserve. The rest of the reserve becomes available. */
    capture: (tx: Tx, postings: readonly (NewPosting & { captures: string })[]) => post(tx, postings),

    reserve: async (tx: Tx, reserves: readonly NewReserve[]): Promise<ReserveOutcome[]> =>
      reserves.length === 0 ? [] : store.reserve(tx, reserves),

    release: async (tx: Tx, reserves: readonly ReserveName[]): Promise<ReleaseOutcome[]> => {
      if (reserves.length === 0) return []
      const released = await store.release(tx, reserves)
      const increased = released.flatMap(({ outcome, holder, asset }, index) => {
        const { organizationId = '', reference = '' } = reserves[index] ?? {}
        const isIncreased = outcome === 'RELEASED' && holder && asset
        return isIncreased ? [{ organizationId, paymentAccountId: holder, asset, causes: [reference] }] : []
      })
      await reportIncrease(tx, increased)
      return released.map(({ outcome }) => ({ outcome }))
    },

    /** Opens a wallet's account, so that its zero balance is visible. A posting opens its accounts by itself. */
    openWallet: (tx: Tx, wallet: { organizationId: string; paymentAccountId: string; asset: string }): Promise<void> =>
      store.openAccounts(tx, wallet.organizationId, [walletOf(wallet.paymentAccountId, wallet.asset)]),
  }
}

function createReadOperations({ database, pages }: LedgerDeps) {
  return {
    /** Reads the balances of a wallet, by asset. */
    balances: (queryable: Queryable, organizationId: string, paymentAccountId: string): Promise<Balance[]> =>
      store.readBalances(queryable, organizationId, { kind: 'WALLET', holder: paymentAccountId }),

    /** Reads the returned funds that are kept for a customer, by asset. */
    returnedFunds: (queryable: Queryable, organizationId: string, customerId: string): Promise<Balance[]> =>
      store.readBalances(queryable, organizationId, { kind: 'RETURNED_FUNDS', holder: customerId }),

    /** Reads the position of a system account, such as a treasury. A debit is negative. */
    position: (queryable: Queryable, organizationId: string, account: AccountName): Promise<bigint> =>
      store.readPosition(queryable, organizationId, account),

    /** Sums each account of these kinds. */
    positions: (queryable: Queryable, organizationId: string, kinds: readonly AccountName['kind'][]) =>
      store.readPositions(queryable, organizationId, kinds),

    /** Sums accounts by organization, kind and asset, and bank accounts one by one. */
    totals: (queryable: Queryable, organizationId: string | undefined): Promise<store.AccountTotal[]> =>
      store.readTotals(queryable, organizationId),

    /** Lists a wallet's statement, newest first. The caller has checked access to this payment account. */
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
          const below = readCursor(after)
          const found = await store.readStatement(database, organizationIds, paymentAccountId, { below, limit, asset })
          return mergeStatement(found, below).slice(0, limit)
        },
        ({ cursor }) => cursor,
      )
    },

    /** Lists the entries about a transaction or deposit on all accounts, in posting order. */
    entriesAbout: (queryable: Queryable, organizationId: string, subject: Subject) =>
      store.readSubjectEntries(queryable, organizationId, referenceOf(subject, '')),

    hasUnfolded: store.hasUnfolded,
    /** Folds postings into the accounts without an exact balance; a duty of one worker. */
    fold: (): Promise<{ folded: number }> => fold(database, false),

    /** Folds all postings that are committed, for a reader of their lines: also those that another process is folding now. */
    foldAll: async (): Promise<void> => {
      await fold(database, true)
    },
  }
}

const foldBatch = 5_000

async function fold(database: Database, waits: boolean): Promise<{ folded: number }> {
  let folded = 0
  for (let taken = foldBatch; taken === foldBatch; folded += taken) {
    taken = await store.foldEntries(database, foldBatch, waits)
  }
  return { folded }
}

/** Tells why a customer cannot be erased; undefined when we owe it no returned funds. */
export async function findErasureObstacle(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<string | undefined> {
  const kept = await store.readBalances(tx, organizationId, { kind: 'RETURNED_FUNDS', holder: customerId })
  return kept.some(({ posted }) => posted !== 0n) ? 'Returned funds are kept for this customer' : undefined
}
