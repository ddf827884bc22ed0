import { expect } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { setRules } from '../policies/policy-world.ts'
import type { BodyOf } from '../runner/answers.ts'
import { type CallOptions, createKey, type TestApi } from '../runner/api.ts'
import type { Money } from './money-stories.ts'
import { createQuote, type QuoteWish } from './quotes.ts'
import type { Transaction } from './transactions.ts'

export type Approval = BodyOf<'GET /approvals/{approvalId}'>
export type Key = Awaited<ReturnType<typeof createKey>>

const decide = ['approvals:read', 'approvals:write']
const make = ['transactions:write', 'automation_rules:write', 'api_keys:read', 'api_keys:write', ...decide]

/** Keys of different people: the first makes transactions, the others decide. The first key of the service led to all. */
export async function makePeople(api: TestApi): Promise<{ maker: Key; ann: Key; ben: Key; cem: Key }> {
  const maker = await createKey(api, { name: 'Maker', scopes: make })
  const [ann, ben, cem] = [
    await createKey(api, { name: 'Ann', scopes: decide }),
    await createKey(api, { name: 'Ben', scopes: decide }),
    await createKey(api, { name: 'Cem', scopes: decide }),
  ]
  return { maker, ann, ben, cem }
}

export type Demand = { approvals?: number; approvers?: readonly string[]; expiresInHours?: number }

/** Sets the policy: payments above 5 USD need approvals. */
export async function demandApprovals(
  api: TestApi,
  { approvals = 1, approvers, expiresInHours = 24 }: Demand = {},
): Promise<void> {
  const terms = { above: '5.00', approvals, expiresInHours, ...(approvers ? { approvers } : {}) }
  await setRules(api, [{ ruleId: 'large', kind: 'APPROVAL', ...terms }])
}

/** Creates a transaction of this key. */
export async function createAs(api: TestApi, { apiKey }: Key, wish: QuoteWish): Promise<Transaction> {
  const { quoteId } = await createQuote(api, wish)
  const answer = await api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() }, apiKey })
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  return answer.body
}

/** Creates a transaction that waits for an approval. Later transactions need none. */
export async function createHeld(
  { api }: Pick<Money, 'api'>,
  maker: Key,
  wish: QuoteWish,
  demand: Demand = {},
): Promise<Transaction & { approvalId: string }> {
  await demandApprovals(api, demand)
  const created = await createAs(api, maker, wish)
  await setRules(api, [])
  const approvalId = created.approval?.approvalId
  if (approvalId === undefined) throw new Error('the transaction waits for no approval')
  return { ...created, approvalId }
}

export const decideAs = (
  api: TestApi,
  { apiKey }: Pick<Key, 'apiKey'>,
  { approvalId }: { approvalId: string },
  decision: 'APPROVE' | 'REFUSE' = 'APPROVE',
  options: CallOptions = {},
) => api.post(`/approvals/${approvalId}/decision`, { decision, reason: 'a test' }, { apiKey, ...options })

export async function readApproval(api: TestApi, { approvalId }: { approvalId: string }): Promise<Approval> {
  return (await api.get(`/approvals/${approvalId}`)).body
}
