import { type PaymentMethod, paymentMethods } from '../../../src/catalog/payment-methods.ts'
import { newId } from '../../../src/lib/ids.ts'
import { isOwnMovement } from '../../../src/transactions/payouts/payout.ts'
import type {
  Attempt,
  OrderFacts,
  PayoutOrder,
  Rail,
  RailAnswer,
  RailCall,
  SubmitOutcome,
} from '../../../src/transactions/payouts/rail.ts'

/** A rail for all methods in two functions: how it takes an order, and what it answers. */
export type TestRail = {
  send(order: PayoutOrder, call: RailCall): Promise<SubmitOutcome>
  ask(order: OrderFacts, attempts: readonly Attempt[]): Promise<RailAnswer>
  prepare?: Rail['prepare']
  /** Gets the collections of our treasury as well. */
  isForCollections?: boolean
}

export const allMethods = Object.keys(paymentMethods) as PaymentMethod[]

/** Completes a test rail. Each order is a batch of its own. Tokens that our treasury collects arrive at once. */
export function makeTestRail({ send, ask, prepare, isForCollections = false }: TestRail): Rail {
  const isCollected = (order: OrderFacts) => isOwnMovement(order) && !isForCollections
  const orders = new Map<string, PayoutOrder>()
  const prepareAlone: Rail['prepare'] = async (wanted) => ({
    batches: wanted.map((order) => {
      const batchId = newId()
      orders.set(batchId, order)
      const { reference, notAfter } = order
      return { batchId, content: Buffer.from(reference), notAfter, items: [{ reference, key: batchId }] }
    }),
    declined: [],
  })
  return {
    name: 'test rail',
    methods: allMethods,
    capabilities: { batchSize: 1, validSeconds: 10 },
    prepare: prepare ?? prepareAlone,
    submit: async ({ batchId }, call) => {
      const order = orders.get(batchId)
      if (!order) throw new Error(`batch ${batchId} was not prepared`)
      return [isCollected(order) ? { outcome: 'ACCEPTED' } : await send(order, call)]
    },
    ask: async (order, attempts) =>
      isCollected(order) ? confirmedAs(`collected-${order.reference}`, order.amount) : ask(order, attempts),
  }
}

export const confirmedAs = (externalReference: string, amount: bigint): RailAnswer => ({
  state: 'CONFIRMED',
  externalReference,
  amount,
  costs: [],
  returns: [],
})

/** Serves all lanes of a payout service once; answers how many payouts were due. */
export async function payDue(
  { lanes }: { lanes: readonly { payDue(limit: number, leaseMs: number): Promise<number> }[] },
  limit: number,
  leaseMs: number,
): Promise<number> {
  const counts = await Promise.all(lanes.map((lane) => lane.payDue(limit, leaseMs)))
  return counts.reduce((sum, count) => sum + count, 0)
}
