import { isValidBIC, isValidIBAN } from 'ibantools'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { coordinateProblem } from '../../../src/payment-accounts/bank-accounts/bank-coordinates.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import {
  accountEvents,
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  type PaymentAccount,
  postAccount,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { makeEvmAddress, makeSolanaAddress } from '../../support/money/wallet-addresses.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi()
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

const read = async (id: string) => (await api.get(`/payment-accounts/${id}`)).body
const remove = (id: string) => api.delete(`/payment-accounts/${id}`)
const listed = async (customerId: string, query = '') =>
  (await api.get(`/payment-accounts?customerId=${customerId}${query}`)).body
const makeCustomer = () => createCustomer(api, { firstName: 'Ada', lastName: 'Example' })

// biome-ignore format: a table is read by column
test.each([
  // rail                 currency  mask
  ['ACH',                 'USD',    '****6789'],
  ['WIRE',                'USD',    '****3456'],
  ['SEPA',                'EUR',    '****3000'],
  ['CA_INTERAC',          'CAD',    '****567'],
  ['IN_NEFT_RTGS_IMPS',   'INR',    '****6789'],
] as const)('a bank account on %s is ACTIVE at once, in %s, shown as %s', async (rail, label, mask) => {
  const { customerId } = await makeCustomer()
  const created = await createAccount(api, bankAccountOf(customerId, bankAccounts[rail](), { nickname: 'Rent' }))
  expect(created).toEqual({
    paymentAccountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    nickname: 'Rent',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    customerId,
    paymentAccountStatus: 'ACTIVE',
    isThirdParty: false,
    externalBankAccount: {
      bankAccountType: 'CHECKING',
      bankAccountOwnerName: 'Ada Example',
      bankAccountOwnerEmail: 'owner@example.com',
      bankName: rail === 'ACH' ? 'First Example Bank' : '',
      bankAccountCurrency: { label },
      bankAccountMask: mask,
      bankAccountPaymentMethod: rail,
    },
  })
  expect(await read(created.paymentAccountId)).toEqual(created)
  expect((await listed(customerId)).paymentAccounts).toEqual([created])
})

test('an Interac email alone identifies an account, and is masked', async () => {
  const { customerId } = await makeCustomer()
  const sent = { bankAccountPaymentMethod: 'CA_INTERAC', interacEmail: 'Ada.Interac@Example.com' }
  const created = await createAccount(api, bankAccountOf(customerId, sent))
  expect(created.externalBankAccount).toMatchObject({
    bankAccountMask: 'a****@example.com',
    bankAccountOwnerName: 'Ada Example',
    bankAccountOwnerEmail: 'ada@example.com',
  })
})

test('an external wallet may name its chain beside or inside the address, and shows its checksum', async () => {
  const { customerId } = await makeCustomer()
  const address = makeEvmAddress()
  const beside = { chain: 'BASE', currency: 'USDC', address: address.toLowerCase() }
  const created = await createAccount(api, externalWalletOf(customerId, beside, { isThirdParty: true }))
  expect(created).toMatchObject({
    paymentAccountStatus: 'ACTIVE',
    isThirdParty: true,
    externalCryptoWallet: {
      currency: {
        label: 'USDC',
        chain: 'BASE',
        currencyDecimals: 6,
        contractAddress: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      },
      address: { address, chain: 'BASE' },
    },
  })
  const inside = { currency: 'EURC', address: { address: makeSolanaAddress(), chain: 'SOLANA' } }
  const other = await createAccount(api, externalWalletOf(customerId, inside))
  expect(other.externalCryptoWallet).toMatchObject({ currency: { label: 'EURC' }, address: inside.address })
})

test('without a ready address, creating a service wallet is 503 and stores nothing', async () => {
  const { customerId } = await makeCustomer()
  const refused = await postAccount(api, serviceWalletOf(customerId))
  expect([refused.status, refused.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(refused.headers.get('retry-after')).toBe('5')
  expect((await listed(customerId)).paymentAccounts).toEqual([])
  await fillAddressPool(api.database)
  expect((await postAccount(api, serviceWalletOf(customerId))).status).toBe(201)
})

test('each service wallet has its own address, for every network of its kind', async () => {
  const { customerId } = await makeCustomer()
  const first = await createAccount(api, serviceWalletOf(customerId))
  const second = await createAccount(api, serviceWalletOf(customerId))
  const solana = await createAccount(api, serviceWalletOf(customerId, 'SOLANA'))
  expect(first.svcCryptoWallet).toEqual({
    cryptoWalletType: 'EVM',
    address: { address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), chain: 'ETHEREUM' },
    chains: ['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON'],
  })
  expect(solana.svcCryptoWallet).toMatchObject({ address: { chain: 'SOLANA' }, chains: ['SOLANA'] })
  expect(second.svcCryptoWallet?.address.address).not.toBe(first.svcCryptoWallet?.address.address)
})

const autoFiatOf = (customerId: string, svcAutoFiatAccount: object) => ({
  customerId,
  paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
  svcAutoFiatAccount,
})

test('an auto fiat account has its own coordinates in each currency, and shows its destination', async () => {
  const { customerId } = await makeCustomer()
  const wallet = await createAccount(api, serviceWalletOf(customerId))
  const destination = {
    destinationPaymentAccountId: wallet.paymentAccountId,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'POLYGON',
  }
  const open = async (currency: string) =>
    (await createAccount(api, autoFiatOf(customerId, { currency, ...destination }))).svcAutoFiatAccount
  const usd = await open('USD')
  expect(usd).toMatchObject({
    currency: { label: 'USD' },
    destinationPaymentAccountId: wallet.paymentAccountId,
    destinationCurrency: { label: 'USDC', chain: 'POLYGON' },
    destinationPaymentMethod: 'POLYGON',
    bankName: 'Svc Sandbox Bank',
  })
  expect(coordinateProblem('ACH', 'routingNumber', String(usd?.routingNumber))).toBeUndefined()
  expect(coordinateProblem('ACH', 'accountNumber', String(usd?.accountNumber))).toBeUndefined()
  const labels = usd?.supportedDestinationCurrencies.map(({ label }) => label)
  expect(new Set(labels)).toEqual(new Set(['EUR', 'CAD', 'INR', 'USDC', 'EURC']))
  const eur = await open('EUR')
  expect([isValidIBAN(String(eur?.iban)), isValidBIC(String(eur?.bicSwift))]).toEqual([true, true])
  expect(await open('CAD')).toMatchObject({ institutionNumber: '999', transitNumber: '00001' })
  const inr = await open('INR')
  expect(coordinateProblem('IN_NEFT_RTGS_IMPS', 'ifscCode', String(inr?.ifscCode))).toBeUndefined()
  expect(coordinateProblem('IN_NEFT_RTGS_IMPS', 'accountNumber', String(inr?.accountNumber))).toBeUndefined()
  expect((await open('USD'))?.accountNumber).not.toBe(usd?.accountNumber)
})

test('a deleted account is not listed but stays readable, and deleting it again changes nothing', async () => {
  const { customerId } = await makeCustomer()
  const created = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
  const kept = await createAccount(api, bankAccountOf(customerId, bankAccounts.WIRE()))
  const deleted = (await remove(created.paymentAccountId)).body
  expect(deleted).toEqual({ ...created, paymentAccountStatus: 'DEACTIVATED', deletedAt: expect.any(String) })
  expect(await read(created.paymentAccountId)).toEqual(deleted)
  expect((await listed(customerId)).paymentAccounts).toEqual([kept])
  const again = await remove(created.paymentAccountId)
  expect([again.status, again.body]).toEqual([200, deleted])
  await expect
    .poll(() => accountEvents(api, created.paymentAccountId))
    .toEqual(['payment_account.created ACTIVE', 'payment_account.deleted DEACTIVATED'])
})

test('the destination of an auto fiat account cannot be deleted before that account', async () => {
  const { customerId } = await makeCustomer()
  const wallet = await createAccount(api, serviceWalletOf(customerId))
  const auto = await createAccount(
    api,
    autoFiatOf(customerId, {
      currency: 'USD',
      destinationPaymentAccountId: wallet.paymentAccountId,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    }),
  )
  const refused = await remove(wallet.paymentAccountId)
  expect([refused.status, refused.body.error]).toEqual([409, 'PAYMENT_ACCOUNT_IN_USE'])
  expect((await remove(auto.paymentAccountId)).status).toBe(200)
  expect((await remove(wallet.paymentAccountId)).status).toBe(200)
})

test('the accounts of a customer are listed newest first, in pages', async () => {
  const { customerId } = await makeCustomer()
  const made: string[] = []
  for (let at = 0; at < 12; at++) made.unshift((await createAccount(api, serviceWalletOf(customerId))).paymentAccountId)
  const ids = (page: { paymentAccounts: PaymentAccount[] }) => page.paymentAccounts.map((each) => each.paymentAccountId)
  const first = await listed(customerId)
  expect(ids(first)).toEqual(made.slice(0, 10))
  const rest = await listed(customerId, `&pageToken=${first.nextPageToken}`)
  expect([ids(rest), rest.nextPageToken]).toEqual([made.slice(10), ''])
  expect(ids(await listed(newId()))).toEqual([])
  const foreign = await api.get(`/payment-accounts?customerId=${newId()}&pageToken=${first.nextPageToken}`)
  expect(foreign.body).toMatchObject({ details: [{ field: 'pageToken' }] })
  expect((await api.get('/payment-accounts')).body).toMatchObject({ details: [{ field: 'customerId' }] })
})

test('an idempotent POST creates one account, and its answer is stored sealed', async () => {
  const { customerId } = await makeCustomer()
  const headers = { 'x-idempotency-key': newId() }
  const body = bankAccountOf(customerId, bankAccounts.ACH())
  const first = await postAccount(api, body, { headers })
  const again = await postAccount(api, body, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  expect((await listed(customerId)).paymentAccounts).toHaveLength(1)
})

test('a parent creates accounts for the customers of its children, and the child sees them', async () => {
  const make = (name: string, parentOrganizationId: string | null) =>
    api.app.organizations.create({ name, tier: 'BUILDER', parentOrganizationId })
  const parent = await make('Parent', null)
  const child = await make('Child', parent.organizationId)
  const keys = {
    parent: (await api.app.credentials.createFullKey('Parent', parent.organizationId)).apiKey,
    child: (await api.app.credentials.createFullKey('Child', child.organizationId)).apiKey,
  }
  const person = { customerType: 'INDIVIDUAL', email: 'a@example.com', organizationId: child.organizationId }
  const customer = (await api.post('/customers', person, { apiKey: keys.parent })).body.customerId
  const made = await createAccount(api, serviceWalletOf(customer), { apiKey: keys.parent })
  for (const apiKey of [keys.parent, keys.child]) {
    expect((await api.get(`/payment-accounts/${made.paymentAccountId}`, { apiKey })).body).toEqual(made)
    expect((await api.get(`/payment-accounts?customerId=${customer}`, { apiKey })).body).toMatchObject({
      paymentAccounts: [made],
    })
  }
  const acts = await api.app.database.query({
    text: 'select action from svc.audit where organization_id = $1 and subject_id = $2',
    values: [child.organizationId, made.paymentAccountId],
  })
  expect(acts).toEqual([{ action: 'payment_account.created' }])
})
