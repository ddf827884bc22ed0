import { expect, test } from 'vitest'
import { readEntries } from '../../../src/adapters/bank/nacha/reader.ts'
import { writeReturns } from '../../../src/adapters/bank/nacha/returns.ts'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import {
  dollarAccount,
  entry,
  euroAccount,
  openDesk,
  waitForFile,
  waitUntilRead,
} from '../../support/bank/bank-desk.ts'
import { makeProductionPayer, openTreasury, startProduction } from '../../support/bank-files/production-world.ts'
import { productionSettings } from '../../support/customers/production-api.ts'
import { postAccount } from '../../support/money/payment-accounts.ts'
import { postQuote } from '../../support/money/quotes.ts'
import {
  availableIn,
  createTransaction,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { runSvc } from '../../support/runner/process.ts'

/** A production deployment. Folders alone connect it with its banks, which this test plays. */
const desk = await openDesk()
const world = await startProduction(desk)
const { api } = world
const payers = { ACH: await makeProductionPayer(world, 'ACH'), SEPA: await makeProductionPayer(world, 'SEPA') }

const rails = {
  ACH: { currency: 'USD', account: dollarAccount },
  SEPA: { currency: 'EUR', account: euroAccount },
} as const
type Rail = keyof typeof rails

const wishToFund = (rail: Rail) => {
  const { customerId, bank, wallet } = payers[rail]
  const from = [bank, rails[rail].currency, rail, '500.00'] as const
  return { customerId, from, to: [wallet, 'EURC', 'SOLANA'] as const }
}

function offRamp(rail: Rail) {
  const { customerId, bank, wallet } = payers[rail]
  const to = [bank, rails[rail].currency, rail] as const
  return createTransaction(api, { customerId, from: [wallet, 'EURC', 'SOLANA', '100'], to })
}

const amountOf = (rail: Rail, units: bigint) => ({ amount: { currency: rails[rail].currency, units } })
const completed = { transactionStatus: 'COMPLETED' }
const returned = { transactionStatus: 'FAILED', failureReason: 'destination_returned_funds' }

test('a rail without a connected account takes no transfers of customers', async () => {
  const refused = await postQuote(api, wishToFund('ACH'))
  expect([refused.status, refused.body.error]).toEqual([403, 'PAYMENT_METHOD_NOT_AVAILABLE'])
  await openTreasury(world, payers.ACH.organizationId)
  expect((await postQuote(api, wishToFund('ACH'))).status).toBe(201)
})

test.each([
  ['ACH', { transferRoutingNumber: '021000021', transferBankAccountNumber: '900000000001' }, 'Example Payments Inc'],
  ['SEPA', { transferIban: 'DE75512108001245126199', transferBicSwift: 'SOGEDEFF' }, 'Example Payments SE'],
] as const)('%s: a credit with the transfer message completes an on-ramp, once', async (rail, coordinates, holder) => {
  const { wallet } = payers[rail]
  const before = await availableIn(api, wallet, 'EURC', 'SOLANA')
  const awaiting = await createTransaction(api, wishToFund(rail))
  const instructions = { ...coordinates, transferBankBeneficiaryName: holder, transferPaymentMethod: rail }
  expect(awaiting.transferInstructions).toMatchObject(instructions)
  const told = { counterparty: { name: 'Ada Example' }, remittance: [`for ${transferReference(awaiting)}`] }
  const credit = entry('CREDIT', 50_000n, told, { ...amountOf(rail, 50_000n), bankReference: desk.newReference() })
  await desk.notify(rails[rail].account, [credit])
  const { destination } = await waitForTransaction(api, awaiting, completed)
  await desk.state(rails[rail].account, [credit])
  await waitUntilRead(api, desk)
  const units = (text: string) => BigInt(text.replace('.', ''))
  const received = units(await availableIn(api, wallet, 'EURC', 'SOLANA')) - units(before)
  expect(received).toBe(units(destination.destinationAmount))
})

test('SEPA: money to a virtual account of a range becomes a transaction; an organization opens only its share', async () => {
  const { customerId, wallet } = payers.SEPA
  const svcAutoFiatAccount = {
    currency: 'EUR',
    destinationPaymentAccountId: wallet,
    destinationCurrency: 'EURC',
    destinationPaymentMethod: 'SOLANA',
  }
  const wanted = { customerId, paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT', svcAutoFiatAccount }
  const opened = await postAccount(api, wanted)
  expect(opened.status).toBe(201)
  const { paymentAccountId } = opened.body
  const { iban = '' } = (await api.get(`/payment-accounts/${paymentAccountId}`)).body.svcAutoFiatAccount ?? {}
  expect(iban).toMatch(/^DE\d\d512108000000000001$/)
  const told = { counterparty: { name: 'Ada Example' }, ownAccount: { iban } }
  await desk.notify(euroAccount, [entry('CREDIT', 20_000n, told, { bankReference: desk.newReference() })])
  await eventually(async () => {
    const { transactions } = (await api.get(`/transactions?paymentAccountId=${paymentAccountId}`)).body
    expect(transactions).toMatchObject([{ ...completed, source: { sourceAmount: '200.00' } }])
  })
  // Deleted accounts count: their numbers are never issued again.
  expect((await api.call('DELETE', `/payment-accounts/${paymentAccountId}`)).status).toBe(200)
  const answers = await Promise.all([1, 2, 3].map(() => postAccount(api, wanted)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const message = 'Your organization has opened 2 auto fiat accounts, and can open no more'
  expect(await postAccount(api, wanted)).toMatchObject({ status: 409, body: { error: 'CONFLICT', message } })
})

test('SEPA: a payment file leaves once, the debit completes the off-ramp, and a return makes it FAILED', async () => {
  const paid = await offRamp('SEPA')
  const { reference, name, amount } = await waitForFile(api, paid.transactionId)
  expect(await desk.list('outgoing')).toEqual([name])
  expect(String(await desk.read('outgoing', name))).toContain(`<EndToEndId>${reference}</EndToEndId>`)
  const debit = entry('DEBIT', amount, { references: { endToEndId: reference } })
  await desk.state(euroAccount, [debit])
  await waitForTransaction(api, paid, completed)
  const money = { currency: 'EUR', units: amount } as const
  await desk.returns([{ returnId: 'RETURN-1', reference, amount: money, effectiveDate: '2026-11-16', code: 'AC04' }])
  await waitForTransaction(api, paid, returned)
  expect(await desk.list('outgoing')).toEqual([name])
})

test('ACH: a payment file leaves once, the debit completes the off-ramp, and a return makes it FAILED', async () => {
  const before = await desk.list('outgoing')
  const paid = await offRamp('ACH')
  const { fileId, name, amount } = await waitForFile(api, paid.transactionId)
  expect(await desk.list('outgoing')).toEqual([...before, name].sort())
  const total = amountOf('ACH', amount)
  const batch = { fileId, count: 1, total: total.amount }
  await desk.state(dollarAccount, [entry('DEBIT', amount, {}, { ...total, batch, details: [] })])
  await waitForTransaction(api, paid, completed)
  const originals = []
  for await (const item of readEntries([await desk.read('outgoing', name)])) {
    if (item.type === 'ENTRY') originals.push(item)
  }
  expect(originals).toMatchObject([{ amount }])
  const names = {
    immediateDestination: '1234567890',
    immediateOrigin: '021000021',
    destinationName: 'EXAMPLE INC',
    originName: 'FIRST BANK',
  }
  const answers = originals.map((original) => ({ type: 'RETURN', original, code: 'R02' }) as const)
  const head = { names, createdAt: new Date(), fileIdModifier: 'A', effectiveDate: '2026-11-16' }
  await desk.deliver(writeReturns({ ...head, odfi: '02100002', firstTrace: 1, answers }), 'returns.ach')
  await waitForTransaction(api, paid, returned)
  expect(await desk.list('outgoing')).toEqual([...before, name].sort())
})

test("only the platform's keys see the files of banks", async () => {
  const { SVC_ENVIRONMENT, SVC_TRUSTED_PROXIES, SVC_PUBLIC_URL } = productionSettings
  const create = ['keys', 'create', 'Operator', '--organization', platformOrganizationId]
  const { code, output } = await runSvc(api, create, { SVC_ENVIRONMENT, SVC_TRUSTED_PROXIES, SVC_PUBLIC_URL })
  const apiKey = /svc_live_\S+/.exec(output)?.[0] ?? ''
  expect([code, apiKey]).toEqual([0, expect.stringMatching(/./)])
  const list = async (options = {}) => (await api.get('/bank-files?pageSize=100', options)).body.bankFiles
  expect(await list()).toEqual([])
  const files = await list({ apiKey })
  expect(files.filter(({ direction }) => direction === 'OUTGOING')).toHaveLength(2)
  expect(files.filter(({ direction }) => direction === 'INCOMING')).toHaveLength(9)
  expect(await desk.list('quarantine')).toEqual([])
  // The platform decides about deposits that wait, of every organization, and sees no others.
  const statuses = (await api.get('/deposits', { apiKey })).body.deposits.map(({ depositStatus }) => depositStatus)
  expect(statuses.filter((status) => !['HELD', 'UNMATCHED', 'RETURNING'].includes(status))).toEqual([])
  expect((await api.post('/sandbox/bank/deposits', {})).body.error).toBe('SANDBOX_ONLY')
})

test('the books hold', async () => {
  const { checks } = await api.app.verify()
  expect(checks.filter(({ isMoney, ok }) => isMoney && !ok)).toEqual([])
})
