import { gasFacts } from '../../catalog/gas.ts'
import type { Tx } from '../../db/database.ts'
import { writeTransfer } from '../../lib/evm/authorization.ts'
import { toHex } from '../../lib/evm/words.ts'
import { type BlockRef, type FeeHistory, NodeError, type TransactionReceipt } from '../node.ts'
import type { SignedTransfer } from './authorization.ts'
import { readTransfers, signedTransferOf } from './authorization-store.ts'
import { hasPaid, isNonceUsed, readRevert } from './evidence.ts'
import { chooseFill, chooseReplacement } from './fees.ts'
import { readFinalHead } from './final-head.ts'
import * as store from './relay-store.ts'
import type { Relayer, RelayerDeps } from './relayer.ts'
import { type ChainTrust, fillGap, keepTrust, readTrust } from './reopen-store.ts'

export type UpkeepDeps = RelayerDeps & {
  relayer: Relayer
  /** Books the gas of final transactions, in the database transaction that ends their nonces. */
  bookGas(
    tx: Tx,
    spent: readonly (store.NonceKey & Pick<Ending, 'hash' | 'block' | 'gasCost'> & { reopenings: number })[],
  ): Promise<void>
  /** Makes payouts due, whose nonces have ended. */
  expedite(tx: Tx, payouts: readonly { organizationId: string; payoutId: string }[]): Promise<void>
  onFailure(error: unknown): void
}

const mostNonces = 500
/** Real seconds without a block before a transaction is broadcast again, or replaced. */
const restlessSeconds = 2
const forgottenSeconds = 600
/** A nonce whose transactions the signer refuses gets another after 2, 4, 8 … seconds, at most 2 to the power of this. */
const longestBackOff = 9

/** One look after a network, with the trust in its nodes from before the first question. */
type Upkeep = UpkeepDeps & { trust: ChainTrust }

type OpenNonce = store.NonceKey & { versions: readonly store.RelayTransaction[] }

/**
 * Looks after the open nonces of a network: ends those whose transaction is final, broadcasts lost ones again, replaces
 * those whose fee is too low, and fills those that no transaction will use. Every step may run twice, in two workers.
 */
export async function keepUp(given: UpkeepDeps): Promise<number> {
  const { database, node, finality } = given
  const deps: Upkeep = { ...given, trust: await readTrust(database, node.network) }
  if (deps.trust.isHalted) return 0
  const open = groupByNonce(await store.readOpen(database, node.network, mostNonces))
  if (open.length === 0) return 0
  const final = await readFinalHead(node, finality)
  const hashes = open.flatMap(({ versions }) => versions.flatMap(({ hash }) => hash ?? []))
  const found = await node.receipts(hashes)
  const receipts = new Map(found.flatMap((receipt) => (receipt ? [[receipt.transactionHash, receipt] as const] : [])))
  const receiptOf = ({ versions }: OpenNonce) =>
    versions.flatMap(({ hash }) => (hash ? (receipts.get(hash) ?? []) : [])).at(0)
  const mined = open.flatMap((nonce) => {
    const receipt = receiptOf(nonce)
    return receipt && receipt.block.number <= final.number ? [{ nonce, receipt }] : []
  })
  const settled = await settle(deps, mined)
  const waiting = open.filter((nonce) => receiptOf(nonce) === undefined)
  if (waiting.length > 0) await advance(deps, waiting, final)
  return settled
}

function groupByNonce(relays: readonly store.RelayTransaction[]): OpenNonce[] {
  const groups = Map.groupBy(relays, ({ relayer, nonce }) => `${relayer} ${nonce}`)
  return [...groups.values()].flatMap((versions) => {
    const [first] = versions
    return first ? [{ network: first.network, relayer: first.relayer, nonce: first.nonce, versions }] : []
  })
}

type Mined = { nonce: OpenNonce; receipt: TransactionReceipt }

/** Ends nonces whose transaction is in a final block. The block must still be the one of the chain. */
async function settle(deps: Upkeep, mined: readonly Mined[]): Promise<number> {
  if (mined.length === 0) return 0
  const { database, node } = deps
  const numbers = [...new Set(mined.map(({ receipt }) => receipt.block.number))]
  const blocks = await Promise.all(numbers.map((number) => node.block(number)))
  const hashes = new Set(blocks.map((block) => block?.hash))
  const canonical = mined.filter(({ receipt }) => hashes.has(receipt.block.hash))
  const transfers = await readTransfersFor(deps, canonical)
  const endings = await Promise.all(canonical.map((each) => describe(deps, each, transfers)))
  const settled = await database.inTx(async (tx) => {
    if (!(await keepTrust(tx, node.network, deps.trust))) return 0
    const ended = await store.settleNonces(tx, endings)
    const reopenings = new Map(ended.map((each) => [`${each.relayer} ${each.nonce}`, each.reopenings]))
    const spent = endings.flatMap((ending) => {
      const times = reopenings.get(`${ending.relayer} ${ending.nonce}`)
      return times === undefined ? [] : [{ ...ending, reopenings: times }]
    })
    await deps.bookGas(tx, spent)
    await expediteEnded(deps, tx, ended)
    return ended.length
  })
  deps.onPoint('nonces settled')
  return settled
}

/** Makes the payouts due whose nonces have ended: they are confirmed, or relayed with another nonce. */
function expediteEnded({ expedite }: UpkeepDeps, tx: Tx, ended: Awaited<ReturnType<typeof store.settleNonces>>) {
  const payouts = ended.flatMap(({ organizationId, payoutId }) =>
    organizationId !== null && payoutId !== null ? [{ organizationId, payoutId }] : [],
  )
  return expedite(tx, payouts)
}

async function readTransfersFor(
  { database }: UpkeepDeps,
  mined: readonly Mined[],
): Promise<Map<string, SignedTransfer>> {
  const ids = mined.flatMap(({ nonce }) => nonce.versions[0]?.allocatedTo ?? [])
  const transfers = (await readTransfers(database, ids)).flatMap((decided) => signedTransferOf(decided) ?? [])
  return new Map(transfers.map((transfer) => [transfer.authorizationId, transfer]))
}

type Ending = Extract<store.Settled, { state: 'MINED' }>

async function describe(
  deps: UpkeepDeps,
  { nonce: { network, relayer, nonce, versions }, receipt }: Mined,
  transfers: ReadonlyMap<string, SignedTransfer>,
): Promise<Ending> {
  const version = versions.find(({ hash }) => hash === receipt.transactionHash)
  const transfer = version?.authorizationId ? transfers.get(version.authorizationId) : undefined
  const isSuccessful = transfer ? hasPaid(transfer, receipt) : receipt.isSuccessful
  return {
    network,
    relayer,
    nonce,
    state: 'MINED',
    hash: receipt.transactionHash,
    // A filled nonce has paid nothing.
    isSuccessful: transfer !== undefined && isSuccessful,
    revertReason: transfer && !isSuccessful ? await findRevert(deps, transfer, receipt) : null,
    block: receipt.block,
    gasCost: receipt.gasUsed * receipt.effectiveGasPrice + receipt.layerOneFee,
  }
}

/** Repeats the call in the state of its block, to learn why it reverted. */
async function findRevert(
  { node }: UpkeepDeps,
  transfer: SignedTransfer,
  { block, from }: TransactionReceipt,
): Promise<string> {
  const signature = Buffer.from(transfer.signature, 'hex')
  const data = toHex(writeTransfer({ ...transfer, validAfter: 0n }, signature))
  const at = { ...block, parentHash: '', timestamp: 0n }
  try {
    await node.call({ to: transfer.contract, data, from }, at)
    return 'reverted'
  } catch (error) {
    return error instanceof NodeError && error.kind === 'reverted' ? readRevert(error.data) : 'reverted'
  }
}

/** Broadcasts, replaces and fills. The lowest nonces matter most: all others wait for them. */
async function advance(deps: Upkeep, waiting: readonly OpenNonce[], final: BlockRef): Promise<void> {
  const { relayer } = deps
  const newest = waiting.flatMap((nonce) => {
    const version = nonce.versions.at(-1)
    return version ? [{ nonce, version }] : []
  })
  const unsent = newest.filter(({ version }) => version.raw !== null && version.sends === 0)
  await relayer.broadcast(
    unsent.flatMap(({ version }) => (isLeftBehind(version) && !isForbidden(version) ? version : [])),
  )
  const restless = newest.filter(({ version }) => version.idleSeconds >= restlessSeconds)
  if (restless.length === 0) return
  const history = await relayer.readFees()
  await fillGaps(deps, waiting)
  const taken = await findTaken(deps, waiting, final)
  const known = await deps.node.known(restless.flatMap(({ version }) => version.hash ?? []))
  for (const { nonce, version } of restless) {
    if (taken.has(nonce)) continue
    await repair(deps, nonce, version, { history, known }).catch(deps.onFailure)
  }
}

/**
 * Fills nonces below those that wait, which no transaction uses: after a chain was adopted, a foreign transaction that
 * had used them may be gone. A filled nonce that is in use all the same is soon found as taken.
 */
async function fillGaps(deps: UpkeepDeps, waiting: readonly OpenNonce[]): Promise<void> {
  const { database, node, relayer } = deps
  const { network } = node
  for (const [address, nonces] of Map.groupBy(waiting, (nonce) => nonce.relayer)) {
    // They are in the order of their nonces.
    const lowest = BigInt(nonces[0]?.nonce ?? 0)
    const used = await node.transactionCount(address, 'latest')
    const price = used < lowest ? await relayer.findPrice() : undefined
    if (!price) continue
    const gap = { network, relayer: address, from: used, to: lowest }
    await database.inTx((tx) => fillGap(tx, gap, { ...price, gasLimit: gasFacts[network].fillGas }))
  }
}

/** The worker that allocated a nonce broadcasts its first version at once, unless it has died. */
function isLeftBehind({ version, idleSeconds }: store.RelayTransaction): boolean {
  return version > 1 || idleSeconds >= 1
}

/**
 * A transfer whose payout has an outcome: it must not be broadcast, or the money might leave twice. Or one whose time is
 * over: it would revert, and cost more than a filled nonce.
 */
function isForbidden({ isOver, isExpired, authorizationId }: store.RelayTransaction): boolean {
  return (isOver || isExpired) && authorizationId !== null
}

async function repair(
  deps: UpkeepDeps,
  nonce: OpenNonce,
  version: store.RelayTransaction,
  { history, known }: { history: FeeHistory; known: ReadonlySet<string> },
): Promise<void> {
  const { database, relayer, node } = deps
  const facts = gasFacts[node.network]
  const isRefused = version.sendRefusal === 'UNDERPRICED'
  const former = { maxFee: BigInt(version.maxFee), tip: BigInt(version.tip), isRefused }
  const next = { ...nonce, version: version.version + 1 }
  // The signer decides again about the same version, later and later. Meanwhile an earlier version may still pay.
  if (version.isRetried) return rebroadcast(deps, nonce)
  if (version.problem !== null && version.idleSeconds < 2 ** Math.min(version.version, longestBackOff)) return
  if (version.problem !== null || (isForbidden(version) && version.raw !== null)) {
    // A transfer of nothing uses the nonce, so that later ones can follow.
    const signed = nonce.versions.filter(({ raw }) => raw !== null)
    const prices = signed.map(({ maxFee, tip }) => ({ maxFee: BigInt(maxFee), tip: BigInt(tip) }))
    const price = chooseFill(prices, await relayer.findPrice(), relayer.bounds)
    if (price) await store.insertVersion(database, next, null, { ...price, gasLimit: facts.fillGas })
    // One that has expired moves nothing. Where the cap leaves no room for a fill, it uses the nonce itself.
    if (price || version.isOver || version.problem !== null) return
  }
  if (version.raw === null) return
  const price = chooseReplacement(former, history, relayer.bounds)
  if (price) {
    const { authorizationId } = version
    const gasLimit = authorizationId === null ? facts.fillGas : facts.transferGas
    await store.insertVersion(database, next, authorizationId, { ...price, gasLimit })
    return
  }
  if (version.hash !== null && known.has(version.hash)) return
  await relayer.broadcast([version])
}

/** Broadcasts the latest signed version again, unless the nodes have it. */
async function rebroadcast({ relayer, node }: UpkeepDeps, { versions }: OpenNonce): Promise<void> {
  const signed = versions.findLast(({ raw }) => raw !== null)
  if (!signed?.hash || isForbidden(signed) || signed.idleSeconds < restlessSeconds) return
  if (!(await node.known([signed.hash])).has(signed.hash)) await relayer.broadcast([signed])
}

/**
 * Ends nonces that a transaction which we do not know has used, in the state of a final block. Their authorizations are
 * unused there, so another nonce may relay them.
 */
async function findTaken(
  deps: Upkeep,
  waiting: readonly OpenNonce[],
  final: BlockRef,
): Promise<ReadonlySet<OpenNonce>> {
  const { database, node } = deps
  const taken = new Set<OpenNonce>()
  for (const [relayer, nonces] of Map.groupBy(waiting, (nonce) => nonce.relayer)) {
    const used = await node.transactionCountAt(relayer, final)
    const suspects = nonces.filter((each) => BigInt(each.nonce) < used)
    const known = await node.known(suspects.flatMap(({ versions }) => versions.flatMap(({ hash }) => hash ?? [])))
    for (const nonce of suspects) if (await isForeign(deps, nonce, known, final)) taken.add(nonce)
    if (taken.size > 0) await store.raiseNextNonce(database, node.network, relayer, used)
  }
  const ended = [...taken].map(({ network, relayer, nonce }) => ({ network, relayer, nonce, state: 'TAKEN' as const }))
  if (ended.length === 0) return taken
  await database.inTx(async (tx) => {
    if (!(await keepTrust(tx, node.network, deps.trust))) return
    await expediteEnded(deps, tx, await store.settleNonces(tx, ended))
  })
  return taken
}

/** False while a node still knows one of our transactions: its receipt may be late. */
async function isForeign(
  { database, node }: UpkeepDeps,
  nonce: OpenNonce,
  known: ReadonlySet<string>,
  final: BlockRef,
): Promise<boolean> {
  if (nonce.versions.some(({ hash }) => hash !== null && known.has(hash))) return false
  const allocatedTo = nonce.versions[0]?.allocatedTo
  if (!allocatedTo) return true
  const [decided] = await readTransfers(database, [allocatedTo])
  const transfer = decided && signedTransferOf(decided)
  if (!transfer || !(await isNonceUsed(node, transfer, final))) return true
  // The transfer is final. Perhaps it is ours, and the nodes have forgotten the transaction for a moment.
  return nonce.versions.every(({ idleSeconds }) => idleSeconds > forgottenSeconds)
}
