import type { TokenAsset } from '../../../catalog/currencies.ts'
import { createBatcher } from '../../../db/batcher.ts'
import { readClock } from '../../../db/business-clock.ts'
import type { Attempt, OrderFacts, Rail, RailAnswer, SubmitOutcome } from '../../../transactions/payouts/rail.ts'
import { WrongToken } from '../../scanner/scan.ts'
import { blockOf } from '../scanner/account.ts'
import { checkMints } from '../scanner/mint-check.ts'
import { findDeath, findRefusal, findRevived, hasPaid, isOver } from './evidence.ts'
import { type PreparationDeps, prepareTransfers } from './preparation.ts'
import type { Sender } from './sender.ts'
import * as store from './store.ts'
import { readBatch } from './transfer.ts'

export type SolanaRailDeps = Omit<PreparationDeps, 'mintOf'> & {
  tokens: readonly { asset: TokenAsset; mint: string; decimals: number }[]
  sender: Sender
}

/** Many transactions share a batch, because one commit is cheaper than many. Each has a fate of its own. */
const batchSize = 100
const batchesTogether = 2
/** A blockhash lives for 150 blocks, which take one to two minutes. */
const validSeconds = 600
const waitSeconds = 60
/** The upkeep makes a payout due as soon as its transaction is final. The worker asks by itself only in case that it cannot. */
const askAgainSeconds = 5

/** Pays on Solana: each payout is a transaction that its owner and our relayer sign, and that expires within minutes. */
export function createSolanaRail(deps: SolanaRailDeps): Rail {
  const { database, node, tokens, sender } = deps
  const mintOf = (asset: TokenAsset) => {
    const mint = tokens.find((each) => each.asset === asset)?.mint
    if (mint === undefined) throw new Error(`${asset} is not on Solana`)
    return mint
  }
  const readTransfers = createTransferReader(deps)
  let areMintsChecked = false
  const findWrongMint = async (): Promise<string | undefined> => {
    if (areMintsChecked) return undefined
    try {
      await checkMints(node, tokens, (await node.slots()).finalized)
    } catch (error) {
      if (error instanceof WrongToken) return error.message
      throw error
    }
    areMintsChecked = true
    return undefined
  }
  return {
    name: `chain ${node.network}`,
    methods: [node.network],
    capabilities: { batchSize, batchesTogether, validSeconds },

    prepare: async (orders, { signal }) => {
      const why = await findWrongMint()
      if (why !== undefined) {
        const { now } = await readClock(database)
        const until = new Date(now.getTime() + waitSeconds * 1_000)
        return { batches: [], declined: orders.map(({ reference }) => ({ reference, outcome: 'NOT_NOW', until, why })) }
      }
      return prepareTransfers({ ...deps, mintOf }, orders, signal)
    },

    submit: async ({ content, items, notAfter }, { signal }) => {
      signal.throwIfAborted()
      const { now } = await readClock(database)
      if (now >= notAfter) {
        return items.map((): SubmitOutcome => ({ outcome: 'UNKNOWN', why: 'it had expired' }))
      }
      const sent = await sender.send(readBatch(content))
      const askAgainAt = new Date(now.getTime() + askAgainSeconds * 1_000)
      return items.map(({ key }): SubmitOutcome => {
        const problem = sent.find(({ transferId }) => transferId === key)?.problem ?? null
        // Bytes that no node took may still be taken, until their blockhash has expired.
        return problem === null ? { outcome: 'ACCEPTED', askAgainAt } : { outcome: 'UNKNOWN', why: problem }
      })
    },

    ask: (order, attempts) => answer({ ...deps, readTransfers }, order, attempts),

    withdraw: ({ reference }) => isUnpaidForGood(deps, reference),

    isSpent: async ({ reference }) => {
      const transfers = await store.readTransfersOf(database, [reference])
      return transfers.every(({ raw, state }) => raw !== null && state !== 'OPEN')
    },
  }
}

/** True when no transaction of a payout has paid or ever will, as the nodes prove at this moment: the money goes back. */
async function isUnpaidForGood(deps: SolanaRailDeps, reference: string): Promise<boolean> {
  const transfers = await store.readTransfersOf(deps.database, [reference])
  if ((await findRevived(deps, transfers)).length > 0) return false
  for (const transfer of transfers) {
    // The signer may still sign what it has not decided.
    if (transfer.raw === null) return false
    if (transfer.state === 'FINAL' && transfer.isSuccessful === false) continue
    if (transfer.state === 'FINAL' || !(await findDeath(deps, transfer))) return false
  }
  return true
}

type AnswerDeps = SolanaRailDeps & { readTransfers: ReturnType<typeof createTransferReader> }

/** Reads the transactions of payouts. Questions of one moment share a statement. */
function createTransferReader({ database }: SolanaRailDeps) {
  return createBatcher({
    batchSize,
    concurrency: 2,
    collects: true,
    run: async (references: readonly string[]) => {
      const read = await store.readTransfersOf(database, references)
      const transfers = Map.groupBy(read, ({ reference }) => reference)
      return references.map((reference) => transfers.get(reference) ?? [])
    },
  })
}

/** Tells how a payout ended: from transactions that the upkeep has ended, or else from the nodes. */
async function answer(deps: AnswerDeps, { reference }: OrderFacts, attempts: readonly Attempt[]): Promise<RailAnswer> {
  const transfers = (await deps.readTransfers(reference)).filter(({ raw }) => raw !== null)
  if (transfers.length === 0) return { state: 'NOT_KNOWN' }
  const paid = transfers.find(({ state, isSuccessful }) => state === 'FINAL' && isSuccessful)
  if (paid?.slot) return confirm(paid, BigInt(paid.slot))
  for (const transfer of transfers.filter(({ state }) => state === 'OPEN')) {
    const open = await askOpen(deps, transfer, attempts)
    if (open !== 'OVER') return open
  }
  return conclude(deps, reference)
}

function confirm({ signature, value }: store.Transfer, slot: bigint): RailAnswer {
  if (signature === null || value === null) throw new Error('a transfer without a signature was paid')
  const block = blockOf({ slot })
  return { state: 'CONFIRMED', externalReference: signature, amount: BigInt(value), block, costs: [], returns: [] }
}

/** Tells how an open transaction stands; OVER when it is proven dead now. */
async function askOpen(
  deps: SolanaRailDeps,
  transfer: store.Transfer,
  attempts: readonly Attempt[],
): Promise<RailAnswer | 'OVER'> {
  const { node, sender } = deps
  const signature = transfer.signature as string
  const [status] = await node.statuses([signature])
  if (status?.state === 'WAITING') return { state: 'PENDING' }
  if (status?.state === 'FINAL') {
    // A failure is an outcome only once the upkeep has booked its fee.
    if (status.error !== null) return { state: 'PENDING' }
    const [transaction] = await node.transactions([signature], 'finalized')
    return transaction && hasPaid(transfer, transaction) ? confirm(transfer, transaction.slot) : { state: 'PENDING' }
  }
  if (await findDeath(deps, transfer)) return 'OVER'
  const isLatest = attempts.at(-1)?.key === transfer.transferId
  if (!isLatest || !transfer.isCommitted || !transfer.isAwaited) return { state: 'NOT_KNOWN' }
  const signed = store.signedTransferOf(transfer)
  if (signed && transfer.sends === 0) await sender.send([signed])
  return { state: 'PENDING' }
}

/** Tells why no transaction of a payout will ever pay. */
async function conclude(deps: SolanaRailDeps, reference: string): Promise<RailAnswer> {
  const { database, node } = deps
  const transfers = (await store.readTransfersOf(database, [reference])).filter(({ raw }) => raw !== null)
  if (!transfers.every(isOver) || (await findRevived(deps, transfers)).length > 0) return { state: 'PENDING' }
  const failed = transfers.findLast(({ state }) => state === 'FINAL')
  if (failed) {
    const reason = await findRefusal(node, failed, BigInt(failed.slot ?? 0))
    if (reason !== undefined) return { state: 'REFUSED', reason }
  }
  const proofs = transfers.map(({ state, signature, slot, height, failure }) =>
    state === 'DEAD'
      ? `${signature} is unknown at the final height ${height}, slot ${slot}`
      : `${signature} failed in the final slot ${slot}: ${failure}`,
  )
  return { state: 'DEAD', proof: proofs.slice(-3).join('; ') }
}
