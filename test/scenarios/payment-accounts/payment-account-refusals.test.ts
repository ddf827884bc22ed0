import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  postAccount,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { makeEvmAddress, makeSolanaAddress } from '../../support/money/wallet-addresses.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { type Answer, createKey, startApi } from '../../support/runner/api.ts'

const api = await startApi()
await fillAddressPool(api.database)
const { customerId } = await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
const nameless = await createCustomer(api)

const fieldsIn = ({ body }: Answer) => body.details?.map(({ field }) => field)

const bank = (more: object, about: object = {}) => bankAccountOf(customerId, bankAccounts.ACH(more), about)
const wallet = (externalCryptoWallet: object) => externalWalletOf(customerId, externalCryptoWallet)
const address = makeEvmAddress()
const auto = (more: object) => ({
  customerId,
  paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
  svcAutoFiatAccount: more,
})
const unknownDestination = {
  destinationPaymentAccountId: newId(),
  destinationCurrency: 'USDC',
  destinationPaymentMethod: 'BASE',
}

// biome-ignore format: a table is read by column
test.each<[string, object, string[]]>([
  ['nothing',                        {},                                                              ['customerId', 'paymentAccountType']],
  ['an invalid customer id',         { ...bank({}), customerId: 'me' },                               ['customerId']],
  ['no type',                        { customerId },                                                  ['paymentAccountType']],
  ['an unknown type',                { customerId, paymentAccountType: 'PIGGY_BANK' },                ['paymentAccountType']],
  ['an unknown field',               bank({ sortCode: '1' }, { colour: 'red' }),                      ['colour', 'externalBankAccount.sortCode']],
  ['a long nickname',                bank({}, { nickname: 'x'.repeat(101) }),                         ['nickname']],
  ['the object of another type',     bank({}, { svcCryptoWallet: { cryptoWalletType: 'EVM' } }),      ['svcCryptoWallet']],
  ['no object of a wallet',          { customerId, paymentAccountType: 'SVC_CRYPTO_WALLET' },         ['svcCryptoWallet']],
  ['no object of an auto account',   { customerId, paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT' },     ['svcAutoFiatAccount']],
  ['a third party’s service wallet', serviceWalletOf(customerId, 'EVM', { isThirdParty: true }),      ['isThirdParty']],
  ['a wallet without a kind',        { customerId, paymentAccountType: 'SVC_CRYPTO_WALLET', svcCryptoWallet: {} }, ['svcCryptoWallet.cryptoWalletType']],
  ['no rail',                        bank({ bankAccountPaymentMethod: undefined }),                   ['externalBankAccount.bankAccountPaymentMethod']],
  ['a network for a rail',           bank({ bankAccountPaymentMethod: 'BASE' }),                      ['externalBankAccount.bankAccountPaymentMethod']],
  ['a currency of another rail',     bank({ bankAccountCurrency: 'EUR' }),                            ['externalBankAccount.bankAccountCurrency']],
  ['several wrong numbers at once',  bank({ routingNumber: '021000022', accountNumber: '1', iban: 'x' }), ['externalBankAccount.routingNumber', 'externalBankAccount.accountNumber', 'externalBankAccount.iban']],
  ['a number without quotes',        bank({ accountNumber: 123456789 }),                              ['externalBankAccount.accountNumber']],
  ['a third party without a name',   bank({ bankAccountOwner: undefined }, { isThirdParty: true }),   ['externalBankAccount.bankAccountOwner']],
  ['no name at all',                 { ...bank({ bankAccountOwner: undefined }), customerId: nameless.customerId }, ['externalBankAccount.bankAccountOwner']],
  ['an owner without a type',        bank({ bankAccountOwner: { firstName: 'Ada' } }),                ['externalBankAccount.bankAccountOwner.type']],
  ['a person without a last name',   bank({ bankAccountOwner: { type: 'INDIVIDUAL', firstName: 'A' } }), ['externalBankAccount.bankAccountOwner.lastName']],
  ['a bad owner’s email',            bank({ bankAccountOwner: { type: 'BUSINESS', businessName: 'B', email: 'b' } }), ['externalBankAccount.bankAccountOwner.email']],
  ['a bad Interac email',            bankAccountOf(customerId, { bankAccountPaymentMethod: 'CA_INTERAC', interacEmail: 'ada' }), ['externalBankAccount.interacEmail']],
  ['a wallet without fields',        wallet({}),                                                      ['externalCryptoWallet.currency', 'externalCryptoWallet.address', 'externalCryptoWallet.chain']],
  ['a wallet without a chain',       wallet({ currency: 'USDC', address }),                           ['externalCryptoWallet.chain']],
  ['two chains that differ',         wallet({ chain: 'BASE', currency: 'USDC', address: { address, chain: 'POLYGON' } }), ['externalCryptoWallet.address.chain']],
  ['an unknown chain',               wallet({ chain: 'BITCOIN', currency: 'USDC', address }),         ['externalCryptoWallet.chain']],
  ['a currency of another network',  wallet({ chain: 'POLYGON', currency: 'EURC', address }),         ['externalCryptoWallet.currency']],
  ['fiat on a chain',                wallet({ chain: 'POLYGON', currency: 'USD', address }),          ['externalCryptoWallet.currency']],
  ['an address of another network',  wallet({ chain: 'SOLANA', currency: 'USDC', address }),          ['externalCryptoWallet.address']],
  ['the contract of the token',      wallet({ chain: 'BASE', currency: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }), ['externalCryptoWallet.address']],
  ['the zero address inside',        wallet({ currency: 'USDC', address: { address: `0x${'0'.repeat(40)}`, chain: 'BASE' } }), ['externalCryptoWallet.address.address']],
  ['an address without quotes',      wallet({ chain: 'BASE', currency: 'USDC', address: 5 }),         ['externalCryptoWallet.address']],
  ['deposits without a currency',    auto({ destinationPaymentAccountId: 'x' }),                      ['svcAutoFiatAccount.currency', 'svcAutoFiatAccount.destinationCurrency', 'svcAutoFiatAccount.destinationPaymentMethod', 'svcAutoFiatAccount.destinationPaymentAccountId']],
])('%s is 400, and every wrong field is named', async (_what, body, fields) => {
  const refused = await postAccount(api, body)
  expect([refused.status, refused.body.error]).toEqual([400, 'BAD_REQUEST'])
  expect(fieldsIn(refused)?.sort()).toEqual([...fields].sort())
})

test('an unknown customer or destination is 404, regardless of other faults of the body', async () => {
  const cases = [
    { ...bank({}), customerId: newId() },
    { ...bank({ routingNumber: 'x' }), customerId: newId(), colour: 'red' },
    auto({ currency: 'USD', ...unknownDestination }),
    auto({ currency: 'XXX', ...unknownDestination }),
  ]
  for (const body of cases) {
    const refused = await postAccount(api, body)
    expect([refused.status, refused.body.error]).toEqual([404, 'NOT_FOUND'])
  }
  for (const path of ['', '/balance', '/balances']) {
    expect((await api.get(`/payment-accounts/${newId()}${path}`)).status).toBe(404)
    expect((await api.get(`/payment-accounts/x${path}`)).status).toBe(400)
  }
  expect((await api.delete(`/payment-accounts/${newId()}`)).status).toBe(404)
})

test('a destination must be the same customer’s, ACTIVE, and able to receive', async () => {
  const other = await createCustomer(api, { firstName: 'Other' })
  const theirs = await createAccount(api, serviceWalletOf(other.customerId))
  const ours = await createAccount(api, serviceWalletOf(customerId))
  const pending = await createAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' })
  const send = (destinationPaymentAccountId: string, more: object = {}) =>
    postAccount(api, auto({ currency: 'USD', ...unknownDestination, destinationPaymentAccountId, ...more }))
  expect((await send(theirs.paymentAccountId)).status).toBe(404)
  const waits = await send(pending.pendingPaymentAccountId ?? '')
  expect([waits.status, waits.body.error]).toEqual([409, 'CONFLICT'])
  const id = ours.paymentAccountId
  expect(fieldsIn(await send(id, { destinationPaymentMethod: 'SOLANA' }))).toEqual([
    'svcAutoFiatAccount.destinationPaymentMethod',
  ])
  expect(fieldsIn(await send(id, { destinationCurrency: 'EURC', destinationPaymentMethod: 'POLYGON' }))).toEqual([
    'svcAutoFiatAccount.destinationCurrency',
  ])
  const made = await send(id)
  expect(made.status).toBe(201)
  expect(fieldsIn(await send(made.body.paymentAccountId))).toEqual(['svcAutoFiatAccount.destinationPaymentAccountId'])
  await api.delete(`/payment-accounts/${made.body.paymentAccountId}`)
  await api.delete(`/payment-accounts/${id}`)
  expect((await send(id)).body).toMatchObject({ error: 'CONFLICT' })
})

test('deposit addresses of any organization are refused, in any spelling, deleted or not', async () => {
  const { organizationId } = await api.app.organizations.create({
    name: 'Other',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const { apiKey } = await api.app.credentials.createFullKey('Other', organizationId)
  const person = { customerType: 'INDIVIDUAL', email: 'a@example.com' }
  const other = (await api.post('/customers', person, { apiKey })).body.customerId
  for (const kind of ['EVM', 'SOLANA'] as const) {
    const theirs = await createAccount(api, serviceWalletOf(other, kind), { apiKey })
    const own = theirs.svcCryptoWallet?.address.address ?? ''
    const chain = kind === 'EVM' ? 'BASE' : 'SOLANA'
    const spellings = kind === 'EVM' ? [own, own.toLowerCase()] : [own]
    for (const text of spellings) {
      expect(fieldsIn(await postAccount(api, wallet({ chain, currency: 'USDC', address: text })))).toEqual([
        'externalCryptoWallet.address',
      ])
    }
    await api.delete(`/payment-accounts/${theirs.paymentAccountId}`, { apiKey })
    expect((await postAccount(api, wallet({ chain, currency: 'USDC', address: own }))).status).toBe(400)
  }
})

test('customers who are no longer served get no new accounts, and the state is refused before the body', async () => {
  const served = await createCustomer(api, { kycData: { legalFirstName: 'A', legalLastName: 'Approve' } })
  const decide = (outcome: string) => api.post(`/sandbox/customers/${served.customerId}/verification`, { outcome })
  const attempt = (body: object = {}) => postAccount(api, { ...serviceWalletOf(served.customerId), ...body })
  const pending = await createAccount(api, {
    customerId: served.customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  })
  await expect.poll(async () => (await decide('NEEDS_INFO')).status).toBe(200)
  expect((await attempt()).status).toBe(201)
  await decide('REJECT')
  for (const body of [{}, { colour: 'red' }]) {
    const refused = await attempt(body)
    expect([refused.status, refused.body.error]).toEqual([409, 'CONFLICT'])
  }
  const path = `/sandbox/payment-accounts/${pending.pendingPaymentAccountId}/complete`
  const late = await api.post(path, { externalBankAccount: bankAccounts.ACH() })
  expect([late.status, late.body.error]).toEqual([409, 'CONFLICT'])
})

test.each([
  ['a bank account', () => bank({})],
  ['the same IBAN in groups', () => bankAccountOf(customerId, bankAccounts.SEPA())],
  ['a wallet', () => wallet({ chain: 'BASE', currency: 'USDC', address })],
  ['a wallet on Solana', () => wallet({ chain: 'SOLANA', currency: 'USDC', address: solana })],
])('%s exists once, and can be created again after its deletion', async (_what, make) => {
  const body = make()
  const first = await createAccount(api, body)
  for (const again of [body, { ...body, isThirdParty: true, nickname: 'Other' }]) {
    const refused = await postAccount(api, again)
    expect([refused.status, refused.body.error]).toEqual([409, 'DUPLICATE_PAYMENT_ACCOUNT'])
  }
  const other = await createCustomer(api, { firstName: 'Other' })
  await createAccount(api, { ...body, customerId: other.customerId })
  await api.delete(`/payment-accounts/${first.paymentAccountId}`)
  await createAccount(api, body)
})
const solana = makeSolanaAddress()

test('another rail, network or currency is another account; another spelling is the same one', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  const us = { routingNumber: '121000248', accountNumber: '55512345' }
  const numbers = { ...us, bicSwift: undefined, bankAccountOwner: undefined }
  await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH(numbers)))
  await createAccount(api, bankAccountOf(customerId, bankAccounts.WIRE(numbers)))
  const withBic = await postAccount(api, bankAccountOf(customerId, bankAccounts.WIRE({ ...us, bicSwift: 'BOFAUS3N' })))
  expect(withBic.body.error).toBe('DUPLICATE_PAYMENT_ACCOUNT')
  const mine = makeEvmAddress()
  const send = (more: object) => postAccount(api, externalWalletOf(customerId, { address: mine, ...more }))
  expect((await send({ chain: 'BASE', currency: 'USDC' })).status).toBe(201)
  expect((await send({ chain: 'BASE', currency: 'EURC' })).status).toBe(201)
  expect((await send({ chain: 'POLYGON', currency: 'USDC' })).status).toBe(201)
  const lower = await send({ chain: 'BASE', currency: 'USDC', address: mine.toLowerCase() })
  expect(lower.body.error).toBe('DUPLICATE_PAYMENT_ACCOUNT')
})

test('completing a form with an existing account is 409, and the form stays open', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
  const pending = await createAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' })
  const complete = (externalBankAccount: object) =>
    api.post(`/sandbox/payment-accounts/${pending.pendingPaymentAccountId}/complete`, { externalBankAccount })
  expect((await complete(bankAccounts.ACH())).body.error).toBe('DUPLICATE_PAYMENT_ACCOUNT')
  expect((await complete(bankAccounts.SEPA())).status).toBe(200)
})

test('a key that may read accounts may not create or delete them', async () => {
  const reader = await createKey(api, { name: 'Reader', scopes: ['payment_accounts:read'] })
  const writer = await createKey(api, { name: 'Writer', scopes: ['payment_accounts:write'] })
  const { paymentAccountId } = await createAccount(api, serviceWalletOf(customerId), writer)
  expect((await postAccount(api, serviceWalletOf(customerId), reader)).status).toBe(403)
  expect((await api.delete(`/payment-accounts/${paymentAccountId}`, reader)).status).toBe(403)
  expect((await api.get(`/payment-accounts/${paymentAccountId}`, writer)).status).toBe(403)
  expect((await api.get(`/payment-accounts/${paymentAccountId}`, reader)).status).toBe(200)
})
