import type { TokenAsset } from '../../../catalog/currencies.ts'
import type { Database } from '../../../db/database.ts'
import { NodeError } from '../../../lib/chains/node-error.ts'
import { programs } from '../../../lib/solana/programs.ts'
import { readTokenAccount } from '../../../lib/solana/token-account.ts'
import type { Oddity } from '../../scanner/scan.ts'
import type { SignatureInfo, SignatureList, Slots, SolanaAccount, SolanaNode, SolanaTransaction } from '../node.ts'
import type { Cursor, WatchedAccount } from './account.ts'
import { chainBalances } from './balances.ts'
import { findElsewhere } from './elsewhere.ts'
import { listFinal, listLength } from './list.ts'
import type { Remembered } from './memory.ts'
import * as store from './store.ts'

export type ReadDeps = { database: Database; node: SolanaNode; mints: ReadonlyMap<TokenAsset, string> }

/** The news of an account since its cursor. */
export type AccountNews = {
  watched: WatchedAccount
  cursor: Cursor
  /** Final transactions that succeeded, oldest first. */
  final: SolanaTransaction[]
  /** Transactions that may still be dropped, and are not judged yet. */
  waiting: SolanaTransaction[]
  /** Names of waiting transactions that are judged once the news is recorded. */
  judged: ReadonlySet<string>
  /** Every transaction after the cursor up to a slot, by signature; undefined while the lists do not tell. */
  standing: { signatures: ReadonlySet<string>; upTo: bigint } | undefined
  /** Our tokens in other accounts of the owner. */
  elsewhere: readonly Oddity[]
  /** More follows at once. */
  isPart: boolean
}

/** The most successful transactions of an account in one turn, which one database transaction records. */
const mostTransactions = 200

/** The tokens in an account of the right program, owner and mint. */
export function balanceIn(
  { owner }: Pick<WatchedAccount, 'owner'>,
  mint: string,
  found: SolanaAccount | undefined,
): bigint {
  const token = found?.program === programs.token ? readTokenAccount(found.data) : undefined
  return token?.owner === owner && token.mint === mint ? token.amount : 0n
}

type Facts = { slots: Slots; state: SolanaAccount | undefined; memory: Remembered }

/**
 * Reads the transactions of an account since its cursor, and proves them complete: each begins with the balance that the
 * one before left, the balance in a final state is one of them, and our own transfers are among them. Thus a node that is
 * behind, or that answers an empty page, is not believed.
 */
export async function readNews(deps: ReadDeps, watched: WatchedAccount, facts: Facts): Promise<AccountNews> {
  const { node } = deps
  const { slots, memory } = facts
  const { account, signature: until } = watched
  const range = { until, before: null, commitment: 'confirmed', upToSlot: slots.confirmed, most: listLength } as const
  const [listed, all] = await Promise.all([
    listFinal(node, watched, { slots, marks: memory.marksOf(account) }),
    node.signaturesOf(account, range),
  ])
  const known = new Set(watched.slotSignatures)
  const fresh = listed.signatures.filter(({ signature }) => !known.has(signature))
  const some = takeSome(fresh)
  const open = all.signatures.filter(({ slot }) => slot > slots.finalized)
  const unread = open.filter((each) => !each.isFailed && !memory.isJudged(account, each)).slice(0, mostTransactions)
  const [final, waiting, elsewhere] = await Promise.all([
    readFinal(node, some),
    readWaiting(node, unread),
    findElsewhere(deps, watched, slots),
  ])
  const isAll = listed.isAll && some.length === fresh.length
  const balance = await findBalance(deps, watched, { ...facts, listed: fresh, final, isAll })
  const isRead = new Set(waiting.map(({ signature }) => signature))
  const isJudged = (each: SignatureInfo) => isRead.has(each.signature) || memory.isJudged(account, each)
  const isOpenListed = all.isAll || (all.signatures[0]?.slot ?? 0n) <= slots.finalized
  const signatures = new Set([...listed.signatures, ...all.signatures].map(({ signature }) => signature))
  return {
    watched,
    cursor: moveCursor(watched, some, balance),
    final,
    waiting,
    judged: new Set(open.filter(isJudged).map(memory.nameOf)),
    standing: listed.isAll && isOpenListed ? { signatures, upTo: slots.confirmed } : undefined,
    elsewhere,
    isPart: !isAll,
  }
}

/** Takes the oldest transactions of a list: as many as one turn reads. Failed ones are passed over unread. */
function takeSome(listed: readonly SignatureInfo[]): SignatureInfo[] {
  let left = mostTransactions
  const end = listed.findIndex(({ isFailed }) => {
    if (!isFailed) left -= 1
    return left < 0
  })
  return end < 0 ? [...listed] : listed.slice(0, end)
}

async function readFinal(node: SolanaNode, some: readonly SignatureInfo[]): Promise<SolanaTransaction[]> {
  const signatures = some.filter(({ isFailed }) => !isFailed).map(({ signature }) => signature)
  const read = await node.transactions(signatures, 'finalized')
  return read.map((each, at) => {
    if (each) return each
    throw new NodeError('incomplete', `the nodes list the final transaction ${signatures[at]}, but do not have it`)
  })
}

async function readWaiting(node: SolanaNode, unread: readonly SignatureInfo[]): Promise<SolanaTransaction[]> {
  const read = await node.transactions(
    unread.map(({ signature }) => signature),
    'confirmed',
  )
  return read.filter((each) => each !== undefined)
}

type Proof = {
  slots: Slots
  state: SolanaAccount | undefined
  listed: readonly SignatureInfo[]
  final: readonly SolanaTransaction[]
  isAll: boolean
}

/** Finds the balance after the last final transaction, and proves that none is missing when the list goes to the end. */
async function findBalance(
  deps: ReadDeps,
  watched: WatchedAccount,
  { slots, state, listed, final, isAll }: Proof,
): Promise<bigint> {
  const mint = watched.asset === null ? undefined : deps.mints.get(watched.asset)
  if (mint === undefined) return 0n
  const balances = chainBalances(watched, mint, final)
  if (isAll && !balances.includes(balanceIn(watched, mint, state))) {
    const why = `the transactions of ${watched.account} do not lead to its balance of ${balanceIn(watched, mint, state)}`
    throw new NodeError('incomplete', why)
  }
  if (isAll) await requireOwn(deps, watched, listed, slots)
  return balances.at(-1) as bigint
}

/** Two transfers that cancel each other leave the balance as it was, and the one that left is ours. */
async function requireOwn(
  { database }: ReadDeps,
  { account, owner, asset, slot }: WatchedAccount,
  listed: readonly SignatureInfo[],
  { finalized }: Slots,
): Promise<void> {
  const isListed = new Set(listed.map(({ signature }) => signature))
  const own = await store.listOwnTransfers(database, [owner], finalized)
  const lost = own.find((each) => each.asset === asset && BigInt(each.slot) > slot && !isListed.has(each.signature))
  if (lost) throw new NodeError('incomplete', `the nodes left out ${lost.signature} of ${account}`)
}

/** The cursor is the last transaction in the order of the nodes, which list those after it next time. */
function moveCursor(watched: WatchedAccount, passed: SignatureList['signatures'], balance: bigint): Cursor {
  const last = passed.at(-1)
  const { signature, slot, slotSignatures } = watched
  if (!last) return { signature, slot, slotSignatures, balance }
  const inSlot = passed.filter((each) => each.slot === last.slot).map((each) => each.signature)
  const before = slot === last.slot ? slotSignatures : []
  return { signature: last.signature, slot: last.slot, balance, slotSignatures: [...before, ...inSlot] }
}
