import type { Tx } from '../../db/database.ts'
import { readOutcome } from '../../db/duties.ts'
import type { Caller } from '../../lib/caller.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import type { PageRequest, Pages } from '../../lib/pages.ts'
import { badField } from '../../lib/refusal.ts'
import type { BankAccount } from '../treasury/bank-account.ts'
import { readOneMoment } from '../treasury/overview-store.ts'
import { readAccepted } from './decision-store.ts'
import {
  type ItemPlace,
  matchedSliceOf,
  type PlacedItem,
  placeOf,
  readPlace,
  sliceItems,
  writePlace,
} from './item-page.ts'
import { createKeeping, type KeepingDeps } from './keeping.ts'
import { differenceOf, type Item, isAged, isDay, listItems } from './reconciliation.ts'
import * as store from './store.ts'

export type ReconciliationDeps = KeepingDeps & {
  pages: Pages
  /** True when banks exchange files with us. */
  hasBankFiles: boolean
  /** True in the sandbox: every key may see its own bank, and the bank's opening balance is play money. */
  isSandbox: boolean
  /** Reads how a day ended on each network. */
  readNetworks(date: string, today: string): Promise<ReconciledNetwork[]>
}

/**
 * One account at the end of a day, in smallest units: a bank account, or a set of our addresses on a network. `outside` is
 * what the bank or the chain has.
 */
export type ReconciledAccount = {
  account: string
  /** A currency, a token, or the coin of a network. */
  asset: string
  ledger: bigint
  outside: bigint
  items: Item[]
  /** The day of the last statement so far. Later bookings are those that notifications have told. */
  lastStatement?: string
}

/** A network as it was compared with the ledger. With a problem nothing was: that is an alarm. */
export type ReconciledNetwork = {
  network: string
  problem?: string
  comparedAt?: Date
  block?: { number: bigint; hash: string }
  accounts: ReconciledAccount[]
}

/** The accounts of banks, and the networks with theirs. */
export type Reconciliation = { date: string; accounts: ReconciledAccount[]; networks: ReconciledNetwork[] }

export type AgedCount = { aged: number; durationMs: number }

/** The duty of counting differences, and its shortest pause. */
export const agedDuty = 'count aged differences'
export const agedEveryMs = 600_000

/** The pause after a count, or after names were kept: a long history takes at most a twentieth of the time. */
export function pauseAfter({ durationMs }: { durationMs: number }): number {
  return Math.max(agedEveryMs, 20 * durationMs)
}

/** The time limit of a comparison that no caller waits for. */
const longMs = 600_000

export type ReconciliationService = ReturnType<typeof createReconciliationService>

/** Compares the ledger with the statements of banks and with the networks, at the end of any day. */
export function createReconciliationService(deps: ReconciliationDeps) {
  const { database } = deps
  return {
    /** Counts the differences that should have ended by now, for a duty of one worker. */
    countAged: async (): Promise<AgedCount> => {
      const started = performance.now()
      const { accounts, networks } = await compare(deps, undefined, { limit: 0, timeoutMs: longMs })
      const all = [...accounts, ...networks.flatMap((network) => network.accounts)]
      const aged = all.flatMap(({ items }) => items).filter(isAged).length
      return { aged, durationMs: Math.round(performance.now() - started) }
    },

    /** Reads that count; NaN when it is too old. */
    readAged: async (): Promise<number> => {
      const counted = await readOutcome(database, agedDuty)
      if (!counted) return Number.NaN
      const outcome = counted.outcome as AgedCount
      return counted.ageMs > 6 * pauseAfter(outcome) ? Number.NaN : outcome.aged
    },

    ...createKeeping(deps),

    /**
     * Compares every bank account and every network at the end of a day; now without one. Lists open items alone. It reads
     * the whole history, and nothing that is kept.
     */
    reconcile: (date?: string): Promise<Reconciliation> =>
      compare(deps, date, { limit: 0, timeoutMs: longMs, isFull: true }),

    /**
     * Does the same for a caller, with a page of all items. A bank serves every organization, and so does a treasury: only
     * the platform's keys see them.
     */
    read: async (caller: Caller, date: string | undefined, request: PageRequest): Promise<ReconciliationPage> => {
      const { organizationIds, organizationId } = caller
      const { day } = await requireDay(deps, date)
      const nothing = { date: day, accounts: [], networks: [] }
      const maySee = deps.isSandbox || organizationIds.includes(platformOrganizationId)
      let found: Reconciliation = nothing
      const { items, nextPageToken } = await deps.pages.read(
        { list: 'reconciliation', filters: { for: organizationId, date: day } },
        { pageSize: defaultPageSize, ...request },
        async ({ after, limit }) => {
          const place = after === undefined ? undefined : readPlace(after)
          if (maySee) found = await compare(deps, day, { after: place, limit })
          return sliceItems(listPlaced(found), place, limit)
        },
        (placed) => writePlace(placeOf(placed)),
      )
      return { ...withItems(found, items), nextPageToken }
    },
  }
}

const defaultPageSize = 100

/** One page of the items of a day, with every account. */
export type ReconciliationPage = Reconciliation & { nextPageToken: string }

function listPlaced({ accounts, networks }: Reconciliation): PlacedItem[] {
  const all = [...accounts, ...networks.flatMap((network) => network.accounts)]
  return all.flatMap(({ account, items }) => items.map((item) => ({ account, item })))
}

/** Leaves each account the items of the page. */
function withItems({ date, accounts, networks }: Reconciliation, page: readonly PlacedItem[]): Reconciliation {
  const listed = Map.groupBy(page, ({ account }) => account)
  const keep = (some: readonly ReconciledAccount[]) =>
    some.map((each) => ({ ...each, items: (listed.get(each.account) ?? []).map(({ item }) => item) }))
  return {
    date,
    accounts: keep(accounts),
    networks: networks.map((network) => ({ ...network, accounts: keep(network.accounts) })),
  }
}

/** Compares at the end of a day: every open item, and some that agree. */
async function compare(
  deps: ReconciliationDeps,
  date: string | undefined,
  page: { after?: ItemPlace | undefined; limit: number; timeoutMs?: number; isFull?: boolean },
): Promise<Reconciliation> {
  const { after, limit, timeoutMs, isFull = false } = page
  const { day, today } = await requireDay(deps, date)
  // Lines are written when postings are folded.
  await deps.ledger.foldAll()
  const connected = (await deps.listAccounts()).filter(({ files }) => deps.hasBankFiles && files !== null)
  const accounts = await deps.database.inTx(async (tx) => {
    await readOneMoment(tx)
    if (timeoutMs !== undefined) await store.allowTime(tx, timeoutMs)
    const reconciled: ReconciledAccount[] = []
    for (const account of connected) {
      const matched = matchedSliceOf(account.bankAccountId, after, limit)
      reconciled.push(await reconcileAccount(deps, tx, account, { date: day, matched, timeoutMs, isFull }))
    }
    return reconciled
  })
  return { date: day, accounts, networks: await deps.readNetworks(day, today) }
}

/** Checks a day; the present one by default. */
async function requireDay({ database }: ReconciliationDeps, date: string | undefined) {
  const today = await store.readToday(database)
  if (date === undefined) return { day: today, today }
  if (!isDay(date) || date > today)
    throw badField('date', 'must be a day such as "2026-11-16", since 1900 and not in the future')
  return { day: date, today }
}

async function reconcileAccount(
  { isSandbox }: ReconciliationDeps,
  tx: Tx,
  { bankAccountId, currency }: BankAccount,
  { date, ...slice }: { date: string; matched: store.MatchedSlice; timeoutMs: number | undefined; isFull: boolean },
): Promise<ReconciledAccount> {
  const compared = await store.compareAccount(tx, { bankAccountId, date }, slice)
  const accepted = await readAccepted(tx, bankAccountId)
  const items = listItems(isSandbox ? compared.filter(({ kind }) => kind !== 'OPENING') : compared, date, accepted)
  const ledger = await store.readLedgerBalance(tx, { bankAccountId, date }, slice.isFull)
  const lastStatement = await store.findLastStatement(tx, bankAccountId, date)
  return {
    account: bankAccountId,
    asset: currency,
    ledger,
    outside: ledger + differenceOf(items),
    items,
    ...(lastStatement === undefined ? {} : { lastStatement }),
  }
}
