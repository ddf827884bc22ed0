import { expect, test } from 'vitest'
import { exampleOperations } from '../../src/http/examples/operations.ts'
import { anyId, integrator, payout, records, story } from '../../src/http/examples/story.ts'
import { waitForRates } from '../support/money/quotes.ts'
import { waitForTransaction } from '../support/money/transactions.ts'
import { fillAddressPool } from '../support/money/wallets.ts'
import { type Answer, startApi } from '../support/runner/api.ts'

type Example = Record<string, unknown>
type Content = Record<string, { examples?: Record<string, { value: Example }> }>
type Operation = { operationId: string; requestBody?: { content: Content }; responses: Record<string, object> }
type Document = { paths: Record<string, Record<string, Operation>>; webhooks: Record<string, { post: Operation }> }

const api = await startApi()
await fillAddressPool(api.database)
await api.app.startWorker()
await waitForRates(api)
const document = (await api.get('/openapi.json', { apiKey: null })).body as unknown as Document
const operations = [
  ...Object.values(document.paths).flatMap((methods) => Object.values(methods)),
  ...Object.values(document.webhooks).map(({ post }) => post),
]

/** The resources that the first test creates, for the second part of the story. */
const played = {} as {
  customerId: string
  bank: string
  walletId: string
  quote: string
  transaction: { transactionId: string; transferInstructions?: object }
  currency: { contractAddress: string }
}

test('the examples are what the service answers to the examples of the requests', async () => {
  const { customerId } = await ok(api.post('/customers', requestOf('createCustomer')))
  const address = { countryCode: 'US', streetLine1: '548 Market Street', city: 'San Francisco' }
  const kycData = { legalFirstName: 'Ada', address: { ...address, stateRegionProvince: 'CA', postalCode: '94104' } }
  await ok(api.call('PATCH', `/customers/${customerId}`, { body: { kycData } }))
  await ok(api.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'APPROVE' }))
  const bank = await ok(api.post('/payment-accounts', { ...requestOf('createPaymentAccount'), customerId }))
  expect(bank).toEqual(as(answerOf('createPaymentAccount'), ['paymentAccountId', 'customerId', 'createdAt'], bank))
  const wallet = { customerId, paymentAccountType: 'SVC_CRYPTO_WALLET', svcCryptoWallet: { cryptoWalletType: 'EVM' } }
  const { paymentAccountId: walletId } = await ok(api.post('/payment-accounts', wallet))
  const wanted = requestOf('createQuote') as { source: Example; destination: Example }
  const quote = await ok(
    api.post('/quotes', {
      ...wanted,
      customerId,
      source: { ...wanted.source, sourcePaymentAccountId: bank.paymentAccountId },
      destination: { ...wanted.destination, destinationPaymentAccountId: walletId },
    }),
  )
  expect(quote).toEqual(as(answerOf('createQuote'), ['quoteId', 'expiresAt'], quote))
  const key = { headers: { 'x-idempotency-key': 'the story' } }
  const body = { ...requestOf('createTransaction'), quoteId: quote.quoteId }
  const transaction = await ok(api.post('/transactions', body, key))
  Object.assign(played, {
    customerId,
    bank: bank.paymentAccountId,
    walletId,
    quote: quote.quoteId,
    transaction,
    currency: transaction.destination.destinationCurrency,
  })
  const told = answerOf('createTransaction') as typeof transaction
  expect(Object.keys(told.transferInstructions ?? {})).toEqual(Object.keys(transaction.transferInstructions ?? {}))
  expect({
    ...transaction,
    source: { ...transaction.source, sourcePaymentAccountId: story.bankAccountId },
    destination: {
      ...transaction.destination,
      destinationPaymentAccountId: story.walletId,
      destinationCurrency: story.usdc,
    },
    statusHistory: told.statusHistory,
  }).toMatchObject(
    as(
      told,
      [
        'transactionId',
        'customerId',
        'quoteId',
        'createdAt',
        'updatedAt',
        'expiresAt',
        'transferInstructions',
        'transferLink',
      ],
      transaction,
    ),
  )
})

test('the deposit, the balance and the rule are as the examples show them', async () => {
  const { customerId, bank, walletId, quote, transaction, currency } = played
  // Ids, the token of the sandbox and the references differ from run to run.
  const ids = new Map<string, string>([
    [customerId, story.customerId],
    [bank, story.bankAccountId],
    [walletId, story.walletId],
    [quote, story.quoteId],
    [transaction.transactionId, story.transactionId],
    [currency.contractAddress, story.usdc.contractAddress],
  ])
  const told = <Body>(answer: Body): Body =>
    JSON.parse([...ids].reduce((text, [own, id]) => text.replaceAll(own, id), JSON.stringify(answer)))
  const without = (example: Example, ...names: string[]): Example =>
    Object.fromEntries(Object.entries(example).filter(([name]) => !names.includes(name)))

  const { transferMessage: reference } = transaction.transferInstructions as { transferMessage: string }
  ids.set(reference, story.transferMessage)
  const sent = { ...requestOf('sendSandboxDeposit'), reference }
  const transfer = await ok(api.post(`/sandbox/payment-accounts/${bank}/deposits`, sent))
  ids.set(transfer.referenceId, story.bankReference)
  expect(told(transfer)).toEqual(answerOf('sendSandboxDeposit'))
  await waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })

  const { deposits } = await ok(api.get(`/deposits?transactionId=${transaction.transactionId}`))
  const [deposit] = (answerOf('listDeposits') as { deposits: Example[] }).deposits
  expect(told(deposits)).toMatchObject([without(deposit ?? {}, 'depositId', 'createdAt', 'updatedAt')])
  ids.set(deposits[0]?.depositId ?? '', story.depositId)

  const asset = '?chain=BASE&currency=USDC'
  const balance = await ok(api.get(`/payment-accounts/${walletId}/balance${asset}`))
  expect(told(balance)).toEqual(answerOf('getPaymentAccountBalance'))
  const { entries } = await ok(api.get(`/payment-accounts/${walletId}/entries${asset}`))
  const [entry] = (answerOf('listPaymentAccountEntries') as { entries: Example[] }).entries
  expect(told(entries)).toMatchObject([without(entry ?? {}, 'entryId', 'createdAt')])

  const timeline = await ok(api.get(`/transactions/${transaction.transactionId}/timeline`))
  for (const { kind, details } of (answerOf('getTransactionTimeline') as typeof timeline).entries)
    expect(told(timeline.entries)).toContainEqual({
      at: expect.any(String),
      kind,
      details: { ...details, ...('expiresAt' in details ? { expiresAt: expect.any(String) } : {}) },
    })
  const ledger = await ok(api.get(`/transactions/${transaction.transactionId}/ledger-entries`))
  for (const each of (answerOf('listTransactionLedgerEntries') as typeof ledger).entries)
    expect(told(ledger.entries)).toContainEqual({
      ...each,
      postingId: expect.any(String),
      createdAt: expect.any(String),
    })

  const send = (request: Example) => {
    const own = [...ids].reduce((text, [mine, id]) => text.replaceAll(id, mine), JSON.stringify(request))
    return JSON.parse(own) as Example
  }
  const preview = await ok(api.post('/automation-rules/preview', send(requestOf('previewAutomationRule'))))
  const previewed = answerOf('previewAutomationRule') as typeof preview
  const scheduledFor = expect.any(String)
  expect(told(preview)).toEqual({ ...previewed, runs: previewed.runs.map((run) => ({ ...run, scheduledFor })) })
  const rule = await ok(api.post('/automation-rules', send(requestOf('createAutomationRule'))))
  expect(told(rule)).toEqual(as(answerOf('createAutomationRule'), ['id', 'ruleId', 'createdAt', 'nextRunAt'], rule))
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USDC&destinationPaymentMethod=BASE'
  const rate = await ok(api.get(`/exchange-rates?${query}&sourceAmount=${story.sourceAmount}`))
  expect(told(rate)).toEqual(as(answerOf('getExchangeRate'), ['asOf'], rate))
})

test('every example is about the same customer, accounts, payments and keys', () => {
  const found = operations.flatMap(({ operationId, ...operation }) =>
    examplesOf(operation).flatMap((example) => idsIn(example).map(([name, id]) => [operationId, name, id])),
  )
  const known = new Set<string>(
    [story, payout, integrator, records].flatMap((chapter) => Object.values(chapter).map(String)),
  )
  const customers: readonly unknown[] = [story.customerId, integrator.customerId]
  const others = found.filter(([, name, id = '']) =>
    name === 'customerId' ? !customers.includes(id) : id !== '' && !known.has(id),
  )
  expect([found.length > 400, others]).toEqual([true, []])
})

test('an answer shows what its request sends', () => {
  const differences = operations.flatMap(({ operationId, requestBody, responses }) => {
    const [request] = examplesOf({ responses: { 200: requestBody ?? {} } }).filter((each) => typeof each === 'object')
    const [, answered] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
    const [answer] = examplesOf({ responses: { 200: answered ?? {} } })
    return differencesOf(request, answer).map((path) => `${operationId}${path}`)
  })
  // The number of runs to show, and the runs; the reason of a decision, and why the review was opened.
  expect(differences).toEqual(['previewAutomationRule.runs', 'decideReview.reason'])
})

// biome-ignore format: a table is read by column
test.each([
  ['updateCustomer',             { customerStatus: 'UNDER_REVIEW' }],
  ['deactivateCustomer',         { customerStatus: 'DEACTIVATED' }],
  ['reactivateCustomer',         { customerStatus: 'ACTIVE' }],
  ['eraseCustomer',              { name: '', email: 'erased@invalid.example' }],
  ['decideSandboxVerification',  { customerStatus: 'ACTIVE' }],
  ['decideReview',               { reviewStatus: 'DECIDED', customerStatus: 'ACTIVE' }],
  ['deletePaymentAccount',       { paymentAccountStatus: 'DEACTIVATED', deletedAt: expect.any(String) }],
  ['cancelTransaction',          { transactionStatus: 'CANCELLED' }],
  ['resolveTransaction',         { repayment: { repaymentAmount: payout.destinationAmount } }],
  ['resolveDeposit',             { depositStatus: 'APPLIED', appliedAmount: story.sourceAmount }],
  ['answerDepositRecall',        { recall: { recallStatus: 'ACCEPTED' } }],
  ['reverseSandboxDeposit',      { depositStatus: 'REVERSED', reversedAmount: story.sourceAmount }],
  ['pauseAutomationRule',        { status: 'PAUSED', ruleStatus: 'PAUSED' }],
  ['resumeAutomationRule',       { status: 'ACTIVE', ruleStatus: 'ACTIVE' }],
  ['deleteAutomationRule',       { status: 'PAUSED', deletedAt: expect.any(String) }],
  ['deleteWebhook',              { status: 'DISABLED', deletedAt: expect.any(String) }],
  ['decideApproval',             { approvalStatus: 'APPROVED' }],
  ['cancelDisbursement',         { disbursementStatus: 'CANCELLED' }],
  ['decideBankChange',           { bankChangeStatus: 'CONFIRMED', decidedAt: expect.any(String) }],
  ['revokeApiKey',               { revokedApiKeyIds: [integrator.apiKeyId] }],
])('the answer of %s shows the act', (name, shown) => {
  expect(answerOf(name)).toMatchObject(shown)
})

test('no example is filled in by its type alone, and each of the story has its operation', () => {
  const values = operations.flatMap((operation) => examplesOf(operation).flatMap(textsIn))
  expect(values.filter((text) => text === 'text' || text === anyId)).toEqual([])
  const names = new Set(operations.map(({ operationId }) => operationId))
  expect(Object.keys(exampleOperations).filter((name) => !names.has(name))).toEqual([])
})

test('an event names the resource that its data shows', () => {
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { resourceType, resourceId, data } = exampleIn(post.requestBody?.content)
    expect(type.startsWith(`${resourceType}.`)).toBe(true)
    expect(Object.values(data as object)).toContain(resourceId)
  }
})

test('operations have names that a person would write', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(['createCustomer', 'listTransactions', 'resolveDeposit', 'getQuote']))
  expect(
    names.filter((name) => /^(post|put|patch)[A-Z]|By[A-Z]\w+Id$/.test(name) && name !== 'getCustomerById'),
  ).toEqual([])
})

function requestOf(name: string): Example {
  return exampleIn(findOperation(name).requestBody?.content)
}

function answerOf(name: string): Example {
  const found = Object.entries(findOperation(name).responses).find(([status]) => status.startsWith('2'))
  return exampleIn((found?.[1] as { content?: Content } | undefined)?.content)
}

function findOperation(name: string): Operation {
  const found = operations.find(({ operationId }) => operationId === name)
  if (!found) throw new Error(`no operation is called ${name}`)
  return found
}

function exampleIn(content: Content | undefined): Example {
  const [example] = Object.values(content?.['application/json']?.examples ?? {})
  if (!example) throw new Error('there is no example')
  return example.value
}

function examplesOf({ requestBody, responses }: Omit<Operation, 'operationId'>): Example[] {
  const contents = [requestBody, ...Object.values(responses)] as ({ content?: Content } | undefined)[]
  return contents.flatMap((each) =>
    Object.values(each?.content ?? {}).flatMap(({ examples = {} }) =>
      Object.values(examples).map(({ value }) => value),
    ),
  )
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/

/** Lists the ids of an example with the names of their fields. */
function idsIn(value: unknown, at = ''): [name: string, id: string][] {
  if (typeof value === 'string') return idPattern.test(value) ? [[at, value]] : []
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([name, inside]) => idsIn(inside, isList ? at : name))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Names the fields that a request and its answer both have, with other values. A label stands for its currency. */
function differencesOf(sent: unknown, shown: unknown): string[] {
  if (sent === undefined || shown === undefined) return []
  const isObject = (value: unknown): value is Example =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject(sent) && isObject(shown))
    return Object.keys(sent).flatMap((name) => differencesOf(sent[name], shown[name]).map((path) => `.${name}${path}`))
  const value = typeof sent === 'string' && isObject(shown) ? shown.label : shown
  return JSON.stringify(sent) === JSON.stringify(value) ? [] : ['']
}

/** The example with the values that differ from run to run. */
function as(example: Example, names: readonly string[], answer: object): Example {
  return { ...example, ...Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name))) }
}

async function ok<Body>(answer: Promise<Answer<Body>>): Promise<Body> {
  const { status, body } = await answer
  expect([status, body]).toEqual([expect.toSatisfy((each) => each < 300), body])
  return body
}
