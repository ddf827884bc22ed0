import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'
import { createRule, makeRuleStory, toNextMinute, waitForRuns } from '../../support/rules/rules.ts'
import { createKey } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const api = await startWithWorkers()
afterAll(api.stop)
await api.post('/sandbox/clock', { freeze: true })
const { everyMinute, reaching } = await makeRuleStory(api, '100.000000')
const rule = await createRule(api, everyMinute('FLAT', '1'))
const waiting = await createRule(api, reaching('1000', 'FLAT', '1'))
await toNextMinute(api)
await waitForRuns(api, rule, [{ runStatus: 'EXECUTED' }])
const run = `rule_id = '${rule.id}'`
const watch = `rule_id = '${waiting.id}'`

const once = 'a rule has at most one run for each minute of its schedule'
const taken = 'no PENDING run is overdue'
const fits = 'an EXECUTED run has a transaction on the terms of its rule'
const recorded = 'a run that created a transaction is EXECUTED'
const watched = 'every threshold rule has a live watch that waits for no finished run'

test.each([
  [
    'a run whose amount differs from its transaction',
    `update svc.rule_runs set amount = amount + 1 where ${run}`,
    [fits],
  ],
  [
    'a run whose transaction does not exist',
    `update svc.rule_runs set transaction_id = '${newId()}' where ${run}`,
    [fits],
  ],
  [
    'a transaction whose run is SKIPPED',
    `update svc.rule_runs set status = 'SKIPPED', reason = 'NOTHING_TO_MOVE', transaction_id = null, quote_id = null,
            amount = null where ${run}`,
    [recorded],
  ],
  [
    'a minute with two runs',
    `insert into svc.rule_runs (organization_id, run_id, rule_id, trigger_type, scheduled_for, status, reason,
                                created_at, finished_at)
     select organization_id, gen_random_uuid(), rule_id, trigger_type, scheduled_for + interval '1 second', 'SKIPPED',
            'NOTHING_TO_MOVE', created_at, finished_at from svc.rule_runs where ${run}`,
    [once],
  ],
  [
    'an unclaimed run',
    `insert into svc.rule_runs (organization_id, run_id, rule_id, trigger_type, scheduled_for, due_at, created_at,
                                lease_until, opened_at)
     select organization_id, gen_random_uuid(), rule_id, trigger_type, scheduled_for - interval '1 hour',
            svc.now() - interval '1 hour', svc.now(), clock_timestamp() + interval '1 hour',
            clock_timestamp() - interval '1 hour' from svc.rule_runs where ${run}`,
    [taken],
  ],
  [
    'a threshold rule without a live watch',
    `update svc.threshold_watches set ended_at = svc.now() where ${watch}`,
    [watched],
  ],
  [
    'a threshold rule that waits for a run that does not exist',
    `update svc.threshold_watches set run_id = '${newId()}' where ${watch}`,
    [watched],
  ],
])('svc verify reports %s', async (_what, statement, names) => {
  const owner = openForTest({ connection: api.database.owner })
  const violated = async () => (await api.app.verify()).checks.filter(({ ok }) => !ok).map(({ name }) => name)
  expect(await violated()).toEqual([])
  const tables = ['rule_runs', 'threshold_watches']
  for (const table of tables) await owner.query({ text: `create table kept_${table} as table svc.${table}` })
  await owner.query({ text: statement })
  expect(await violated()).toEqual(names)
  for (const table of tables) {
    await owner.query({ text: `delete from svc.${table}` })
    await owner.query({ text: `insert into svc.${table} table kept_${table}` })
    await owner.query({ text: `drop table kept_${table}` })
  }
})

test('svc verify reports an ACTIVE rule of a revoked key', async () => {
  const { apiKeyId } = await createKey(api, { name: 'Revoked', scopes: ['automation_rules:write'] })
  await api.delete(`/api-keys/${apiKeyId}`)
  const text = `update svc.automation_rules set api_key_id = $1 where ${watch}`
  await api.app.database.query({ text, values: [apiKeyId] })
  const violated = (await api.app.verify()).checks.filter(({ ok }) => !ok).map(({ name }) => name)
  expect(violated).toEqual(['no ACTIVE rule pays for a revoked key'])
})
