import type { Database, Tx } from '../../../db/database.ts'
import type { SpentGas } from '../../../transactions/treasury/gas.ts'
import type { SolanaNode } from '../node.ts'
import { blockOf } from '../scanner/account.ts'
import * as deaths from './death-store.ts'
import { endingOf, findDeath, findRevived } from './evidence.ts'
import type { Sender } from './sender.ts'
import * as store from './store.ts'

export type UpkeepDeps = {
  database: Database
  node: SolanaNode
  sender: Sender
  onPoint(point: string): void
  /** Books the fees of final transactions, in the database transaction that ends them. */
  bookGas(tx: Tx, spent: readonly SpentGas[]): Promise<void>
  /** Tells of a payout that a transaction paid which had counted as dead, while the payout has another fate. */
  report(tx: Tx, paid: PaidTransfer): Promise<unknown>
  /** Makes payouts due, whose transactions have ended. */
  expedite(tx: Tx, payouts: readonly { organizationId: string; payoutId: string }[]): Promise<void>
  onFailure(error: unknown): void
}

export type PaidTransfer = { reference: string; signature: string; amount: bigint; slot: bigint }

const mostTransfers = 500
/** Real seconds without a trace before a transaction is broadcast anew. */
const restlessSeconds = 2

/**
 * Asks anew about transactions that died lately. Looks after open ones: ends those that are in a final block, and sends
 * the same bytes again while no node knows them. Every step may run twice, in two workers. Answers how many it ended.
 */
export async function keepUp(deps: UpkeepDeps): Promise<number> {
  const { database, node, sender } = deps
  await findRevived(deps, await deaths.takeDoubtful(database, mostTransfers))
  const open = await store.readOpen(database, mostTransfers)
  if (open.length === 0) return 0
  const statuses = await node.statuses(open.map(({ signature }) => signature as string))
  const stateOf = (at: number) => statuses[at]?.state
  const ended = await settle(
    deps,
    open.filter((_, at) => stateOf(at) === 'FINAL'),
  )
  const unknown = open.filter(
    (transfer, at) => stateOf(at) === 'UNKNOWN' && (transfer.sends === 0 || transfer.idleSeconds >= restlessSeconds),
  )
  if (unknown.length === 0) return ended
  const height = await node.finalHeight()
  for (const transfer of unknown.filter(({ lastValidBlockHeight }) => height > BigInt(lastValidBlockHeight))) {
    await bury(deps, transfer).catch(deps.onFailure)
  }
  // A worker that has just committed its bytes sends them itself, unless it has died.
  const lost = unknown.filter(
    ({ lastValidBlockHeight, isCommitted, isAwaited, idleSeconds }) =>
      height <= BigInt(lastValidBlockHeight) && isCommitted && isAwaited && idleSeconds >= 1,
  )
  await sender.send(lost.flatMap((transfer) => store.signedTransferOf(transfer) ?? []))
  return ended
}

/** Records the proof of a transaction's death, and lets the payout be asked about. */
async function bury(deps: UpkeepDeps, transfer: store.Transfer): Promise<void> {
  if (!(await findDeath(deps, transfer))) return
  const { organizationId, reference: payoutId } = transfer
  await deps.database.inTx((tx) => deps.expedite(tx, [{ organizationId, payoutId }]))
}

/** Ends transactions that are in final blocks: their fees are booked once, and their payouts become due. */
async function settle(deps: UpkeepDeps, final: readonly store.Transfer[]): Promise<number> {
  if (final.length === 0) return 0
  const { database, node, onPoint } = deps
  const read = await node.transactions(
    final.map(({ signature }) => signature as string),
    'finalized',
  )
  // A node that does not have the transaction yet is asked in the next turn.
  const endings = final.flatMap((transfer, at) => {
    const transaction = read[at]
    return transaction ? [{ transfer, ending: endingOf(transfer, transaction) }] : []
  })
  if (endings.length === 0) return 0
  const settled = await database.inTx(async (tx) => {
    const ended = await store.settleTransfers(
      tx,
      endings.map(({ ending }) => ending),
    )
    const isEnded = new Set(ended.map(({ transferId }) => transferId))
    const own = endings.filter(({ ending }) => isEnded.has(ending.transferId))
    await deps.bookGas(
      tx,
      own.map(({ transfer, ending: { fee, rent, slot } }) => ({
        network: node.network,
        hash: transfer.signature as string,
        block: blockOf({ slot }),
        gasCost: fee + rent,
      })),
    )
    await deps.expedite(tx, ended)
    for (const { transfer, ending } of own.filter((each) => each.transfer.wasDead && each.ending.isSuccessful)) {
      const { reference, signature, value, transferId } = transfer
      // The next attempt of its payout takes it as its own.
      if (await deaths.isSole(tx, transferId)) continue
      await deps.report(tx, {
        reference,
        signature: signature as string,
        amount: BigInt(value ?? 0),
        slot: ending.slot,
      })
      deps.onFailure(new Error(`transaction ${signature} was proven dead, and paid payout ${reference} all the same`))
    }
    return ended.length
  })
  onPoint('nonces settled')
  // Afterwards, because the scanner keeps these rows locked while it records, and payouts must not wait for it.
  const owners = endings.flatMap(({ transfer: { from, to } }) => [from, to].filter((each) => each !== null))
  await store.touchAccounts(database, [...new Set(owners)]).catch(deps.onFailure)
  return settled
}
