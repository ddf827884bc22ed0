import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'
import { createRule, type RuleWish, readRule, ruleBody, type TimedWish } from '../../support/rules/rules.ts'

const api = await startWithWorkers()
afterAll(() => api.stop())
const ada = await makeActive(api)
const { customerId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)
const solana = (await createAccount(api, serviceWalletOf(customerId, 'SOLANA'))).paymentAccountId
const pending = await createAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' })
const other = await createCustomer(api)
const othersWallet = (await createAccount(api, serviceWalletOf(other.customerId))).paymentAccountId
const auto = await createAccount(api, {
  customerId,
  paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
  svcAutoFiatAccount: {
    currency: 'USD',
    destinationPaymentAccountId: wallet,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'BASE',
  },
})
const weekly: TimedWish = {
  customerId,
  from: [wallet, 'USDC', 'BASE'],
  to: [bank, 'USD', 'ACH'],
  amount: ['FLAT', '25.50'],
  cron: '0 9 * * mon',
}

type Change = Record<string, unknown>

/** The body of `weekly` with these values changed; undefined removes one. */
function changed(change: Change, wish: RuleWish = weekly): object {
  const body = structuredClone(ruleBody(wish)) as object
  for (const [path, value] of Object.entries(change)) {
    const steps = path.split('.')
    const last = steps.pop() as string
    const place = steps.reduce<Record<string, unknown>>(
      (inside, step) => {
        inside[step] ??= {}
        return inside[step] as Record<string, unknown>
      },
      body as Record<string, unknown>,
    )
    if (value === undefined) delete place[last]
    else place[last] = value
  }
  return body
}

const source = 'transactionTemplate.source'
const destination = 'transactionTemplate.destination'
const amount = 'transactionTemplate.amount'
const fee = 'transactionTemplate.developerFee'
const toWallet = { [`${destination}.destinationPaymentAccountId`]: solana }
const cronAt = 'trigger.cronSchedule'
const waits = { 'trigger.type': 'THRESHOLD_BASED', [cronAt]: undefined }

// biome-ignore format: a table is read by column
const refusals: [string, Change, number, string, string][] = [
  ['another customer',                 { customerId: newId() },                                                             404, 'NOT_FOUND', ''],
  ['an unknown wallet',                { [`${source}.sourcePaymentAccountId`]: newId() },                                   404, 'NOT_FOUND', ''],
  ['a wallet of another customer',     { [`${source}.sourcePaymentAccountId`]: othersWallet },                              404, 'NOT_FOUND', ''],
  ['an unknown destination',           { [`${destination}.destinationPaymentAccountId`]: newId() },                         404, 'NOT_FOUND', ''],
  ['another customer’s destination',   { [`${destination}.destinationPaymentAccountId`]: othersWallet },                    404, 'NOT_FOUND', ''],
  ['an unknown customer, and more',    { customerId: newId(), name: '', [cronAt]: 'x', speed: 'fast' },                     404, 'NOT_FOUND', ''],
  ['a destination that is PENDING',    { [`${destination}.destinationPaymentAccountId`]: pending.pendingPaymentAccountId }, 409, 'CONFLICT', 'The destination payment account is PENDING, and must be ACTIVE'],
  ['no id at all',                     { customerId: 'ada' },                                                               400, 'customerId', 'must be a UUID'],
  ['no name',                          { name: undefined },                                                                 400, 'name', 'is required'],
  ['an empty name',                    { name: '' },                                                                        400, 'name', 'must not be empty'],
  ['an unknown field',                 { speed: 'fast' },                                                                   400, 'speed', 'is not a field of this request'],
  ['a read-only field',                { status: 'PAUSED' },                                                                400, 'status', 'is not a field of this request'],
  ['a bank account as the source',     { [`${source}.sourcePaymentAccountId`]: bank },                                      400, `${source}.sourcePaymentAccountId`, 'must be a service wallet (SVC_CRYPTO_WALLET)'],
  ['an outside wallet as the source',  { [`${source}.sourcePaymentAccountId`]: external, ...toWallet },                     400, `${source}.sourcePaymentAccountId`, 'must be a service wallet (SVC_CRYPTO_WALLET)'],
  ['an auto account as destination',   { [`${destination}.destinationPaymentAccountId`]: auto.paymentAccountId },           400, `${destination}.destinationPaymentAccountId`, 'must not be an auto fiat account'],
  ['the source as destination',        { [`${destination}.destinationPaymentAccountId`]: wallet, [`${destination}.destinationCurrency`]: 'USDC', [`${destination}.destinationPaymentMethod`]: 'POLYGON' }, 400, `${destination}.destinationPaymentAccountId`, 'must differ from the source account'],
  ['a network the wallet is not on',   { [`${source}.sourcePaymentMethod`]: 'SOLANA' },                                     400, `${source}.sourcePaymentMethod`, 'must be one of ARBITRUM, BASE, ETHEREUM, OPTIMISM, POLYGON'],
  ['a rail as the source',             { [`${source}.sourcePaymentMethod`]: 'ACH', [`${source}.sourceCurrency`]: 'USD' },   400, `${source}.sourcePaymentMethod`, 'must be one of ARBITRUM'],
  ['a token that network lacks',       { [`${source}.sourcePaymentMethod`]: 'POLYGON', [`${source}.sourceCurrency`]: 'EURC' }, 400, `${source}.sourceCurrency`, 'must be a currency on POLYGON'],
  ['an unknown method',                { [`${source}.sourcePaymentMethod`]: 'FAX' },                                        400, `${source}.sourcePaymentMethod`, 'must be one of'],
  ['another rail of the bank',         { [`${destination}.destinationPaymentMethod`]: 'WIRE' },                             400, `${destination}.destinationPaymentMethod`, "must be ACH, as for the account"],
  ['another currency of the bank',     { [`${destination}.destinationCurrency`]: 'EUR' },                                   400, `${destination}.destinationCurrency`, "must be USD, as for the account"],
  ['a currency as an object',          { [`${destination}.destinationCurrency`]: { label: 'USD' } },                        400, `${destination}.destinationCurrency`, 'must be a string'],
  ['an amount of zero',                { [`${amount}.value`]: '0.00' },                                                     400, `${amount}.value`, 'must be greater than zero'],
  ['a number as the amount',           { [`${amount}.value`]: 25 },                                                         400, `${amount}.value`, 'must be a string'],
  ['an exponent',                      { [`${amount}.value`]: '1e2' },                                                      400, `${amount}.value`, 'must be a decimal string'],
  ['a sign',                           { [`${amount}.value`]: '-1' },                                                       400, `${amount}.value`, 'must be a decimal string'],
  ['a seventh decimal',                { [`${amount}.value`]: '1.0000001' },                                                400, `${amount}.value`, 'must have at most 6 decimals'],
  ['an unknown type of amount',        { [`${amount}.type`]: 'ALL' },                                                       400, `${amount}.type`, 'must be one of FLAT, PCT'],
  ['more than 100 percent',            { [`${amount}.type`]: 'PCT', [`${amount}.value`]: '100.0001' },                      400, `${amount}.value`, 'must be at most 100'],
  ['a fifth decimal of a percentage',  { [`${amount}.type`]: 'PCT', [`${amount}.value`]: '33.33333' },                      400, `${amount}.value`, 'must have at most 4 decimals'],
  ['a fee in euros',                   { [`${fee}.developerFeeType`]: 'EUR', [`${fee}.developerFeeAmount`]: '1' },          400, `${fee}.developerFeeType`, 'must be one of USD, SOURCE_CURRENCY'],
  ['a fee without an amount',          { [`${fee}.developerFeeType`]: 'USD' },                                              400, `${fee}.developerFeeAmount`, 'is required'],
  ['a third decimal of dollars',       { [`${fee}.developerFeeType`]: 'USD', [`${fee}.developerFeeAmount`]: '0.005' },      400, `${fee}.developerFeeAmount`, 'must have at most 2 decimals'],
  ['no schedule',                      { [cronAt]: undefined },                                                             400, cronAt, 'is required'],
  ['a schedule and a threshold',       { 'trigger.thresholdAmount': '5' },                                                  400, 'trigger.thresholdAmount', 'must be left out of a TIME_BASED rule'],
  ['a threshold and a schedule',       { 'trigger.type': 'THRESHOLD_BASED', 'trigger.thresholdAmount': '5' },               400, cronAt, 'must be left out of a THRESHOLD_BASED rule'],
  ['no threshold',                     { ...waits },                                                                        400, 'trigger.thresholdAmount', 'is required'],
  ['a threshold of zero',              { ...waits, 'trigger.thresholdAmount': '0' },                                        400, 'trigger.thresholdAmount', 'must be greater than zero'],
  ['a threshold of seven decimals',    { ...waits, 'trigger.thresholdAmount': '0.0000001' },                                400, 'trigger.thresholdAmount', 'must have at most 6 decimals'],
  ['an unknown trigger',               { 'trigger.type': 'SOMETIMES' },                                                     400, 'trigger.type', 'must be one of THRESHOLD_BASED, TIME_BASED'],
  ['a schedule with seconds',          { [cronAt]: '0 0 9 * * mon' },                                                       400, cronAt, 'must have five fields'],
  ['a macro',                          { [cronAt]: '@daily' },                                                              400, cronAt, 'must have five fields'],
  ['the last day of the month',        { [cronAt]: '0 0 L * *' },                                                           400, cronAt, 'must use only *, 1–31, lists, ranges and steps in the day of the month'],
  ['30 February',                      { [cronAt]: '0 0 30 2 *' },                                                          400, cronAt, 'never fires: no year has such a date'],
  ['a schedule that is too long',      { [cronAt]: '*'.repeat(401) },                                                       400, cronAt, 'must have at most 400 characters'],
]

const stored = () => api.app.database.query({ text: 'select count(*) from svc.automation_rules' })

test.each(refusals)('refused: %s', async (_what, change, status, field, says) => {
  const before = await stored()
  const answer = await api.post('/automation-rules', changed(change))
  const code = status === 400 ? 'BAD_REQUEST' : field
  expect([answer.status, answer.body.error]).toEqual([status, code])
  expect(JSON.stringify(answer.body)).toContain(says)
  if (status === 400) {
    expect(answer.body).toMatchObject({
      details: expect.arrayContaining([{ field, message: expect.stringContaining(says) }]),
    })
  }
  expect(await stored()).toEqual(before)
})

test('one answer lists every invalid field, each once', async () => {
  const { body } = await api.post(
    '/automation-rules',
    changed({ name: '', [`${destination}.destinationCurrency`]: 'EUR', [`${amount}.value`]: '1e2', [cronAt]: 'noon' }),
  )
  const { details } = body
  const fields = ['name', `${destination}.destinationCurrency`, `${amount}.value`, cronAt]
  expect(details?.map(({ field }) => field)).toEqual(fields)
})

test('a missing object is reported once, without its fields', async () => {
  const { trigger: _, ...body } = changed({ transactionTemplate: null }) as { trigger: object }
  const answers = [
    await api.post('/automation-rules', body),
    await api.call('PUT', `/automation-rules/${kept.id}`, { body: { ...body, id: kept.id } }),
  ]
  for (const answer of answers) {
    const { details } = answer.body
    expect(details?.map(({ field }) => field).sort()).toEqual(['transactionTemplate', 'trigger'])
  }
})

// biome-ignore format: a table is read by column
test.each([
  ['no percent',           ['PCT', '0']],
  ['everything',           ['PCT', '100']],
  ['a fine percentage',    ['PCT', '0.0001']],
  ['trailing zeros',       ['FLAT', '1.00000000']],
  ['less than the minimum', ['FLAT', '0.000001']],
] as [string, ['FLAT' | 'PCT', string]][])('accepted: %s', async (_what, wanted) => {
  expect(await createRule(api, { ...weekly, amount: wanted })).toMatchObject({
    transactionTemplate: { amount: { type: wanted[0], value: wanted[1] } },
  })
})

// biome-ignore format: a table is read by column
const unchangeable: [string, Change, string][] = [
  ['another id',              { id: newId() },                                          'id'],
  ['no id',                   { id: undefined },                                        'id'],
  ['another name',            { name: 'Another' },                                      'name'],
  ['another customer',        { customerId: other.customerId },                         'customerId'],
  ['another wallet',          { [`${source}.sourcePaymentAccountId`]: solana },         `${source}.sourcePaymentAccountId`],
  ['another network',         { [`${source}.sourcePaymentMethod`]: 'POLYGON' },         `${source}.sourcePaymentMethod`],
  ['another currency',        { [`${source}.sourceCurrency`]: 'EURC' },                 `${source}.sourceCurrency`],
  ['a currency elsewhere',    { [`${source}.sourceCurrency`]: { label: 'USDC', chain: 'POLYGON' } }, `${source}.sourceCurrency`],
  ['another contract',        { [`${source}.sourceCurrency`]: { label: 'USDC', contractAddress: '0x1' } }, `${source}.sourceCurrency`],
  ['another schedule',        { [cronAt]: '1 9 * * mon' },                              cronAt],
  ['the other trigger',       { 'trigger.type': 'THRESHOLD_BASED', 'trigger.thresholdAmount': '5', [cronAt]: undefined }, 'trigger.type'],
  ['an exponent',             { [`${amount}.value`]: '1e2' },                           `${amount}.value`],
  ['the source',              { [`${destination}.destinationPaymentAccountId`]: wallet }, `${destination}.destinationPaymentAccountId`],
  ['a rail the bank is not on', { [`${destination}.destinationPaymentMethod`]: 'WIRE' }, `${destination}.destinationPaymentMethod`],
  ['an unknown field',        { speed: 'fast' },                                        'speed'],
]
const kept = await createRule(api, weekly)

test.each(unchangeable)('a PUT is refused: %s', async (_what, change, field) => {
  const before = await readRule(api, kept)
  const body = changed({ id: kept.id, ...change })
  const answer = await api.call('PUT', `/automation-rules/${kept.id}`, { body })
  expect([answer.status, answer.body.error]).toEqual([400, 'BAD_REQUEST'])
  expect(answer.body).toMatchObject({ details: expect.arrayContaining([expect.objectContaining({ field })]) })
  expect(await readRule(api, kept)).toEqual(before)
})

test('a PUT accepts the same threshold written differently, and refuses another one', async () => {
  const { cron: _, ...rest } = weekly
  const rule = await createRule(api, { ...rest, threshold: '100' })
  const put = (threshold: string) =>
    api.call('PUT', `/automation-rules/${rule.id}`, { body: { id: rule.id, ...ruleBody({ ...rest, threshold }) } })
  expect((await put('100.00')).status).toBe(200)
  for (const text of ['100.01', '1e2', '0100']) {
    expect((await put(text)).body).toMatchObject({
      error: 'BAD_REQUEST',
      details: [{ field: 'trigger.thresholdAmount' }],
    })
  }
})

test('a PUT reports an unknown or unusable destination first', async () => {
  const put = (change: Change) =>
    api.call('PUT', `/automation-rules/${kept.id}`, { body: changed({ id: kept.id, name: '', ...change }) })
  expect((await put({ [`${destination}.destinationPaymentAccountId`]: othersWallet })).status).toBe(404)
  const answer = await put({ [`${destination}.destinationPaymentAccountId`]: pending.pendingPaymentAccountId })
  expect(answer.body).toMatchObject({ error: 'CONFLICT', message: expect.stringContaining('PENDING') })
})

test.each(['rule_01HZX', newId(), '%20', '..%2F..'])('the id %s is not found', async (id) => {
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/runs'],
    ['DELETE', ''],
    ['PUT', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
  ] as const) {
    const answer = await api.call(method, `/automation-rules/${id}${path}`, method === 'PUT' ? { body: {} } : {})
    expect([method, path, answer.status, answer.body.error]).toEqual([method, path, 404, 'NOT_FOUND'])
  }
})

test('a wallet has at most 100 rules', async () => {
  const bob = await createCustomer(api)
  const from = (await createAccount(api, serviceWalletOf(bob.customerId))).paymentAccountId
  const to = (await createAccount(api, serviceWalletOf(bob.customerId))).paymentAccountId
  const wish: RuleWish = {
    ...weekly,
    customerId: bob.customerId,
    from: [from, 'USDC', 'BASE'],
    to: [to, 'USDC', 'BASE'],
  }
  const [first] = await Promise.all(Array.from({ length: 100 }, () => createRule(api, wish)))
  const answer = await api.post('/automation-rules', ruleBody(wish))
  expect(answer.body).toMatchObject({
    error: 'CONFLICT',
    message: 'A wallet can have at most 100 automation rules: delete one first',
  })
  await api.delete(`/automation-rules/${first?.id}`)
  await createRule(api, wish)
})
