import { afterAll, expect, test } from 'vitest'
import { createRuleMakerService } from '../../../src/automation-rules/makers.ts'
import { createAudit } from '../../../src/db/audit/audit.ts'
import type { Queryable } from '../../../src/db/database.ts'
import type { Scope } from '../../../src/lib/caller.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { startMoney } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { availableIn, creditWallet, expectVerified } from '../../support/money/transactions.ts'
import { makeRuleHands } from '../../support/rules/rule-hands.ts'
import { actOn, createRule, type Rule, readRule, ruleBody, runsOf } from '../../support/rules/rules.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'

/** A rule pays without a key. It stops with the key that answers for it. */
const money = await startMoney()
const { api, rows, organizationId, offRamp } = money
const { app } = api
const { customerId } = offRamp
await api.post('/sandbox/clock', { freeze: true })
afterAll(() => expectVerified(api))

const hands = makeRuleHands(app)
const scopes: Scope[] = ['automation_rules:write', 'api_keys:write']
const executed = { runStatus: 'EXECUTED', sourceAmount: '10.000000' }

/** A wallet, and a rule of this key that sends each 10 USDC to a bank. */
async function setUp({ apiKey }: { apiKey: string }) {
  const wallet = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const route = { customerId, from: [wallet, 'USDC', 'BASE'], to: [money.bank, 'USD', 'ACH'] } as const
  const wish = { ...route, amount: ['PCT', '100'], threshold: '10' } as const
  const fill = () => creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000n })
  return {
    wish,
    fill,
    rule: await createRule(actingWith(api, apiKey), wish),
    available: () => availableIn(api, wallet),
    credit: async () => {
      await fill()
      await hands().carryOut()
    },
  }
}

async function revoke({ apiKeyId }: { apiKeyId: string }, query = ''): Promise<void> {
  expect((await api.delete(`/api-keys/${apiKeyId}${query}`)).status).toBe(200)
}

const keyOf = async ({ id }: Rule) =>
  (
    await rows<{ apiKeyId: string }>(
      `select api_key_id as "apiKeyId" from svc.automation_rules where rule_id = '${id}'`,
    )
  )[0]?.apiKeyId
const pausesOf = ({ id }: Rule) =>
  rows(`select data::jsonb as data from svc.events where type = 'automation_rule.paused' and resource_id = '${id}'`)
const waiting = `select pid from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`
const lockIsAwaited = (times = 1) => expect.poll(() => rows(waiting), { interval: 10 }).toHaveLength(times)

test.each(['', '?cascade=true'])(
  'after a revocation%s the rule of the key pays nothing until it is resumed',
  async (query) => {
    const leaked = await createKey(api, { name: 'Leaked', scopes })
    const maker = query === '' ? leaked : await createKey(api, { name: 'Led', scopes }, leaked)
    const { rule, credit, available } = await setUp(maker)
    await credit()
    await revoke(leaked, query)
    await credit()
    expect([await readRule(api, rule), await available()]).toMatchObject([{ status: 'PAUSED' }, '10.000000'])
    expect(await runsOf(api, rule)).toMatchObject([executed])
    const told = {
      id: rule.id,
      ruleId: rule.id,
      name: rule.name,
      customerId,
      apiKeyId: maker.apiKeyId,
      reason: 'KEY_REVOKED',
    }
    expect(await pausesOf(rule)).toMatchObject([{ data: told }])
    const { entries } = (await api.get('/audit?act=automation_rule.paused')).body
    expect(entries.slice(0, 1)).toMatchObject([
      { subjectId: rule.id, details: { reason: 'KEY_REVOKED', apiKeyId: maker.apiKeyId } },
    ])
    const owner = await createKey(api, { name: 'Owner', scopes })
    await actOn(actingWith(api, owner.apiKey), rule, 'resume')
    await hands().carryOut()
    expect([await runsOf(api, rule), await available()]).toMatchObject([[executed, executed], '0.000000'])
    expect(await keyOf(rule)).toBe(owner.apiKeyId)
    await revoke(leaked, '?cascade=true')
    expect((await readRule(api, rule)).status).toBe('ACTIVE')
  },
)

test('a revocation pauses many rules in as many statements as one: the key works until all are paused', async () => {
  const leaked = await createKey(api, { name: 'Leaked', scopes })
  const { wish } = await setUp(leaked)
  const makers = createRuleMakerService({ audit: createAudit(Buffer.alloc(32)) })
  const countStatements = async () => {
    let statements = 0
    const paused = app.database.inTx(async (tx) => {
      const query = (statement: Parameters<typeof tx.query>[0]) => {
        statements += 1
        return tx.query(statement)
      }
      await makers.pauseRulesOf(asTx({ query } as Queryable), organizationId, [leaked.apiKeyId], 'worker')
      throw new Error('undone')
    })
    await expect(paused).rejects.toThrow('undone')
    return statements
  }
  const ofOne = await countStatements()
  for (let more = 0; more < 3; more++) await createRule(actingWith(api, leaked.apiKey), wish)
  expect(await countStatements()).toBe(ofOne)
  await revoke(leaked)
  const { entries } = (await api.get('/audit?act=automation_rule.paused')).body
  expect(entries.filter(({ details }) => JSON.stringify(details).includes(leaked.apiKeyId))).toHaveLength(4)
})

test('a cascade also pauses the rules of keys that have expired', async () => {
  const leaked = await createKey(api, { name: 'Leaked', scopes })
  const led = await createKey(api, { name: 'Led', scopes }, leaked)
  const { rule } = await setUp(led)
  await rows(`update svc.api_keys set expires_at = clock_timestamp() where api_key_id = '${led.apiKeyId}'`)
  await revoke(leaked, '?cascade=true')
  expect([await readRule(api, rule), await pausesOf(rule)]).toMatchObject([{ status: 'PAUSED' }, [{}]])
})

test('a roll pauses no rule: it follows the successor', async () => {
  const rolled = await createKey(api, { name: 'Rolled', scopes })
  const { rule, credit } = await setUp(rolled)
  const roll = async () => (await api.post(`/api-keys/${rolled.apiKeyId}/roll`, { overlap: 'PT1H' })).body
  await roll()
  // The answer was lost: the second successor replaces the first.
  const successor = await roll()
  await revoke(rolled)
  await credit()
  expect(await runsOf(api, rule)).toMatchObject([executed])
  expect(await keyOf(rule)).toBe(successor.apiKeyId)
  await revoke(successor)
  expect((await readRule(api, rule)).status).toBe('PAUSED')
})

test('a rule that a rolled key writes or resumes during the overlap ends with that key', async () => {
  const rolled = await createKey(api, { name: 'Rolled', scopes })
  const { rule: before, wish } = await setUp(rolled)
  const { rule: taken } = await setUp(rolled)
  const thief = actingWith(api, rolled.apiKey)
  await api.post(`/api-keys/${rolled.apiKeyId}/roll`, { overlap: 'PT24H' })
  const during = await createRule(thief, wish)
  for (const act of ['pause', 'resume'] as const) await actOn(thief, taken, act)
  await revoke(rolled)
  for (const rule of [during, taken]) expect((await readRule(api, rule)).status).toBe('PAUSED')
  expect((await readRule(api, before)).status).toBe('ACTIVE')
})

test('when the overlap has ended, the successor answers for what the rolled key wrote', async () => {
  const rolled = await createKey(api, { name: 'Rolled', scopes })
  const roll = async ({ apiKeyId }: { apiKeyId: string }) => {
    const { apiKey = '', ...key } = (await api.post(`/api-keys/${apiKeyId}/roll`, { overlap: 'PT24H' })).body
    return { ...key, apiKey }
  }
  const expire = ({ apiKeyId }: { apiKeyId: string }) =>
    rows(`update svc.api_keys set expires_at = clock_timestamp() where api_key_id = '${apiKeyId}'`)
  const successor = await roll(rolled)
  const { rule } = await setUp(rolled)
  await expire(rolled)
  const last = await roll(successor)
  expect(await keyOf(rule)).toBe(last.apiKeyId)
  await revoke(successor)
  const { rule: other } = await setUp(last)
  const third = await roll(last)
  const { rule: during } = await setUp(last)
  await expire(last)
  await revoke(rolled)
  expect((await readRule(api, during)).status).toBe('ACTIVE')
  await revoke(third)
  for (const each of [rule, other, during]) expect((await readRule(api, each)).status).toBe('PAUSED')
})

test('a clean-up of a rolled key after its overlap pauses no rule', async () => {
  const rolled = await createKey(api, { name: 'Rolled', scopes })
  const successor = (await api.post(`/api-keys/${rolled.apiKeyId}/roll`, { overlap: 'PT24H' })).body
  const { rule } = await setUp(rolled)
  await rows(`update svc.api_keys set expires_at = clock_timestamp() where api_key_id = '${rolled.apiKeyId}'`)
  await revoke(rolled)
  expect([await keyOf(rule), (await readRule(api, rule)).status]).toEqual([successor.apiKeyId, 'ACTIVE'])
  await revoke(successor)
  expect((await readRule(api, rule)).status).toBe('PAUSED')
})

test('a PUT that changes no term leaves the rule to the key that wrote them', async () => {
  const author = await createKey(api, { name: 'Author', scopes })
  const other = await createKey(api, { name: 'Other', scopes })
  const { wish, rule } = await setUp(author)
  const put = async (more: object, { apiKey } = other) => {
    const body = { id: rule.id, ...ruleBody(wish), ...more }
    const { status } = await api.call('PUT', `/automation-rules/${rule.id}`, { body, apiKey })
    expect(status).toBe(200)
  }
  await put({ metadata: { note: 'synchronized' } })
  expect(await keyOf(rule)).toBe(author.apiKeyId)
  const { transactionTemplate } = ruleBody(wish)
  const withFee = (developerFeeAmount: string) => {
    const developerFee = { developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount }
    return { transactionTemplate: { ...transactionTemplate, developerFee } }
  }
  await put(withFee('0.10'), author)
  await put(withFee('0.1'))
  expect(await keyOf(rule)).toBe(author.apiKeyId)
  await put({ transactionTemplate: { ...transactionTemplate, amount: { type: 'PCT', value: '50' } } })
  expect(await keyOf(rule)).toBe(other.apiKeyId)
})

test('a revoked key of the parent pays no more for a child', async () => {
  const parent = await app.organizations.create({ name: 'Parent', tier: 'BUILDER', parentOrganizationId: null })
  await rows(`update svc.organizations set parent_organization_id = '${parent.organizationId}'
               where organization_id = '${organizationId}'`)
  const { organizationId: owner } = parent
  const key = await app.credentials.createOperatorKey({ name: 'Of the parent', organizationId: owner, scopes })
  const { rule } = await setUp(key)
  await app.credentials.revokeKey(key.apiKeyId, false)
  expect([await readRule(api, rule), await pausesOf(rule)]).toMatchObject([{ status: 'PAUSED' }, [{}]])
})

test.each(['quoted', 'made'] as const)(
  'a revocation while a run has %s: the run comes before or after it',
  async (step) => {
    const key = await createKey(api, { name: 'Leaked', scopes })
    const { rule, fill, credit } = await setUp(key)
    await fill()
    await hands().compare()
    let revoking: Promise<void> | undefined
    const quoted = () => revoke(key)
    const made = () => {
      revoking = revoke(key)
      return lockIsAwaited()
    }
    await hands(step === 'quoted' ? { quoted } : { made }).fire()
    await revoking
    await credit()
    const skipped = { runStatus: 'SKIPPED', reason: 'RULE_PAUSED' }
    expect(await runsOf(api, rule)).toMatchObject([step === 'quoted' ? skipped : executed])
    expect((await readRule(api, rule)).status).toBe('PAUSED')
  },
)

test('a rule that is created, changed or resumed while its key is revoked is refused', async () => {
  const key = await createKey(api, { name: 'Leaked', scopes })
  const { wish, rule } = await setUp(key)
  const { apiKey } = key
  const body = { id: rule.id, ...ruleBody(wish) }
  const answers = await app.database.inTx(async (tx) => {
    const values = [key.apiKeyId]
    await tx.query({ text: 'select from svc.api_keys where api_key_id = $1 for update', values })
    await tx.query({ text: 'update svc.api_keys set revoked_at = clock_timestamp() where api_key_id = $1', values })
    const sent = [
      api.post('/automation-rules', ruleBody(wish), { apiKey }),
      api.call('PUT', `/automation-rules/${rule.id}`, { body, apiKey }),
      api.post(`/automation-rules/${rule.id}/resume`, undefined, { apiKey }),
    ]
    await lockIsAwaited(3)
    return sent
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 401])
  await actOn(api, rule, 'delete')
})
