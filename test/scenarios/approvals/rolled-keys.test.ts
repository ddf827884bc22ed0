import { expect, test } from 'vitest'
import type { Scope } from '../../../src/lib/caller.ts'
import {
  createHeld,
  type Demand,
  decideAs,
  demandApprovals,
  type Key,
  makePeople,
} from '../../support/money/approvals.ts'
import { startMoney } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { creditWallet, readTransaction } from '../../support/money/transactions.ts'
import { setRules } from '../../support/policies/policy-world.ts'
import { makeRuleHands } from '../../support/rules/rule-hands.ts'
import { createRule, madeBy, runsOf } from '../../support/rules/rules.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'

/** A roll gives a person another key, and that person has seen the keys that the rolled one created. */
const money = await startMoney()
const { api, offRamp, organizationId } = money
const { maker, ann } = await makePeople(api)
const decide: Scope[] = ['approvals:read', 'approvals:write']
const pay = [...maker.scopes] as Scope[]

const held = (by: Key, demand: Demand = {}) => createHeld(money, by, offRamp, demand)
const roll = async ({ apiKeyId }: Key, { apiKey }: Pick<Key, 'apiKey'>): Promise<Key> => {
  const rolled = await api.post(`/api-keys/${apiKeyId}/roll`, { overlap: 'PT24H' }, { apiKey })
  expect(rolled.status).toBe(200)
  return rolled.body as Key
}
const rollItself = (key: Key): Promise<Key> => roll(key, key)
/** A key, and one that it created. */
async function makePair(scopes: Scope[] = pay): Promise<{ parent: Key; child: Key }> {
  const parent = await createKey(api, { name: 'Parent', scopes })
  return { parent, child: await createKey(api, { name: 'Child', scopes: scopes }, parent) }
}
const statusOf = async (key: Key, approval: { approvalId: string }) => (await decideAs(api, key, approval)).status

test.each(['itself', 'by another key'])(
  'a child of the key that was rolled %s decides nothing of the successor',
  async (how) => {
    const { parent, child } = await makePair()
    const successor = await roll(parent, how === 'itself' ? parent : api)
    const approval = await held(successor, { approvers: [child.apiKeyId, ann.apiKeyId] })
    expect(await statusOf(child, approval)).toBe(403)
    expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
  },
)

test('the successor of a key decides nothing that a child of the key made, also after two rolls of both', async () => {
  const { parent, child } = await makePair()
  const approval = await held(child)
  const last = await rollItself(await rollItself(parent))
  expect(await statusOf(last, approval)).toBe(403)
  const lastChild = await rollItself(await rollItself(child))
  expect(await statusOf(last, await held(lastChild))).toBe(403)
  expect(await statusOf(lastChild, await held(last))).toBe(403)
})

test('the revocation of the rolled key changes nothing', async () => {
  const { parent, child } = await makePair()
  const successor = await rollItself(parent)
  await api.delete(`/api-keys/${parent.apiKeyId}`)
  expect(await statusOf(child, await held(successor))).toBe(403)
})

test('a successor whose answer was lost, and that paid before it was replaced, is the same person', async () => {
  const { parent, child } = await makePair()
  const lost = await rollItself(parent)
  const approval = await held(lost)
  // As in the seconds before its use is written.
  await api.app.credentials.recordUses()
  await api.app.database.query({
    text: 'update svc.api_keys set last_used_at = null where organization_id = $1 and api_key_id = $2',
    values: [organizationId, lost.apiKeyId],
  })
  await rollItself(parent)
  expect(await statusOf(child, approval)).toBe(403)
})

test('two keys of a rolled creator decide about each other, also after rolls of their own', async () => {
  const { parent, child } = await makePair()
  const sibling = await createKey(api, { name: 'Sibling', scopes: pay }, parent)
  await rollItself(parent)
  const [one, other] = [await rollItself(child), await rollItself(sibling)]
  expect((await decideAs(api, other, await held(one))).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('a successor and a child of the rolled key have one vote, in either order', async () => {
  const { parent, child } = await makePair([...decide, 'api_keys:write'])
  const successor = await rollItself(parent)
  const approvers = [parent, child, ann].map(({ apiKeyId }) => apiKeyId)
  for (const [early, late] of [
    [successor, child],
    [child, successor],
  ] as const) {
    const approval = await held(maker, { approvals: 2, approvers })
    expect((await decideAs(api, early, approval)).body).toMatchObject({ approvalStatus: 'OPEN' })
    expect(await statusOf(late, approval)).toBe(409)
    expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
  }
})

test('a child of the rolled key decides nothing of the automation rule that followed the successor', async () => {
  const { parent, child } = await makePair()
  const wallet = (await createAccount(api, serviceWalletOf(offRamp.customerId, 'EVM'))).paymentAccountId
  const rule = await createRule(actingWith(api, parent.apiKey), {
    customerId: offRamp.customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [money.bank, 'USD', 'ACH'],
    amount: ['PCT', '100'],
    threshold: '10',
  })
  await rollItself(parent)
  await demandApprovals(api)
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000n })
  await makeRuleHands(api.app)().carryOut()
  await setRules(api, [])
  const { approval } = await readTransaction(api, madeBy((await runsOf(api, rule))[0]))
  if (!approval) throw new Error('the transaction waits for no approval')
  expect(await statusOf(child, approval)).toBe(403)
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})
