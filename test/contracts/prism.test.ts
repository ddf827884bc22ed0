import { expect, test } from 'vitest'
import { startLocalChains } from '../support/chains/local-chains.ts'
import { bankAccounts } from '../support/money/payment-accounts.ts'
import { askForPolicies, transferReference } from '../support/money/transactions.ts'
import { payDue as payLanes } from '../support/rails/test-rail.ts'
import { type Answer, createKey, startApi } from '../support/runner/api.ts'
import { first } from '../support/runner/first.ts'
import { loadContract, loadJudge, type PrismApi, startPrism, watchCalls } from '../support/runner/prism.ts'

const api = await startApi()
const production = await startApi({
  SVC_ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://svc@db.example/svc?sslmode=verify-full',
  SVC_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_PUBLIC_URL: 'https://pay.example.com',
})
const onChains = await startApi({}, { chains: await startLocalChains() })
const prism = await startPrism(api)

type Operation = {
  tags: string[]
  security: Record<string, string[]>[]
  responses: Record<string, { content?: Record<string, unknown> }>
}
type Documented = { method: string; path: string; operation: Operation; statuses: number[] }
const document = (await api.get('/openapi.json')).body as { paths: Record<string, Record<string, Operation>> }
const documented: Documented[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
    statuses: Object.keys(operation.responses).map(Number),
  })),
)

// Prism as a proxy is slow: hundreds of refusals are checked by its library alone.
const refusing = await watchCalls(api, document)
const prismInProduction = await watchCalls(production, document)
const prismOnChains = await watchCalls(onChains, document)
const watched = [prism, refusing, prismOnChains, prismInProduction]

const unknownId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'
const fill = (path: string) => path.replace(/\{\w+\}/g, unknownId)

/** Tags whose every success is covered in this file. The other capabilities are covered in files of their own. */
const tagsOfThisFile = [
  'Organizations',
  'API keys',
  'Tokens',
  'Customers',
  'Transactions',
  'Deposits',
  'Decisions',
  'Ledger',
  'Sandbox',
  'Service',
]

test('organizations are listed, read and changed', async () => {
  const { organizations } = await ok(prism.get('/organizations?pageSize=1', versioned))
  const { organizationId } = first(organizations)
  await ok(prism.get(`/organizations/${organizationId}`))
  await ok(prism.call('PATCH', `/organizations/${organizationId}`, { body: { name: 'Example Pay Ltd' } }))
})

test('API keys are created, listed page by page and revoked', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const created = await ok(prism.post('/api-keys', { name: 'Shop', scopes: ['api_keys:read'], expiresAt: soon }))
  const { nextPageToken } = await ok(prism.get('/api-keys?pageSize=1'))
  await ok(prism.get(`/api-keys?pageSize=1&pageToken=${nextPageToken}`))
  await ok(prism.post(`/api-keys/${created.apiKeyId}/roll`, { overlap: 'PT1H' }))
  await ok(prism.delete(`/api-keys/${created.apiKeyId}?cascade=true`))
})

test('a repeated request creates one key', async () => {
  const wanted = { name: 'Once', scopes: ['api_keys:read'] }
  const key = { headers: { 'x-idempotency-key': 'one key' } }
  await ok(prism.post('/api-keys', wanted, key))
  await ok(prism.post('/api-keys', wanted, key))
  expect(await prism.post('/api-keys', { ...wanted, name: 'Twice' }, key)).toMatchObject({ status: 422 })
})

test('tokens are issued for a key sent as bearer, as JSON and as a form', async () => {
  const credentials = { grant_type: 'client_credentials', client_secret: api.apiKey }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  await ok(prism.post('/auth/token'))
  await ok(prism.post('/auth/token', credentials, { apiKey: null }))
  const rawBody = new URLSearchParams(credentials).toString()
  await ok(prism.call('POST', '/auth/token', { apiKey: null, rawBody, headers: form }))
  await ok(prism.get('/.well-known/jwks.json', { apiKey: null }))
})

test('business time is read and moved', async () => {
  await ok(prism.get('/sandbox/clock'))
  const moves = [{ freeze: true }, { advance: 'PT5M1S' }, { resume: true }]
  for (const move of moves) await ok(prism.post('/sandbox/clock', move))
})

test('local networks are listed and steered', async () => {
  const steps = [
    ['pause', undefined],
    ['faucet', { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', currency: 'USDC', amount: '1.50' }],
    ['mine', { blocks: 2 }],
    ['reorg', { depth: 1, drop: true }],
    ['fees', { multiplier: 50 }],
    ['fault', { kind: 'null_receipt', calls: 1 }],
    ['resume', undefined],
  ] as const
  for (const [verb, body] of steps) await ok(prismOnChains.post(`/sandbox/chains/BASE/${verb}`, body))
  await ok(prismOnChains.get('/sandbox/chains'))
  expect(await prismOnChains.post('/sandbox/chains/BASE/reorg', { depth: 999 })).toMatchObject({ status: 409 })
})

test('customers are created, read, verified, deactivated and erased', async () => {
  const person = { customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada' }
  const { customerId } = await ok(prism.post('/customers', person))
  await ok(prism.get('/customers?pageSize=1'))
  await ok(prism.call('PATCH', `/customers/${customerId}`, { body: { kycData: { legalLastName: 'Example' } } }))
  expect(await prism.call('PATCH', `/customers/${customerId}`, { body: {} })).toMatchObject({ status: 400 })
  await ok(prism.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'APPROVE' }))
  for (const path of ['customers', 'customer']) {
    await ok(prism.get(`/${path}/${customerId}?includePaymentMethods=true&includeVerification=true`))
  }
  const acts = ['deactivate', 'reactivate', 'verification-link/revoke']
  for (const act of acts) await ok(prism.post(`/customers/${customerId}/${act}`, { reason: 'Asked to' }))
  const { customerId: forgotten } = await ok(prism.post('/customers', person))
  await ok(prism.post(`/customers/${forgotten}/erase`))
  await ok(prism.get('/sandbox/scenarios'))
  expect(await prism.post('/customers', { ...person, organizationId: unknownId })).toMatchObject({ status: 404 })
})

test('an unknown id in a body is refused like one in a path', async () => {
  const webhook = { url: 'https://example.com/', events: ['*'], organizationId: unknownId }
  expect(await prism.post('/webhooks', webhook)).toMatchObject({ status: 404 })
  expect((await prism.post('/events/replay', { webhookId: unknownId, fromSequence: 1 })).status).toBe(404)
  expect((await prism.post('/sandbox/bank/returns', { transactionId: unknownId, code: 'R03' })).status).toBe(404)
  expect((await prism.post('/sandbox/bank/recalls', { depositId: unknownId })).status).toBe(404)
})

test('the form of a bank account is filled in', async () => {
  const { customerId } = await ok(prism.post('/customers', { customerType: 'INDIVIDUAL', email: 'ada@example.com' }))
  const pending = { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' }
  const { pendingPaymentAccountId: id } = await ok(prism.post('/payment-accounts', pending))
  await ok(prism.post(`/payment-accounts/${id}/form-link/revoke`))
  await ok(prism.post(`/sandbox/payment-accounts/${id}/complete`, { externalBankAccount: bankAccounts.SEPA() }))
  expect((await prism.post('/payment-accounts', { ...pending, customerId: unknownId })).status).toBe(404)
})

test('the sandbox expedites the rails of a transaction and makes them return the funds', async () => {
  const address = { countryCode: 'US', streetLine1: '1 Main Street', city: 'Springfield', stateRegionProvince: 'CA' }
  const kycData = { legalFirstName: 'Ada', address: { ...address, postalCode: '94104' } }
  const person = { customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada', lastName: 'Example' }
  const { customerId } = await ok(prism.post('/customers', person))
  await ok(prism.call('PATCH', `/customers/${customerId}`, { body: { kycData } }))
  await ok(prism.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'APPROVE' }))
  const bank = { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' }
  const from = await ok(prism.post('/payment-accounts', { ...bank, externalBankAccount: bankAccounts.ACH() }))
  const to = await ok(prism.post('/payment-accounts', { ...bank, externalBankAccount: bankAccounts.WIRE() }))
  const quote = () =>
    prism.post('/quotes', {
      customerId,
      source: {
        sourcePaymentAccountId: from.paymentAccountId,
        sourceCurrency: 'USD',
        sourcePaymentMethod: 'ACH',
        sourceAmount: '10.00',
      },
      destination: {
        destinationPaymentAccountId: to.paymentAccountId,
        destinationCurrency: 'USD',
        destinationPaymentMethod: 'WIRE',
      },
    })
  const { quoteId } = await ok(quote())
  const key = { headers: { 'x-idempotency-key': 'of this story' } }
  expect(await prism.post('/transactions', { quoteId: unknownId }, key)).toMatchObject({ status: 404 })
  const awaiting = await ok(prism.post('/transactions', { quoteId }, key))
  const { transactionId } = awaiting
  const reference = transferReference(awaiting)
  const money = { amount: '10.00', currency: 'USD', rail: 'ACH', reference }
  await ok(prism.post(`/sandbox/payment-accounts/${from.paymentAccountId}/deposits`, money))
  await api.app.deposits.receiveDue(9, 30_000)
  await api.app.transactionAdvance.advanceDue(9, 30_000)
  await ok(prism.post(`/sandbox/transactions/${transactionId}/advance`))
  await api.signer.sealAll()
  await payLanes(api.app.payouts, 9, 30_000)
  await payLanes(api.app.payouts, 9, 30_000)
  await ok(prism.post(`/sandbox/transactions/${transactionId}/return`))
  for (const part of ['', '/timeline', '/ledger-entries']) await ok(prism.get(`/transactions/${transactionId}${part}`))
  await ok(prism.get(`/transactions?customerId=${customerId}&pageSize=1`))
  const another = { headers: { 'x-idempotency-key': 'to be cancelled' } }
  const { transactionId: id } = await ok(prism.post('/transactions', { quoteId: (await ok(quote())).quoteId }, another))
  for (const act of ['transfer-link/revoke', 'cancel']) await ok(prism.post(`/transactions/${id}/${act}`))
  const third = { headers: { 'x-idempotency-key': 'to be rejected' } }
  const rejected = await ok(prism.post('/transactions', { quoteId: (await ok(quote())).quoteId }, third))
  await ok(
    prism.post(`/sandbox/payment-accounts/${from.paymentAccountId}/deposits`, {
      ...money,
      reference: transferReference(rejected),
    }),
  )
  await api.app.deposits.receiveDue(9, 30_000)
  await api.app.transactionAdvance.advanceDue(9, 30_000)
  const decision = { action: 'REJECT', reason: 'Not with us' }
  await ok(prism.post(`/transactions/${rejected.transactionId}/resolve`, decision))
  const lost = { amount: '1.00', currency: 'USD', rail: 'ACH' }
  await ok(prism.post(`/sandbox/payment-accounts/${from.paymentAccountId}/deposits`, lost))
  await api.app.deposits.receiveDue(9, 30_000)
  const { deposits } = await ok(prism.get(`/deposits?customerId=${customerId}&status=UNMATCHED`))
  const { depositId } = first(deposits)
  await ok(prism.get(`/deposits/${depositId}`))
  await ok(prism.get(`/deposits/${depositId}/sender`))
  await ok(prism.post(`/deposits/${depositId}/resolve`, { action: 'CREDIT', reason: 'It is theirs' }))
  await ok(prism.post(`/sandbox/deposits/${depositId}/reverse`, {}))
})

test('quotes need a customer, and exchange rates do not', async () => {
  const source = {
    sourcePaymentAccountId: unknownId,
    sourceCurrency: 'USD',
    sourcePaymentMethod: 'ACH',
    sourceAmount: '1',
  }
  const destination = {
    destinationPaymentAccountId: unknownId,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'BASE',
  }
  await api.app.rates.refresh()
  await api.app.rates.load()
  expect(await prism.post('/quotes', { customerId: unknownId, source, destination })).toMatchObject({ status: 404 })
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USDC&destinationPaymentMethod=BASE'
  await ok(prism.get(`/exchange-rates?${query}&sourceAmount=100.00`))
})

test('rules and payouts of developer fees need a customer', async () => {
  const source = { sourcePaymentAccountId: unknownId, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
  const to = { destinationPaymentAccountId: unknownId }
  const destination = { ...to, destinationCurrency: 'USD', destinationPaymentMethod: 'ACH' }
  expect(await prism.post('/developer-fees/payouts', { currency: 'USD', ...to })).toMatchObject({ status: 404 })
  expect((await prism.call('PUT', '/developer-fees/receiver', { body: { customerId: unknownId } })).status).toBe(404)
  expect(await askForPolicies(prism, unknownId)).toEqual([200, 404, 200, 404, 404])
  const rule = {
    name: 'Weekly',
    customerId: unknownId,
    trigger: { type: 'TIME_BASED', cronSchedule: '0 9 * * mon' },
    transactionTemplate: { source, destination, amount: { type: 'PCT', value: '100' } },
  }
  for (const path of ['/automation-rules', '/automation-rules/preview'])
    expect(await prism.post(path, rule)).toMatchObject({ status: 404 })
})

test('an operator reads the state of the service, and each integrator its own ledger', async () => {
  const exports = ['csv', 'xml'].map((format) => `/reconciliation/statement.${format}?account=eur-main&date=2026-01-15`)
  const lists = ['/ledger/check', '/bank-files', '/bank-changes', '/reconciliation', '/developer-fees', '/audit']
  for (const path of [...lists, ...exports]) await ok(prism.get(path))
  for (const path of exports) expect((await prism.get(path.replace('eur-main', 'none'))).status).toBe(404)
  for (const path of ['/livez', '/readyz', '/version', '/changelog', '/openapi.json', '/metrics'])
    await ok(prism.get(path, { apiKey: null }))
})

test('invalid bodies, page tokens and scopes are refused', async () => {
  const bad = { name: '', scopes: ['everything'], colour: 'red' }
  expect(await prism.post('/api-keys', bad)).toMatchObject({ status: 400, body: { details: { length: 3 } } })
  expect(await prism.post('/api-keys')).toMatchObject({ status: 400 })
  expect(await prism.post('/sandbox/clock', { advance: 'soon' })).toMatchObject({ status: 400 })
  expect(await prism.get('/api-keys?pageSize=101')).toMatchObject({ status: 400 })
  expect(await prism.get('/api-keys?pageToken=tampered')).toMatchObject({ status: 400 })
  expect(await prism.get('/organizations/not-a-uuid')).toMatchObject({ status: 400 })
})

test('every operation refuses requests as documented', async () => {
  const keys = await Promise.all([keyWith('organizations:read'), keyWith('api_keys:read')])
  for (const { method, path, operation } of documented) {
    const call = (options: Parameters<PrismApi['call']>[2], query = '') =>
      refusing.call(method, fill(path) + query, options)
    const isNeeded = operation.security.some((each) => each.bearer?.includes('organizations:read'))
    await call({ apiKey: null })
    await call({ apiKey: isNeeded ? keys[1] : keys[0] })
    await call({ headers: { 'x-api-version': '1999-01-01' } })
    await call({}, '?nonsense=1')
    // No resource has the id in the path. The answer to a stream would never end.
    if (!operation.responses[200]?.content?.['text/event-stream']) await call({})
    if (method === 'GET') continue
    await call({ body: { nonsense: true } })
    await call({ rawBody: 'text', headers: { 'content-type': 'text/plain' } })
  }
})

test('an undocumented path or method gets the common error body', async () => {
  const wrongMethods = Object.keys(document.paths).map((pattern) => {
    const path = fill(pattern)
    // A word such as "preview" is also an unknown id.
    const allowed = documented.filter((each) => isSamePath(each.path, path)).map((each) => each.method)
    const method = ['DELETE', 'PUT', 'PATCH'].find((each) => !allowed.includes(each)) ?? 'TRACE'
    return [method, path, 405, 'METHOD_NOT_ALLOWED'] as const
  })
  for (const [method, path, status, error] of [...wrongMethods, ['GET', '/nowhere', 404, 'NOT_FOUND'] as const]) {
    const answer = await refusing.call(method, path)
    expect(answer).toMatchObject({ status, body: { error, statusCode: status, message: expect.any(String) } })
  }
})

test('production refuses plain HTTP, sandbox operations and requests for metrics', async () => {
  const secure = { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' } }
  for (const { method, path } of documented.filter(({ statuses }) => statuses.includes(403))) {
    expect((await prismInProduction.call(method, fill(path))).body).toMatchObject({ error: 'FORBIDDEN' })
  }
  const sandbox = await prismInProduction.post('/sandbox/clock', { freeze: true }, secure)
  expect(sandbox).toMatchObject({ status: 403, body: { error: 'SANDBOX_ONLY' } })
  expect(await prismInProduction.get('/metrics', { ...secure, apiKey: null })).toMatchObject({ status: 401 })
  expect(await prismInProduction.get('/metrics', secure)).toMatchObject({ status: 404 })
})

test('Prism reported no violation in the tests above', () => {
  expect(watched.flatMap((each) => each.violations())).toEqual([])
})

test('the tests above covered every success and every common refusal of each operation', () => {
  const seen = new Set(watched.flatMap(({ seen }) => seen).map((each) => `${toPattern(each)} ${each.status}`))
  const wanted = documented.flatMap(({ method, path, operation, statuses }) => {
    const isHere = operation.tags.some((tag) => tagsOfThisFile.includes(tag))
    // An unknown id is refused before the body is read; an unknown secret address, before anything else.
    const isMasked = (status: number) => path.includes(status === 415 ? '{' : status === 400 ? 'Token}' : 'never')
    const common = commonRefusals.filter((status) => !isMasked(status))
    const asked = statuses.filter((status) => (status < 300 ? isHere : common.includes(status)))
    return asked.map((status) => `${method} ${path} ${status}`)
  })
  expect(wanted.filter((each) => !seen.has(each))).toEqual([])
})

test('Prism detects an undocumented answer of any operation and status', async () => {
  const findViolations = await loadJudge(document)
  const headers = new Headers({
    'content-type': 'application/json',
    'x-request-id': 'r',
    'www-authenticate': 'Bearer',
    'retry-after': '1',
  })
  const undetected = documented.flatMap((each) => {
    const { method, path } = each
    return each.statuses
      .filter((status) => isJson(each, status))
      .filter((status) => {
        const answer = { status, headers, body: 7 as never }
        const violations = findViolations({ method, path: fill(path), headers: {}, body: undefined, answer })
        return !violations.some(({ where }) => where[0] === 'response' && where[1] === 'body')
      })
      .map((status) => `${method} ${path} ${status}`)
  })
  expect(undetected).toEqual([])
})

const emptyPage = { organizations: [], nextPageToken: '' }
const versionAnswer = { name: 'svc', version: '1', environment: 'sandbox', apiVersion: 'a', apiVersions: [] }

const judge = await loadContract(document)

test.each([
  ['a field is missing', '/version', 200, { name: 'svc' }, /required property 'version'/],
  ['a status is documented nowhere', '/version', 418, {}, /status code/],
  ['a forbidden request is accepted', '/organizations', 200, emptyPage, /security scheme/],
  ['an unknown route answers', '/back-door', 200, {}, /route not found/],
  ['all is well', '/version', 200, versionAnswer, undefined],
] as const)('the contract check inside every other test file: %s', async (_what, path, status, body, complaint) => {
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' })
  const answer = { status, headers, body: body as never }
  const look = () => judge({ method: 'GET', path, headers: {}, body: undefined, answer })
  if (complaint) expect(look).toThrow(complaint)
  else expect(look).not.toThrow()
})

function isJson({ operation }: Documented, status: number): boolean {
  return status >= 400 || 'application/json' in (operation.responses[status]?.content ?? {})
}

const commonRefusals = [400, 401, 403, 404, 415]
const versioned = { headers: { 'x-api-version': '2025-11-07' } }

async function ok<Body>(call: Promise<Answer<Body>>): Promise<Body> {
  const { status, body } = await call
  expect([200, 201]).toContain(status)
  return body
}

async function keyWith(scope: string): Promise<string> {
  return (await createKey(prism, { name: scope, scopes: [scope] })).apiKey
}

function isSamePath(pattern: string, pathname: string): boolean {
  return new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname)
}

function toPattern({ method, path }: { method: string; path: string }): string {
  const pathname = path.replace(/\?.*/, '')
  const patterns = Object.keys(document.paths).filter((pattern) => isSamePath(pattern, pathname))
  return `${method} ${patterns.find((pattern) => pattern === pathname) ?? patterns[0]}`
}
