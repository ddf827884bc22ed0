import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote } from '../../support/money/quotes.ts'
import { makePolicyWorld, pay, refusedBy, setRules } from '../../support/policies/policy-world.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { runSvc } from '../../support/runner/process.ts'

const { api, organizationId, toBank } = await makePolicyWorld()
const { folder, remove } = await makeFolder('svc policies ')
afterAll(remove)
const order = (verb: string, ...more: string[]) => runSvc(api, ['policies', verb, organizationId, ...more])
const reason = ['--reason', 'A test']
const set = async (rules: unknown) => {
  const file = path.join(folder, 'rules.json')
  await writeFile(file, JSON.stringify(rules))
  return order('set', '--rules', file, ...reason)
}

test('the operator halts the payouts of an organization, and no key of the organization ends the halt', async () => {
  expect((await order('halt', ...reason)).code).toBe(0)
  expect((await order('halt', ...reason)).code).toBe(1)
  await setRules(api, [])
  expect(await refusedBy(api, toBank('10'))).toBe('halt')
  expect((await api.get('/policies')).body.platformRules).toEqual([{ ruleId: 'halt', kind: 'KILL_SWITCH' }])
  expect((await order('resume', ...reason)).code).toBe(0)
  expect((await order('resume', ...reason)).code).toBe(1)
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('rules of the platform bind in addition, also under an id that the organization uses', async () => {
  const limit = { ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION' }
  expect((await set([{ ...limit, dayMax: '20.00' }])).code).toBe(0)
  await setRules(api, [{ ...limit, dayMax: '15.00' }])
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect(await refusedBy(api, toBank('6'))).toBe('day')
  await setRules(api, [])
  expect(await refusedBy(api, toBank('6'))).toBeUndefined()
  expect(await refusedBy(api, toBank('5'))).toBe('day')
  const shown = await order('show')
  expect([shown.code, shown.output]).toEqual([0, expect.stringContaining('"dayMax": "20.00"')])
})

test('rules of the platform for a parent bind its children, which keep counters of their own', async () => {
  const parent = await api.app.organizations.create({ name: 'Parent', tier: 'BUILDER', parentOrganizationId: null })
  await api.app.database.query({
    text: 'update svc.organizations set parent_organization_id = $2 where organization_id = $1',
    values: [organizationId, parent.organizationId],
  })
  await set([])
  const orderParent = (verb: string) => runSvc(api, ['policies', verb, parent.organizationId, ...reason])
  const waiting = await pay(api, toBank('10'))
  const { transactionId } = waiting.body
  expect((await orderParent('halt')).code).toBe(0)
  expect(await refusedBy(api, toBank('10'))).toBe('halt')
  expect((await api.get('/policies')).body.platformRules).toEqual([{ ruleId: 'halt', kind: 'KILL_SWITCH' }])
  const worker = await api.app.startWorker()
  await worker.stop()
  expect((await api.get(`/transactions/${transactionId}`)).body.transactionStatus).not.toBe('COMPLETED')
  expect((await orderParent('resume')).code).toBe(0)
  const limit = { ruleId: 'all', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '15.00' } as const
  await api.app.policies.replaceAsPlatform(parent.organizationId, { rules: [limit], reason: 'A test' })
  const { quoteId } = await createQuote(api, toBank('10'))
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect((await api.post('/policies/preview', { quoteId })).body).toMatchObject({
    outcome: 'REFUSE',
    rules: [{ ruleId: 'all', owner: 'PLATFORM', used: '10.00', limit: '15.00' }],
  })
  expect(await refusedBy(api, toBank('6'))).toBe('all')
  await api.app.policies.replaceAsPlatform(parent.organizationId, { rules: [], reason: 'A test' })
})

test('payments of two children of one parent in one batch have counters of their own', async () => {
  const { organizationId: parentId } = await api.app.organizations.create({
    name: 'Two',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const children = ['A', 'B'].map((name) =>
    api.app.organizations.create({ name, tier: 'BUILDER', parentOrganizationId: parentId }),
  )
  const ids = (await Promise.all(children)).map((child) => child.organizationId)
  const limit = { ruleId: 'each', kind: 'LIMIT', per: 'API_KEY', dayMax: '15.00' } as const
  await api.app.policies.replaceAsPlatform(parentId, { rules: [limit], reason: 'A test' })
  const [apiKeyId, accountId] = [newId(), newId()]
  const [weighed] = await api.app.database.query<{ counters: string[] }>({
    text: `select counters from svc.weigh_creations(array[null, null]::text[], $1, array[$2, $2]::uuid[], $1,
             array[$3, $3]::uuid[], '{ACH,ACH}', '{f,f}', '{1000,1000}', svc.now())`,
    values: [ids, apiKeyId, accountId],
  })
  expect(new Set(weighed?.counters).size).toBe(2)
})

test('the halt belongs to its own commands: a file of rules neither lifts nor imitates it', async () => {
  const limit = { ruleId: 'large', kind: 'LIMIT', per: 'ORGANIZATION', transactionMax: '900000.00' }
  const narrow = { ruleId: 'halt', kind: 'KILL_SWITCH', appliesTo: { networks: ['SOLANA'] } }
  expect(await set([limit, narrow])).toMatchObject({ code: 1, output: expect.stringContaining('rules[1].ruleId') })
  expect((await order('halt', ...reason)).code).toBe(0)
  expect(await set([limit])).toMatchObject({ code: 0, output: expect.stringContaining('halted') })
  expect(await refusedBy(api, toBank('10'))).toBe('halt')
  expect((await api.get('/policies')).body.platformRules).toEqual([{ ruleId: 'halt', kind: 'KILL_SWITCH' }, limit])
  // One that was set before its id was kept for the command halts nothing but SOLANA.
  await api.app.database.query({
    text: `update svc.policies set document = $2 where organization_id = $1 and owner = 'PLATFORM'`,
    values: [organizationId, JSON.stringify([narrow])],
  })
  expect((await order('halt', ...reason)).code).toBe(0)
  expect((await api.get('/policies')).body.platformRules).toEqual([{ ruleId: 'halt', kind: 'KILL_SWITCH' }])
  expect((await order('resume', ...reason)).code).toBe(0)
})

test('a command with rules that are not valid changes nothing, and says what is wrong', async () => {
  const before = (await api.get('/policies')).body
  for (const [rules, problem] of [
    [[{ ruleId: 'a', kind: 'NOTHING' }], 'rules[0].kind'],
    [[{ ruleId: 'a', kind: 'LIMIT', per: 'CUSTOMER' }], 'rules[0].dayMax'],
  ] as const)
    expect(await set(rules)).toMatchObject({ code: 1, output: expect.stringContaining(problem) })
  expect((await order('halt')).code).toBe(2)
  expect((await runSvc(api, ['policies', 'halt', newId(), ...reason])).code).toBe(1)
  expect((await api.get('/policies')).body).toEqual(before)
})
