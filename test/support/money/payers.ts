import { expect } from 'vitest'
import type { BodyOf } from '../runner/answers.ts'
import { seed } from '../runner/form.ts'
import type { Money } from './money-stories.ts'
import { createQuote } from './quotes.ts'

export type Order = { quoteId: string; key: string; correlationId: string }

/** The client's own history: acknowledged orders, and orders with an unknown outcome. */
export type History = { acknowledged: Map<Order, string>; unknown: Set<Order> }

/** Creates orders, each with its quote and its key. */
export async function makeOrders({ api, offRamp }: Money, name: string, count: number): Promise<Order[]> {
  const orders: Order[] = []
  const make = async () => {
    const { quoteId } = await createQuote(api, offRamp)
    const at = orders.length
    orders.push({ quoteId, key: `${name} ${at}`, correlationId: `${name} ${at}` })
  }
  // No more at once than a database that syncs to disk can take.
  while (orders.length < count) await Promise.all(Array.from({ length: Math.min(16, count - orders.length) }, make))
  return orders
}

export function order(baseUrl: string, apiKey: string, { quoteId, key, correlationId }: Order): Promise<Response> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'x-idempotency-key': key,
  }
  return fetch(`${baseUrl}/transactions`, { method: 'POST', headers, body: JSON.stringify({ quoteId, correlationId }) })
}

/** Sends the orders concurrently and records the answers. 503 and 409 do not say whether an order was committed. */
export async function orderAll(
  baseUrl: string,
  apiKey: string,
  orders: readonly Order[],
  history: History = { acknowledged: new Map(), unknown: new Set() },
  callers = 16,
): Promise<History> {
  const left = [...orders]
  const call = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const answer = await order(baseUrl, apiKey, next)
        .then(async (response) => ({
          status: response.status,
          body: (await response.json()) as BodyOf<'POST /transactions'>,
        }))
        .catch(() => undefined)
      if (answer && ![201, 409, 503].includes(answer.status)) throw new Error(`seed ${seed}: answered ${answer.status}`)
      if (answer?.status === 201) history.acknowledged.set(next, answer.body.transactionId)
      else history.unknown.add(next)
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return history
}

/** The transactions of each order. */
export async function findOrders({ rows }: Money, name: string): Promise<Map<string, string[]>> {
  const found = await rows<{ correlationId: string; ids: string[] }>(
    `select correlation_id as "correlationId", array_agg(transaction_id::text) as ids from svc.transactions
      where correlation_id like '${name} %' group by correlation_id`,
  )
  return new Map(found.map(({ correlationId, ids }) => [correlationId, ids]))
}

/** Expects acknowledged orders in the database, and each unknown order exactly once after a retry with its key. */
export async function resolveUnknown(money: Money, name: string, { acknowledged, unknown }: History): Promise<void> {
  const { api } = money
  const before = await findOrders(money, name)
  for (const [{ correlationId }, id] of acknowledged) {
    expect([correlationId, before.get(correlationId)], `seed ${seed}`).toEqual([correlationId, [id]])
  }
  for (const each of unknown) {
    const again = async () => (await order(api.baseUrl, api.apiKey, each)).status
    await expect.poll(again).toBe(201)
  }
  const after = await findOrders(money, name)
  expect(after.size).toBe(acknowledged.size + unknown.size)
  expect(
    [...after.values()].filter(({ length }) => length !== 1),
    `seed ${seed}`,
  ).toEqual([])
}
