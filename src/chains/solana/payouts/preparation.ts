import type { TokenAsset } from '../../../catalog/currencies.ts'
import type { CustodyService } from '../../../custody/service.ts'
import { readClock } from '../../../db/business-clock.ts'
import type { Database } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import { programs } from '../../../lib/solana/programs.ts'
import { associatedAccountOf } from '../../../lib/solana/token-account.ts'
import { createsAccountFor } from '../../../lib/solana/transfer.ts'
import type { Declined, PayoutOrder, Preparation, PreparedBatch } from '../../../transactions/payouts/rail.ts'
import { isSigningStopped } from '../../payouts/authorization-store.ts'
import { waitFor } from '../../payouts/wait.ts'
import { decline, postponed, refusedSeconds } from '../../preparation/declined.ts'
import { chooseTreasuries, type TreasuryDeps } from '../../preparation/treasury.ts'
import type { SolanaAccount, SolanaNode } from '../node.ts'
import { balanceIn } from '../scanner/read.ts'
import { findDeath, findRevived, isOver } from './evidence.ts'
import { choosePriority, type PriorityBounds } from './priority.ts'
import * as store from './store.ts'
import { type SignedTransfer, writeBatch } from './transfer.ts'

export type PreparationDeps = {
  database: Database
  node: SolanaNode
  custody: Pick<CustodyService, 'listTreasuries'>
  mintOf(asset: TokenAsset): string
  findRelayer(): Promise<string>
  priority: PriorityBounds
  onPoint(point: string): void
}

/** A receiver without a token account opens one by hand. */
const homelessSeconds = 3_600
/** An earlier transaction dies within a minute or two. */
const dyingSeconds = 5
/** The blocks that must be left to a transaction that was signed earlier. */
const leastBlocks = 30n

/**
 * Asks the signer for the transactions of orders, and waits for its decisions. Nothing leaves. A transaction that was
 * signed before and never committed is used while it has time; the next one is signed only when it is proven dead.
 */
export async function prepareTransfers(
  deps: PreparationDeps,
  orders: readonly PayoutOrder[],
  signal: AbortSignal,
): Promise<Preparation> {
  const { database } = deps
  const { now } = await readClock(database)
  const isStopped = await isSigningStopped(database)
  const declined: Declined[] = []
  const missing: PayoutOrder[] = []
  const kept: string[] = []
  const earlier = Map.groupBy(
    await store.readTransfersOf(
      database,
      orders.map(({ reference }) => reference),
    ),
    ({ reference }) => reference,
  )
  // One question for all orders: a call must end within seconds.
  const height = earlier.size > 0 ? await deps.node.finalHeight() : 0n
  const paying = await findPaying(deps, [...earlier.values()].flat())
  for (const order of orders) {
    const earlierId = paying.get(order.reference)
    if (earlierId !== undefined) {
      kept.push(earlierId)
      continue
    }
    const found = await findKept(deps, earlier.get(order.reference) ?? [], height)
    if (typeof found === 'object') kept.push(found.transferId)
    else if (found === 'DYING')
      declined.push(postponed(now, dyingSeconds, 'an earlier transaction may still pay')(order))
    else if (isStopped) declined.push(postponed(now, refusedSeconds, 'signing is stopped')(order))
    else missing.push(order)
  }
  const homeless = await findHomeless(deps, missing)
  declined.push(
    ...homeless.map(postponed(now, homelessSeconds, 'the receiver has no token account, and must open one')),
  )
  const asked = missing.filter((order) => !homeless.includes(order))
  const ids = [...kept, ...(await ask(deps, asked))]
  const decided = await waitFor(signal, async () =>
    (await store.areDecided(database, ids)) ? store.readTransfers(database, ids) : undefined,
  )
  deps.onPoint('transfers signed')
  const signed: SignedTransfer[] = []
  for (const order of orders.filter(({ reference }) => !declined.some((each) => each.reference === reference))) {
    const decision = decided.find(({ reference }) => reference === order.reference)
    const transfer = decision && store.signedTransferOf(decision)
    if (transfer) signed.push(transfer)
    else declined.push(decline(order, now, decision?.problem ?? 'the signer did not decide'))
  }
  const notAfter = new Date(Math.min(...orders.map((order) => order.notAfter.getTime())))
  return { batches: signed.length > 0 ? [toBatch(signed, notAfter)] : [], declined }
}

/**
 * Looks once more, before another transaction is signed, for those that were proven dead. Answers one that is in a block
 * after all for its payout, or one that has paid: the next attempt has the same bytes, which pay once, and its outcome is
 * theirs.
 */
async function findPaying(deps: PreparationDeps, transfers: readonly store.Transfer[]) {
  const revived = await findRevived(deps, transfers)
  const paid = transfers.filter(
    ({ state, isSuccessful, wasDead }) => wasDead && (state === 'OPEN' || (state === 'FINAL' && isSuccessful)),
  )
  return new Map([...revived, ...paid].map(({ reference, transferId }) => [reference, transferId]))
}

/** Finds the transaction of an earlier call that the worker can still commit. DYING: one that may still pay. */
async function findKept(
  deps: PreparationDeps,
  transfers: readonly store.Transfer[],
  height: bigint,
): Promise<store.Transfer | 'DYING' | undefined> {
  for (const transfer of transfers) {
    if (isOver(transfer)) continue
    if (transfer.raw === null) return transfer
    if (transfer.state === 'FINAL' || transfer.isCommitted) return 'DYING'
    if (height + leastBlocks <= BigInt(transfer.lastValidBlockHeight)) return transfer
    if (!(await findDeath(deps, transfer))) return 'DYING'
  }
  return undefined
}

/** Finds what goes back to a sender without a token account: we pay for none. */
async function findHomeless({ node, mintOf }: PreparationDeps, orders: readonly PayoutOrder[]): Promise<PayoutOrder[]> {
  const returned = orders.flatMap((order) =>
    order.destination.type === 'ADDRESS' && !createsAccountFor(order.purpose)
      ? [{ order, account: associatedAccountOf(order.destination.address, mintOf(order.asset as TokenAsset)) }]
      : [],
  )
  if (returned.length === 0) return []
  const { finalized } = await node.slots()
  const states = await node.accounts(
    returned.map(({ account }) => account),
    { commitment: 'finalized', minSlot: finalized },
  )
  // Lamports at the address of a token account make no token account of it.
  const isMissing = (state: SolanaAccount | undefined) => state === undefined || state.program === programs.system
  return returned.filter((_, at) => isMissing(states[at])).map(({ order }) => order)
}

async function ask(deps: PreparationDeps, orders: readonly PayoutOrder[]): Promise<string[]> {
  if (orders.length === 0) return []
  const { database, node, custody, priority, mintOf } = deps
  const relayer = await deps.findRelayer()
  const { finalized: minSlot } = await node.slots()
  const recent = await node.priorityFees([relayer])
  const choice: TreasuryDeps = {
    database,
    kind: 'SOLANA',
    custody,
    readBalances: async (asset, addresses) => {
      const mint = mintOf(asset as TokenAsset)
      const accounts = addresses.map((address) => associatedAccountOf(address, mint))
      const states = await node.accounts(accounts, { commitment: 'finalized', minSlot })
      return addresses.map((owner, at) => balanceIn({ owner }, mint, states[at]))
    },
    sumPromised: (tx, asset, addresses) => store.sumPromised(tx, { asset, addresses, upToSlot: minSlot }),
  }
  const ids = new Map(orders.map(({ reference }) => [reference, newId()]))
  const { blockhash, lastValidBlockHeight } = await node.latestBlockhash()
  const fromTreasury = orders.filter(({ from }) => from.type === 'TREASURY')
  await chooseTreasuries(choice, fromTreasury, (queryable, treasuries) => {
    const requests = orders.map(
      ({ reference, attempt }): store.TransferRequest => ({
        transferId: ids.get(reference) as string,
        reference,
        attempt,
        treasuryAddress: treasuries.get(reference) ?? null,
        relayer,
        blockhash,
        lastValidBlockHeight,
        computeUnitPrice: choosePriority(recent, attempt, priority),
      }),
    )
    return store.insertRequests(queryable, requests)
  })
  return [...ids.values()]
}

function toBatch(transfers: readonly SignedTransfer[], notAfter: Date): PreparedBatch {
  return {
    batchId: newId(),
    content: writeBatch(transfers),
    notAfter,
    items: transfers.map(({ reference, transferId }) => ({ reference, key: transferId })),
  }
}
