import type { TokenAsset } from '../../../catalog/currencies.ts'
import type { Database } from '../../../db/database.ts'
import { LeaseLost } from '../../../db/work.ts'
import { NodeError } from '../../../lib/chains/node-error.ts'
import { associatedAccountOf } from '../../../lib/solana/token-account.ts'
import {
  createHolding,
  type Holding,
  type HoldingDeps,
  isPassing,
  problemOf,
  type Turn,
} from '../../scanner/holding.ts'
import type { Scan } from '../../scanner/scan.ts'
import type { Scanner } from '../../scanner/service.ts'
import * as scans from '../../scanner/store.ts'
import type { Slots, SolanaNode } from '../node.ts'
import type { WatchedAccount } from './account.ts'
import { createMemory, type Remembered } from './memory.ts'
import { checkMints } from './mint-check.ts'
import { createPulse, type Pulse } from './pulse.ts'
import { type AccountNews, balanceIn, type ReadDeps, readNews } from './read.ts'
import { type RecordDeps, recordNews } from './record.ts'
import { shareTransactions } from './shared-reads.ts'
import * as store from './store.ts'

/** The tokens on Solana that we credit. */
export type SolanaToken = { asset: TokenAsset; mint: string; decimals: number }

export type SolanaScannerDeps = Omit<RecordDeps, 'mints'> &
  HoldingDeps & {
    onPoint(point: string): void
    database: Database
    /** The time without a new final slot after which the nodes are frozen. */
    frozenMs: number
  }

type Context = {
  deps: SolanaScannerDeps
  reading: ReadDeps
  recording: RecordDeps
  tokens: readonly SolanaToken[]
  holding: Holding<'SOLANA'>
  pulse: Pulse
  memory: { scan?: Scan | undefined; areMintsChecked: boolean; sweptTo: string; accounts: Remembered }
}

type Held = scans.Held & { network: 'SOLANA' }

/** The most accounts whose balances one turn compares, whose transactions it reads, and which it records together. */
const [mostSwept, mostDue, together] = [1_000, 50, 10]
const mostNewOwners = 100

/**
 * Scans Solana by the token accounts of our addresses. Each turn compares the balances of many accounts with the cursors
 * in a few requests, and reads the transactions only of those that changed, that await finality, or whose time has come.
 * Blocks hold thousands of transactions of others, so reading them all would cost more than thousands of wallets.
 */
export function createSolanaScanner(
  deps: SolanaScannerDeps,
  { node, tokens }: { node: SolanaNode; tokens: readonly SolanaToken[] },
): Scanner {
  const mints = new Map(tokens.map(({ asset, mint }) => [asset, mint]))
  const findStart = async () => ({ number: (await node.slots()).finalized, hash: '' })
  const context: Context = {
    deps,
    reading: { database: deps.database, node, mints },
    recording: { ...deps, mints },
    tokens,
    holding: createHolding(deps, 'SOLANA', findStart),
    pulse: createPulse(deps),
    memory: { areMintsChecked: false, sweptTo: '', accounts: createMemory() },
  }
  const forget = () => {
    memory.scan = undefined
    memory.accounts.clear()
  }
  const { holding, memory } = context
  return {
    network: 'SOLANA',

    turn: async (): Promise<Turn> => {
      try {
        const before = holding.current()
        const held = await holding.hold()
        if (held !== before) forget()
        return held ? await scanOnce(context, held) : 'NOT_HELD'
      } catch (error) {
        memory.scan = undefined
        if (isPassing(error)) return holding.report(error)
        if (error instanceof LeaseLost) holding.forget()
        throw error
      }
    },

    release: async (): Promise<void> => {
      forget()
      await holding.release()
    },
  }
}

async function scanOnce(context: Context, held: Held): Promise<Turn> {
  const { deps, reading, holding, memory } = context
  const { node, database } = reading
  const before = memory.scan ?? (await scans.readScan(database, held))
  memory.scan = before
  if (before.isHalted) return 'HALTED'
  const slots = await node.slots()
  await context.pulse(held, before.final.number, slots)
  // The nodes are behind what they have told before: nothing that they say now is news.
  if (slots.finalized < before.final.number) return 'IDLE'
  if (!memory.areMintsChecked) await checkMints(node, context.tokens, slots.finalized)
  memory.areMintsChecked = true
  await watchNew(context)
  const seen = await database.inTx((tx) =>
    context.recording.deposits.listInBlocks(tx, 'SOLANA', { states: ['SEEN'], above: -1n }),
  )
  const candidates = await findCandidates(context, slots, accountsOf(reading, seen))
  let isMoved = false
  for (const group of groupsOf(memory.accounts, candidates)) {
    const news = await readSome(context, held, group)
    deps.onPoint('chain window read')
    if (news.length > 0) {
      isMoved = (await record(context, held, { before, slots, news, seen })) || isMoved
      deps.onPoint('chain window recorded')
    }
    // Another worker or an operator has taken the network over.
    if ((await holding.hold()) !== held) return 'MOVED'
  }
  await holding.recordScanned(held)
  return isMoved ? 'MOVED' : 'IDLE'
}

/** Groups accounts that are recorded together. Some flooded ones are the last group, so that they delay no other. */
function groupsOf({ flooded }: Remembered, candidates: readonly WatchedAccount[]): WatchedAccount[][] {
  const isFlooded = new Set(flooded())
  const others = candidates.filter(({ account }) => !isFlooded.has(account))
  const groups = Array.from({ length: Math.ceil(others.length / together) }, (_, at) =>
    others.slice(at * together, (at + 1) * together),
  )
  const byAccount = new Map(candidates.map((each) => [each.account, each]))
  const last = [...isFlooded].flatMap((account) => byAccount.get(account) ?? []).slice(0, together)
  return last.length > 0 ? [...groups, last] : groups
}

/** Begins to watch addresses that are in use: their token accounts, and the addresses themselves. */
async function watchNew({ deps: { database }, tokens }: Context): Promise<void> {
  const owners = await store.findUnwatched(database, mostNewOwners)
  if (owners.length === 0) return
  const accounts = owners.flatMap(({ owner, receiver }) => [
    ...tokens.map(({ asset, mint }) => ({ account: associatedAccountOf(owner, mint), owner, asset, receiver })),
    { account: owner, owner, asset: null, receiver },
  ])
  await database.inTx((tx) => store.insertWatched(tx, accounts))
}

/** Finds the accounts to read: a changed balance, a transfer that awaits finality, or a look whose time has come. */
async function findCandidates(
  { reading, memory }: Context,
  { confirmed }: Slots,
  awaited: ReadonlySet<string>,
): Promise<WatchedAccount[]> {
  const { database, node, mints } = reading
  const slice = await store.readSlice(database, memory.sweptTo, mostSwept)
  memory.sweptTo = slice.length < mostSwept ? '' : (slice.at(-1)?.account ?? '')
  const states = await node.accounts(
    slice.map(({ account }) => account),
    { commitment: 'confirmed', minSlot: confirmed },
  )
  const changed = slice.filter((each, at) => {
    const mint = each.asset === null ? undefined : mints.get(each.asset)
    return mint !== undefined && balanceIn(each, mint, states[at]) !== each.balance
  })
  const others = await store.readAccounts(database, [...awaited, ...memory.accounts.flooded()])
  const due = await store.readDue(database, mostDue)
  const found = new Map([...changed, ...others, ...due].map((each) => [each.account, each]))
  return [...found.values()].filter(({ isResting }) => !isResting)
}

/** The token accounts of sightings. */
function accountsOf({ mints }: ReadDeps, seen: Found['seen']): ReadonlySet<string> {
  return new Set(
    seen.flatMap(({ address, asset }) => {
      const mint = mints.get(asset as TokenAsset)
      return address === null || mint === undefined ? [] : associatedAccountOf(address, mint)
    }),
  )
}

/**
 * Reads the news of some accounts. The states are read before the slots, so the transactions up to them explain them. An
 * account that the nodes cannot tell about holds up no other: it gets a record of its problem, and is retried later.
 */
async function readSome(
  { deps, reading, memory }: Context,
  held: Held,
  watched: readonly WatchedAccount[],
): Promise<AccountNews[]> {
  const { node, database } = reading
  const first = await node.slots()
  const states = await node.accounts(
    watched.map(({ account }) => account),
    { commitment: 'finalized', minSlot: first.finalized },
  )
  const slots = await node.slots()
  const shared = { ...reading, node: shareTransactions(node) }
  const read = await Promise.all(
    watched.map(async (each, at) => {
      try {
        return await readNews(shared, each, { slots, state: states[at], memory: memory.accounts })
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
        const [problem, detail] = [problemOf(error), `${each.account}: ${error.message}`]
        const isNew = await store.recordProblem(database, held, each, { problem, detail })
        if (isNew) deps.onProblem('SOLANA', problem, new NodeError(error.kind, detail))
        return undefined
      }
    }),
  )
  return read.filter((each) => each !== undefined)
}

type Found = { before: Scan; slots: Slots; news: readonly AccountNews[]; seen: Parameters<typeof recordNews>[3] }

async function record(context: Context, held: Held, { before, slots, news, seen }: Found): Promise<boolean> {
  const { deps, recording, memory } = context
  let isChanged = news.some(({ isPart }) => isPart)
  const moved: Scan = {
    ...before,
    cursor: { number: slots.confirmed, hash: '' },
    final: { number: slots.finalized, hash: '' },
  }
  await deps.database.inTx(async (tx) => {
    // First, because it locks the row and compares the fence.
    await scans.moveScan(tx, held, moved)
    for (const each of news) isChanged = (await recordNews(recording, tx, each, seen)) || isChanged
  })
  memory.scan = moved
  for (const { watched, judged } of news) memory.accounts.keep(watched.account, judged)
  return isChanged
}
