import type { TokenAsset } from '../../catalog/currencies.ts'
import type { CustodyService } from '../../custody/service.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database } from '../../db/database.ts'
import { addressWord, selectorOf, toHex } from '../../lib/evm/words.ts'
import { newId } from '../../lib/ids.ts'
import type { Declined, PayoutOrder, Preparation, PreparedBatch } from '../../transactions/payouts/rail.ts'
import type { BlockRef, ChainNode } from '../node.ts'
import { decline, postponed, refusedSeconds } from '../preparation/declined.ts'
import { chooseTreasuries, type TreasuryDeps } from '../preparation/treasury.ts'
import { type SignedTransfer, writeBatch } from './authorization.ts'
import * as store from './authorization-store.ts'
import { waitFor } from './wait.ts'

export type PreparationDeps = {
  database: Database
  node: ChainNode
  custody: Pick<CustodyService, 'findServiceAddress' | 'listTreasuries'>
  contractOf(asset: TokenAsset): string
  readFinal(): Promise<BlockRef>
  /** Gas costs more than the cap. */
  isTooExpensive: boolean
  onPoint(point: string): void
}

/**
 * Asks the signer for the authorizations of orders, and waits for its decisions. Nothing leaves. Authorizations that
 * were signed before are committed in any case: while they are valid, the signer signs no others.
 */
export async function prepareTransfers(
  deps: PreparationDeps,
  orders: readonly PayoutOrder[],
  signal: AbortSignal,
): Promise<Preparation> {
  const { database } = deps
  const { now } = await readClock(database)
  const kept = await findKept(deps, orders, now)
  const missing = orders.filter(({ reference }) => !kept.has(reference))
  const obstacle = await findObstacle(deps)
  if (obstacle !== undefined) {
    const signed = new Map([...kept].flatMap(([key, each]) => (store.signedTransferOf(each) ? [[key, each]] : [])))
    const declined = orders.filter(({ reference }) => !signed.has(reference))
    const batches = [...signed.values()]
      .flatMap((each) => store.signedTransferOf(each) ?? [])
      .map((each) => toBatch([each]))
    return { batches, declined: declined.map(postponed(now, refusedSeconds, obstacle)) }
  }
  const asked = await ask(deps, missing)
  const ids = [...[...kept.values()].map(({ authorizationId }) => authorizationId), ...asked]
  const decided = await waitFor(signal, async () =>
    (await store.areDecided(database, ids)) ? store.readTransfers(database, ids) : undefined,
  )
  deps.onPoint('transfers signed')
  const fresh: SignedTransfer[] = []
  const older: SignedTransfer[] = []
  const declined: Declined[] = []
  for (const order of orders) {
    const decision = decided.find(({ reference }) => reference === order.reference)
    const transfer = decision && signedTransferOf(decision)
    if (transfer) (kept.has(order.reference) ? older : fresh).push(transfer)
    else declined.push(decline(order, now, decision?.problem ?? 'the signer did not decide'))
  }
  // An earlier authorization ends sooner, and must not shorten the others.
  const batches = [fresh, ...older.map((transfer) => [transfer])].filter(({ length }) => length > 0).map(toBatch)
  return { batches, declined }
}

const { signedTransferOf } = store

async function findObstacle(deps: PreparationDeps): Promise<string | undefined> {
  const { database, node, custody, isTooExpensive } = deps
  if (await store.isSigningStopped(database)) return 'signing is stopped'
  const relayer = await custody.findServiceAddress('EVM', 'RELAYER')
  // Each attempt would only use another nonce, and expire.
  if (relayer !== undefined && (await store.lacksCoins(database, node.network, relayer)))
    return 'the relayer has too few coins'
  return isTooExpensive ? 'gas costs more than the cap' : undefined
}

/** Finds authorizations that were asked for before a crash, and that still have some time. */
async function findKept(
  { database }: PreparationDeps,
  orders: readonly PayoutOrder[],
  now: Date,
): Promise<Map<string, store.DecidedTransfer>> {
  const found = await store.findRequests(database, orders)
  const isUsable = (decided: store.DecidedTransfer) => {
    const order = orders.find(({ reference }) => reference === decided.reference)
    const end = Number(decided.validBefore) * 1_000
    return order !== undefined && end <= order.notAfter.getTime() && end > now.getTime() && isFor(order, decided)
  }
  return new Map(found.filter(isUsable).map((each) => [each.reference, each]))
}

/** True for an authorization of exactly this order. The treasury that receives may be another one since. */
function isFor({ amount, destination }: PayoutOrder, decided: store.DecidedTransfer): boolean {
  const transfer = signedTransferOf(decided)
  if (!transfer) return true
  const isReceiver = destination.type === 'ADDRESS' && destination.address.toLowerCase() === transfer.to.toLowerCase()
  return isReceiver && transfer.value === amount
}

async function ask(deps: PreparationDeps, orders: readonly PayoutOrder[]): Promise<string[]> {
  if (orders.length === 0) return []
  const { database, node, custody, contractOf } = deps
  const final = await deps.readFinal()
  const fromTreasury = orders.filter(({ from }) => from.type === 'TREASURY')
  const references = fromTreasury.map(({ reference }) => reference)
  const senders: ReadonlyMap<string, string> =
    references.length > 0 ? await store.findSenders(database, references) : new Map()
  const choice: TreasuryDeps = {
    database,
    kind: 'EVM',
    custody,
    readBalances: (asset, addresses) => {
      const contract = contractOf(asset as TokenAsset)
      return Promise.all(addresses.map((address) => readTokenBalance(node, contract, address, final)))
    },
    sumPromised: (tx, asset, addresses) => store.sumPromised(tx, { asset, addresses, final }),
  }
  const ids = new Map(orders.map(({ reference }) => [reference, newId()]))
  const withSenders = fromTreasury.map((order) => ({ ...order, sender: senders.get(order.reference) }))
  await chooseTreasuries(choice, withSenders, (queryable, treasuries) => {
    const requests = orders.map(
      ({ reference, attempt, notAfter }): store.TransferRequest => ({
        authorizationId: ids.get(reference) as string,
        reference,
        attempt,
        treasuryAddress: treasuries.get(reference) ?? null,
        validBefore: BigInt(Math.floor(notAfter.getTime() / 1_000)),
      }),
    )
    return store.insertRequests(queryable, requests, final.number)
  })
  return [...ids.values()]
}

const balanceSelector = selectorOf('balanceOf(address)')

export async function readTokenBalance(
  node: ChainNode,
  contract: string,
  address: string,
  block: BlockRef,
): Promise<bigint> {
  const data = toHex(Buffer.concat([balanceSelector, addressWord(address)]))
  return BigInt(await node.call({ to: contract, data }, block))
}

function toBatch(transfers: readonly SignedTransfer[]): PreparedBatch {
  const until = transfers.map(({ validBefore }) => Number(validBefore) * 1_000)
  return {
    batchId: newId(),
    content: writeBatch(transfers),
    notAfter: new Date(Math.min(...until)),
    items: transfers.map(({ reference, authorizationId }) => ({ reference, key: authorizationId })),
  }
}
