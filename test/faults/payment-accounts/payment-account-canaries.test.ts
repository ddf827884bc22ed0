import { afterAll, expect, test } from 'vitest'
import { createCustomer, readCustomer } from '../../support/customers/customers.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  type PaymentAccount,
  postAccount,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { type Answer, startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { canary, findings, searchTables } from '../../support/secrets/canary-data.ts'

/** Unique numbers and names: none may appear where it does not belong. */
const api = await startApi()
await fillAddressPool(api.database)
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

const patiently = { interval: 100 }
const numbers = {
  ACH: '77112233445566',
  WIRE: '66554433221177',
  SEPA: 'GB33BUKB20201555555555',
  CA_INTERAC: '998877665544',
  IN_NEFT_RTGS_IMPS: '880099117722663',
}
const find = (text: string) => [
  ...findings(text),
  ...Object.values(numbers).filter((number) => text.toUpperCase().includes(number)),
]
const owner = () => ({
  type: 'INDIVIDUAL',
  firstName: canary(),
  lastName: canary(),
  email: `${canary()}@example.com`,
  address: { countryCode: 'US', streetLine1: canary(), city: canary(), postalCode: '94104' },
})
const secrets = () => ({ bankName: canary(), bankAddress: canary(), bankAccountOwner: owner() })

async function makeAccounts(customerId: string): Promise<PaymentAccount[]> {
  const named = () => ({ nickname: canary() })
  const { SEPA: iban, ...accountNumbers } = numbers
  const bodies = [
    ...Object.entries(accountNumbers).map(([rail, accountNumber]) =>
      bankAccounts[rail as keyof typeof accountNumbers]({ ...secrets(), accountNumber }),
    ),
    bankAccounts.SEPA({ ...secrets(), iban }),
    { bankAccountPaymentMethod: 'CA_INTERAC', interacEmail: `${canary()}@example.com`, ...secrets() },
  ]
  const made: PaymentAccount[] = []
  for (const [at, body] of bodies.entries()) {
    const headers = { 'x-idempotency-key': `account ${customerId} ${at}` }
    made.push(await createAccount(api, bankAccountOf(customerId, body, named()), { headers }))
  }
  made.push(await createAccount(api, serviceWalletOf(customerId, 'EVM', named())))
  const pending = await createAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT', ...named() })
  const { pendingPaymentAccountId: id = '' } = pending
  const externalBankAccount = bankAccounts.ACH({ ...secrets(), accountNumber: '5550001112' })
  made.push((await api.post(`/sandbox/payment-accounts/${id}/complete`, { externalBankAccount })).body)
  return made
}

/** Every text that the service shows to an operator. */
async function everythingShown(made: readonly PaymentAccount[]): Promise<string> {
  const answers: Answer[] = []
  for (const { paymentAccountId, customerId } of made) {
    answers.push(await api.get(`/payment-accounts/${paymentAccountId}`))
    answers.push(await api.get(`/events?resourceId=${paymentAccountId}&pageSize=100`))
    answers.push(await api.get(`/payment-accounts?customerId=${customerId}&pageSize=100`))
  }
  return JSON.stringify(answers.map((answer) => answer.body))
}

test('account numbers are never shown, and names are shown only to the integrator', async () => {
  const { customerId } = await createCustomer(api, { firstName: canary(), email: `${canary()}@example.com` })
  const made = await makeAccounts(customerId)
  const bad = {
    ...bankAccounts.ACH({ accountNumber: `${numbers.ACH}x`, routingNumber: canary() }),
    interacEmail: canary(),
  }
  const refused = await postAccount(api, bankAccountOf(customerId, bad))
  expect([refused.status, find(JSON.stringify(refused.body))]).toEqual([400, []])
  await expect.poll(async () => (await api.get('/events?pageSize=1')).status).toBe(200)
  expect(await searchTables(api.database.owner, find)).toEqual([])
  expect(find(api.logs.join('\n'))).toEqual([])
  expect(find(await (await fetch(`${api.baseUrl}/metrics`)).text())).toEqual([])
  const shown = await everythingShown(made)
  expect(findings(shown).length).toBeGreaterThan(20) // control: the search finds nicknames, owners and banks
  expect(Object.values(numbers).filter((number) => shown.includes(number))).toEqual([])
})

test('a customer with accounts cannot be erased; after deletion and erasure no account data is readable', async () => {
  const customer = await createCustomer(api, { firstName: canary(), email: `${canary()}@example.com` })
  const { customerId } = customer
  const made = await makeAccounts(customerId)
  await eventually(async () => expect(findings(await everythingShown(made)).length).toBeGreaterThan(20), patiently)
  const erase = () => api.post(`/customers/${customerId}/erase`)
  expect([(await erase()).status, (await erase()).body.error]).toEqual([409, 'CONFLICT'])
  for (const { paymentAccountId } of made) {
    expect((await api.delete(`/payment-accounts/${paymentAccountId}`)).status).toBe(200)
  }
  expect((await erase()).status).toBe(200)
  expect(await readCustomer(api, customer)).toMatchObject({ name: '' })
  await eventually(async () => expect(find(await everythingShown(made))).toEqual([]), patiently)
  expect(await searchTables(api.database.owner, find)).toEqual([])
  const [first] = made
  expect((await api.get(`/payment-accounts/${first?.paymentAccountId}`)).body).toMatchObject({
    paymentAccountStatus: 'DEACTIVATED',
    nickname: '',
    externalBankAccount: { bankAccountMask: '', bankAccountOwnerName: '', bankAccountOwnerEmail: '', bankName: '' },
  })
  const late = await postAccount(api, serviceWalletOf(customerId))
  expect([late.status, late.body.error]).toEqual([409, 'CONFLICT'])
  const [left] = await api.app.database.query<{ hashes: number }>({
    text: 'select count(account_hash)::int as hashes from svc.payment_accounts where customer_id = $1',
    values: [customerId],
  })
  expect(left?.hashes).toBe(0)
  expect((await api.app.verify()).checks.filter((check) => !check.ok)).toEqual([])
})

test('an erasure and an account creation never both succeed, in either order', async () => {
  for (let round = 0; round < 15; round++) {
    const { customerId } = await createCustomer(api, { firstName: 'Ada' })
    const [erased, ...made] = await Promise.all([
      api.post(`/customers/${customerId}/erase`),
      ...Array.from({ length: 3 }, () =>
        postAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT', nickname: 'Rent' }),
      ),
    ])
    const isErased = erased.status === 200
    if (!isErased) expect(erased.body.error).toBe('CONFLICT')
    for (const answer of made) expect(answer.status).toBe(isErased ? 409 : answer.status)
    expect(made.some((answer) => answer.status === 201)).toBe(!isErased)
  }
})
