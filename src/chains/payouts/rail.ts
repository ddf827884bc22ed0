import type { Environment, TokenAsset } from '../../catalog/currencies.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import { createBatcher } from '../../db/batcher.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Attempt, OrderFacts, Rail, RailAnswer, SubmitOutcome } from '../../transactions/payouts/rail.ts'
import { readBatch, type SignedTransfer } from './authorization.ts'
import { hasUndecided, isCommitted, isHalted, readTransfersOf, signedTransferOf } from './authorization-store.ts'
import { findEnding, isBlacklisted, isNonceUsed } from './evidence.ts'
import { readFinalHead } from './final-head.ts'
import { type PreparationDeps, prepareTransfers } from './preparation.ts'
import { readStatesOf } from './relay-store.ts'
import type { Relayer, RelayerDeps } from './relayer.ts'
import { createTokenGuard } from './token-guard.ts'

export type EvmRailDeps = RelayerDeps &
  Pick<PreparationDeps, 'custody'> & { environment: Environment; relayer: Relayer }

/** Many authorizations share a batch, because one commit is cheaper than many. Each has a fate of its own. */
const batchSize = 100
const batchesTogether = 2
/** The time of validity: long enough for a busy network, short enough that an attempt which is lost dies soon. */
const validSeconds = 3_600
const waitSeconds = 60
/** The upkeep makes a payout due as soon as its transfer is final. The worker asks by itself only in case that it cannot. */
const askAgainSeconds = 5
const longestPauseMs = 300_000
const tooExpensive = 'gas costs more than the cap'

/** Pays on one EVM network with signed authorizations (EIP-3009), which a relayer executes. */
export function createEvmRail(deps: EvmRailDeps): Rail {
  const { database, environment, node, finality, relayer } = deps
  const contractOf = (asset: TokenAsset) => tokenDomainOf(environment, asset).contract
  const readFinal = () => readFinalHead(node, finality)
  const findWrongToken = createTokenGuard(node, environment, readFinal)
  const readRecord = createRecordReader(deps)
  return {
    name: `chain ${node.network}`,
    methods: [node.network],
    capabilities: { batchSize, batchesTogether, validSeconds },

    prepare: async (orders, { signal }) => {
      const why = await findWrongToken()
      if (why !== undefined) {
        const { now } = await readClock(database)
        const until = new Date(now.getTime() + waitSeconds * 1_000)
        return { batches: [], declined: orders.map(({ reference }) => ({ reference, outcome: 'NOT_NOW', until, why })) }
      }
      const isTooExpensive = !(await relayer.findPrice())
      return prepareTransfers({ ...deps, contractOf, readFinal, isTooExpensive }, orders, signal)
    },

    submit: async ({ content, items }, { signal }) => {
      signal.throwIfAborted()
      const transfers = readBatch(content)
      const { now } = await readClock(database)
      const seconds = BigInt(Math.floor(now.getTime() / 1_000))
      const alive = transfers.filter(({ validBefore }) => validBefore > seconds)
      const ids = alive.map(({ authorizationId }) => authorizationId)
      const isRelayed = ids.length > 0 && (await relayer.relay(ids, signal))
      const askAgainAt = new Date(now.getTime() + askAgainSeconds * 1_000)
      const isAlive = new Set(alive.map(({ reference }) => reference))
      return items.map(({ reference }): SubmitOutcome => {
        if (!isAlive.has(reference)) return { outcome: 'UNKNOWN', why: 'it had expired' }
        // It is relayed once it is asked for and fees have fallen.
        return isRelayed ? { outcome: 'ACCEPTED', askAgainAt } : { outcome: 'UNKNOWN', why: tooExpensive }
      })
    },

    ask: (order, attempts, { signal }) => answer({ ...deps, readFinal, readRecord }, order, attempts, signal),

    withdraw: async ({ reference }) => (await findFate({ ...deps, readFinal }, reference)) === 'DEAD',

    isSpent: async ({ reference }) => (await findFate({ ...deps, readFinal }, reference)) !== 'OPEN',
  }
}

type FateDeps = EvmRailDeps & { readFinal(): ReturnType<typeof readFinalHead> }
type AnswerDeps = FateDeps & { readRecord: ReturnType<typeof createRecordReader> }

/** Reads what we know of payouts. Questions of one moment share three statements. */
function createRecordReader({ database, node }: EvmRailDeps) {
  return createBatcher({
    batchSize,
    concurrency: 2,
    collects: true,
    run: async (references: readonly string[]) => {
      const isNetworkHalted = await isHalted(database, node.network)
      const states = Map.groupBy(await readStatesOf(database, references), ({ reference }) => reference)
      const transfers = Map.groupBy(
        await readTransfersOf(database, node.network, references),
        ({ reference }) => reference,
      )
      return references.map((reference) => ({
        isNetworkHalted,
        states: states.get(reference) ?? [],
        transfers: transfers.get(reference) ?? [],
      }))
    },
  })
}

/** Tells how a payout ended: from nonces that the upkeep has ended, or else from the token itself. */
async function answer(
  deps: AnswerDeps,
  { reference }: OrderFacts,
  attempts: readonly Attempt[],
  signal: AbortSignal,
): Promise<RailAnswer> {
  const { node } = deps
  const { isNetworkHalted, states, transfers } = await deps.readRecord(reference)
  if (isNetworkHalted) return { state: 'NOT_KNOWN' }
  const paid = states.find(({ state, isSuccessful }) => state === 'MINED' && isSuccessful)
  const signed = transfers.flatMap((decided) => signedTransferOf(decided) ?? [])
  const transferOf = (id: string) => signed.find(({ authorizationId }) => authorizationId === id)
  if (paid?.hash && paid.blockNumber && paid.blockHash) {
    const amount = transferOf(paid.authorizationId)?.value
    if (amount === undefined) throw new Error(`payout ${reference} was paid by an authorization that is not known`)
    const block = { number: BigInt(paid.blockNumber), hash: paid.blockHash }
    return { state: 'CONFIRMED', externalReference: paid.hash, amount, block, costs: [], returns: [] }
  }
  const latest = signed.at(-1)
  if (!latest) return { state: 'NOT_KNOWN' }
  const final = await deps.readFinal()
  // All authorizations of a payout share one nonce: a used nonce ends them all.
  if (await isNonceUsed(node, latest, final)) {
    // The first request came first: no transfer is in a block before it.
    const afterBlock = transfers.map((each) => BigInt(each.afterBlock)).toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n
    for (const transfer of signed.toReversed()) {
      const ending = await findEnding(node, transfer, { afterBlock, final })
      if (ending?.state === 'CANCELLED') return { state: 'REFUSED', reason: 'authorization_cancelled' }
      if (ending) {
        const { transactionHash: externalReference, block } = ending
        return { state: 'CONFIRMED', externalReference, amount: transfer.value, block, costs: [], returns: [] }
      }
    }
    throw new Error(`the nonce of payout ${reference} is used, but no node has the event`)
  }
  if (signed.every(({ validBefore }) => final.timestamp >= validBefore)) {
    const proof = `block ${final.number} ${final.hash} is final, later than validBefore, and the nonce is unused there`
    const isRefused = states.some(({ isSuccessful, revertReason }) => isSuccessful === false && revertReason !== null)
    if (isRefused && (await isBlacklisted(node, latest.contract, latest.to, final)))
      return { state: 'REFUSED', reason: 'destination_blacklisted' }
    return { state: 'DEAD', proof }
  }
  const isRelayed = states.some(
    ({ authorizationId, state }) => authorizationId === latest.authorizationId && state !== 'TAKEN',
  )
  if (isRelayed) return await awaitDeath(deps, latest)
  return (await relayAgain(deps, latest, attempts, signal)) ? { state: 'PENDING' } : { state: 'NOT_KNOWN' }
}

/**
 * The upkeep tells when a transfer is final. One whose time is over dies with the next final blocks: it is asked about
 * soon, and less and less often on a network that stands still.
 */
async function awaitDeath({ database }: AnswerDeps, { validBefore }: SignedTransfer): Promise<RailAnswer> {
  const { now } = await readClock(database)
  const overMs = now.getTime() - Number(validBefore) * 1_000
  if (overMs < 0) return { state: 'PENDING' }
  const pauseMs = Math.min(Math.max(askAgainSeconds * 1_000, overMs / 20), longestPauseMs)
  return { state: 'PENDING', askAgainAt: new Date(now.getTime() + pauseMs) }
}

/**
 * Tells the fate of a payout's authorizations in a final block. USED: their nonce is used. DEAD: it is unused, and all
 * are over. OPEN: one of them may still pay.
 */
async function findFate({ database, node, readFinal }: FateDeps, reference: string): Promise<'USED' | 'DEAD' | 'OPEN'> {
  // The signer may still sign what it has not decided.
  if ((await hasUndecided(database, reference)) || (await isHalted(database, node.network))) return 'OPEN'
  const signed = (await readTransfersOf(database, node.network, [reference])).flatMap(
    (decided) => signedTransferOf(decided) ?? [],
  )
  if (signed.length === 0) return 'DEAD'
  const final = await readFinal()
  for (const transfer of new Map(signed.map((each) => [`${each.contract} ${each.from}`, each])).values())
    if (await isNonceUsed(node, transfer, final)) return 'USED'
  return signed.some(({ validBefore }) => final.timestamp < validBefore) ? 'OPEN' : 'DEAD'
}

/** Relays the bytes of the latest attempt when a crash came between their commit and their submission. */
async function relayAgain(
  { database, relayer }: AnswerDeps,
  transfer: SignedTransfer,
  attempts: readonly Attempt[],
  signal: AbortSignal,
): Promise<boolean> {
  if (attempts.at(-1)?.key !== transfer.authorizationId || !(await isCommitted(database, transfer))) return false
  const seconds = BigInt(Math.floor((await readClock(database)).now.getTime() / 1_000))
  if (seconds >= transfer.validBefore) return false
  return relayer.relay([transfer.authorizationId], signal)
}
