import { afterAll, expect, test } from 'vitest'
import { createCustomer, readCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { readReview, sandboxDecide } from '../../support/customers/reviews.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  sendDeposit,
  startWithWorkers,
  type Transaction,
  timelineOf,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'

/** Tests that every listed magic value of the sandbox does what the list says. A value without a test here fails. */
const api = await startWithWorkers()
afterAll(api.stop)
afterAll(() => expectVerified(api))
const { scenarios } = (await api.get('/sandbox/scenarios')).body
type Scenario = (typeof scenarios)[number]

const names = 'kycData.legalLastName, kybData.businessInfo.legalBusinessName'
const outcomes: Record<string, string> = {
  'The customer becomes ACTIVE': 'ACTIVE',
  'The customer becomes REJECTED': 'REJECTED',
  'The customer stays UNDER_REVIEW until a reviewer decides': 'UNDER_REVIEW',
  'The customer moves to NEEDS_ADDITIONAL_INFORMATION': 'NEEDS_ADDITIONAL_INFORMATION',
}

test.each([
  ['person', (legalLastName: string) => ({ kycData: { legalFirstName: 'Ada', legalLastName } })],
  [
    'business',
    (legalBusinessName: string) => ({ customerType: 'BUSINESS', kybData: { businessInfo: { legalBusinessName } } }),
  ],
])('the name of a %s decides its outcome', async (_kind, bodyOf) => {
  const magic = scenarios.filter(({ where }) => where === names)
  expect(magic.length).toBeGreaterThan(60)
  const customers = []
  for (const scenario of magic)
    customers.push({ scenario, customer: await createCustomer(api, bodyOf(scenario.value)) })
  for (const { scenario, customer } of customers) {
    const { value, does } = scenario
    const status = outcomes[does]
    const found = await waitForStatus(api, customer, status ?? does)
    const [, code] = /^Issue-(.+)$/.exec(value) ?? []
    if (status === 'NEEDS_ADDITIONAL_INFORMATION') {
      expect([value, found.verificationIssues?.map((issue) => issue.code)]).toEqual([value, [code]])
    }
    if (status !== 'UNDER_REVIEW') continue
    await expect.poll(async () => (await readReview(api, customer)).reviewStatus).toBe('OPEN')
    const { findings } = await readReview(api, customer)
    if (code) expect([value, findings.map((finding) => finding.code)]).toEqual([value, [code]])
  }
})

async function payer(country: string) {
  const customer = await makeActive(api, country)
  const rail = country === 'US' ? 'ACH' : 'SEPA'
  const accounts = await makeAccounts(api, customer, rail)
  const { organizationId, customerId } = customer
  await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 1_000_000_000n })
  const pay = (amount: string, to = accounts.bank) =>
    createTransaction(api, {
      customerId,
      from: [accounts.wallet, 'USDC', 'BASE', amount],
      to: [to, country === 'US' ? 'USD' : 'EUR', rail],
    })
  const bankWith = async (more: object) =>
    (await createAccount(api, bankAccountOf(customerId, bankAccounts[rail](more)))).paymentAccountId
  return { customer, customerId, ...accounts, pay, bankWith }
}
const ada = await payer('US')
const bea = await payer('DE')

const triesOf = async (created: Transaction) =>
  (await timelineOf(api, created))
    .filter(({ kind, details }) => kind === 'RAIL' && details.purpose === 'PAYOUT')
    .map(({ details }) => `${details.attempt} ${details.outcome}`)

/** Each behaviour of a bank or chain, as an integrator sees it. */
const behaviours: Record<string, (created: Transaction) => Promise<unknown>> = {
  'The rail refuses the payout: FAILED, destination_refused_funds, and a refund': (created) =>
    waitForTransaction(api, created, {
      transactionStatus: 'FAILED',
      failureReason: 'destination_refused_funds',
      refund: { refundStatus: 'COMPLETED' },
    }),
  'COMPLETED; a day later the bank returns the funds: FAILED': async (created) => {
    await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
    await advance(api, 'P1DT1S')
    await waitForTransaction(api, created, {
      transactionStatus: 'FAILED',
      failureReason: 'destination_returned_funds',
    })
  },
  'The answer to the payout is lost; Svc asks the rail, and the payout is COMPLETED': async (created) => {
    await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
    expect(await triesOf(created)).toEqual(['1 STARTED', '1 UNKNOWN', '1 CONFIRMED'])
  },
  'The payout never reaches the bank or chain; once it has expired there, Svc retries it': async (created) => {
    await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
    expect(await triesOf(created)).toEqual([
      '1 STARTED',
      '1 UNKNOWN',
      '1 DEAD',
      '2 STARTED',
      '2 ACCEPTED',
      '2 CONFIRMED',
    ])
  },
  'The payout takes an hour': async (created) => {
    await expect.poll(() => triesOf(created)).toEqual(['1 STARTED', '1 ACCEPTED'])
    await advance(api, 'PT55M')
    expect(await triesOf(created)).toEqual(['1 STARTED', '1 ACCEPTED'])
    await advance(api, 'PT10M')
    await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  },
}

const lastDigits = (value: string) => value.replace(/\D/g, '')

/** Ways to use a magic value, by its field. */
const places: Record<string, (scenario: Scenario) => Promise<unknown>> = {
  'source.sourceAmount of a quote': async ({ value, does }) =>
    behaviours[does]?.(await ada.pay(`20.${lastDigits(value)}`)),

  'accountNumber or iban of the destination': async ({ value, does }) => {
    const digits = lastDigits(value)
    await behaviours[does]?.(await ada.pay('20', await ada.bankWith({ accountNumber: `00012345${digits}` })))
    await behaviours[does]?.(await bea.pay('20', await bea.bankWith({ iban: germanIban(`37040044053201${digits}`) })))
  },

  'bankAccountOwner.lastName of the destination, senderName of a deposit': async ({ value: lastName }) => {
    const sent = await sendDeposit(api, ada.wallet, {
      amount: '1',
      currency: 'USDC',
      chain: 'BASE',
      senderName: `Ivan ${lastName}`,
    })
    await waitForDeposit(api, sent, { depositStatus: 'HELD' })
    const cyd = await payer('US')
    const bankAccountOwner = { type: 'INDIVIDUAL', firstName: 'Ivan', lastName }
    const created = await cyd.pay('20', await cyd.bankWith({ accountNumber: '000123451111', bankAccountOwner }))
    await expect.poll(async () => (await timelineOf(api, created)).map(({ kind }) => kind)).toContain('FROZEN')
    await waitForTransaction(api, created, { transactionStatus: 'PROCESSING' })
    expect(await readReview(api, cyd.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  },

  'POST /sandbox/customers/{customerId}/verification, for an ACTIVE customer': async ({ value }) => {
    const cyd = await payer('US')
    const before = await readCustomer(api, cyd.customer)
    expect((await sandboxDecide(api, cyd.customer, JSON.parse(value))).status).toBe(200)
    expect(await readCustomer(api, cyd.customer)).toEqual(before)
    expect(await readReview(api, cyd.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
    const created = await cyd.pay('20')
    await expect.poll(async () => (await timelineOf(api, created)).map(({ kind }) => kind)).toContain('FROZEN')
  },

  'POST /sandbox/payment-accounts/{paymentAccountId}/complete': async ({ value }) => {
    const { customerId } = ada
    const pending = await createAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' })
    expect(pending).toMatchObject({ paymentAccountStatus: 'PENDING', paymentAccountId: '' })
    const body = { [value]: bankAccounts.ACH({ accountNumber: '000123452222' }) }
    const path = `/sandbox/payment-accounts/${pending.pendingPaymentAccountId}/complete`
    expect((await api.post(path, body)).body).toMatchObject({ paymentAccountStatus: 'ACTIVE' })
  },
}

const others = scenarios.filter(({ where }) => where !== names)

test.each(others)('$where: $value', async (scenario) => {
  const play = places[scenario.where]
  expect(play).toBeDefined()
  if (/sourceAmount|accountNumber/.test(scenario.where)) expect(behaviours).toHaveProperty([scenario.does])
  await play?.(scenario)
})

/** Adds the check digits that make an IBAN valid: letters count as two digits, D 13 and E 14. */
function germanIban(account: string): string {
  const check = 98n - (BigInt(`${account}131400`) % 97n)
  return `DE${String(check).padStart(2, '0')}${account}`
}
