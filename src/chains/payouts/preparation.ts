import type { TokenAsset } from '../../catalog/currencies.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database } from '../../db/database.ts'
import { addressWord, selectorOf, toHex } from '../../lib/evm/words.ts'
import { newId } from '../../lib/ids.ts'
import type { Declined, PayoutOrder, Preparation, PreparedBatch } from '../../transactions/payouts/rail.ts'
import type { BlockRef, ChainNode } from '../node.ts'
import { type SignedTransfer, writeBatch } from './authorization.ts'
import * as store from './authorization-store.ts'
import { waitFor } from './wait.ts'

export type PreparationDeps = {
  database: Database
  node: ChainNode
  contractOf(asset: TokenAsset): string
  readFinal(): Promise<BlockRef>
  onPoint(point: string): void
}

/** A limit of the signer frees itself within the hour, or an operator raises it. */
const limitedSeconds = 300
const refusedSeconds = 60

/** Asks the signer for the authorizations of orders, and waits for its decisions. Nothing leaves. */
export async function prepareTransfers(
  deps: PreparationDeps,
  orders: readonly PayoutOrder[],
  signal: AbortSignal,
): Promise<Preparation> {
  const { database } = deps
  const { now } = await readClock(database)
  if (await store.isSigningStopped(database)) {
    return { batches: [], declined: orders.map(postponed(now, refusedSeconds, 'signing is stopped')) }
  }
  const kept = await findKept(deps, orders, now)
  const missing = orders.filter(({ reference }) => !kept.has(reference))
  const asked = await ask(deps, missing)
  const ids = [...[...kept.values()].map(({ authorizationId }) => authorizationId), ...asked]
  const decided = await waitFor(signal, async () => {
    const read = await store.readTransfers(database, ids)
    return read.every(({ signature, problem }) => signature !== null || problem !== null) ? read : undefined
  })
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

/** Finds authorizations that were asked for before a crash, and that still have some time. */
async function findKept(
  { database }: PreparationDeps,
  orders: readonly PayoutOrder[],
  now: Date,
): Promise<Map<string, store.DecidedTransfer>> {
  const found = await store.findRequests(database, orders)
  const isUsable = ({ reference, validBefore }: store.DecidedTransfer) => {
    const order = orders.find((each) => each.reference === reference)
    const end = Number(validBefore) * 1_000
    return order !== undefined && end <= order.notAfter.getTime() && end > now.getTime()
  }
  return new Map(found.filter(isUsable).map((each) => [each.reference, each]))
}

async function ask(deps: PreparationDeps, orders: readonly PayoutOrder[]): Promise<string[]> {
  if (orders.length === 0) return []
  const final = await deps.readFinal()
  const requests: store.TransferRequest[] = []
  for (const order of orders) {
    const { reference, attempt, notAfter, from } = order
    const treasuryAddress = from.type === 'TREASURY' ? await chooseTreasury(deps, order, final) : null
    const validBefore = BigInt(Math.floor(notAfter.getTime() / 1_000))
    requests.push({ authorizationId: newId(), reference, attempt, treasuryAddress, validBefore })
  }
  await store.insertRequests(deps.database, requests, final.number)
  return requests.map(({ authorizationId }) => authorizationId)
}

/** Chooses the treasury in use, or a former one that holds the tokens: an imported seed begins with an empty address. */
async function chooseTreasury(
  { database, node, contractOf }: PreparationDeps,
  { asset, amount }: PayoutOrder,
  final: BlockRef,
): Promise<string> {
  const contract = contractOf(asset as TokenAsset)
  const treasuries = await store.listTreasuries(database, contract)
  const [inUse] = treasuries
  if (!inUse) throw new Error('the signer has published no treasury yet')
  if (treasuries.length === 1) return inUse.address
  for (const { address, promised } of treasuries) {
    if ((await readTokenBalance(node, contract, address, final)) - BigInt(promised) >= amount) return address
  }
  return inUse.address
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

function decline(order: PayoutOrder, now: Date, problem: string): Declined {
  const seconds = problem.startsWith('LIMIT_') ? limitedSeconds : refusedSeconds
  return postponed(now, seconds, `the signer refuses: ${problem}`)(order)
}

function postponed(now: Date, seconds: number, why: string) {
  const until = new Date(now.getTime() + seconds * 1_000)
  return ({ reference }: PayoutOrder): Declined => ({ reference, outcome: 'NOT_NOW', until, why })
}
