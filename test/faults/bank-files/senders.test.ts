import { expect, test } from 'vitest'
import type { AccountName, EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import { createTransferMessage } from '../../../src/transactions/deposits/transfer-message.ts'
import { entry, euroAccount, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startEuroWorld } from '../../support/bank/euro-world.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  expectVerified,
  readTransaction,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Senders of money: expected, unexpected, and known without a reference. */
const { desk, api, ada, customerId, order, openAutoAccount } = await startEuroWorld()
const partnerOwner = { type: 'BUSINESS', businessName: 'Muster Handel GmbH', email: 'owner@example.com' }
const partner = await createAccount(
  api,
  bankAccountOf(
    customerId,
    bankAccounts.SEPA({ iban: 'FR1420041010050500013M02606', bicSwift: 'PSSTFRPP', bankAccountOwner: partnerOwner }),
    { isThirdParty: true },
  ),
)
const registered: AccountName = { iban: 'DE89370400440532013000' }

/** Lets a credit arrive, and answers its deposit's row. */
async function arrive(units: bigint, detail: Partial<EntryDetail>) {
  const bankReference = desk.newReference()
  await desk.notify(euroAccount, [entry('CREDIT', units, detail, { bankReference })])
  await waitUntilRead(api, desk)
  const text = `select deposit_id as "depositId", status from svc.deposits where external_id = $1`
  return eventually(async () => {
    const [found] = await api.app.database.query<{ depositId: string; status: string }>({
      text,
      values: [bankReference],
    })
    if (!found) throw new Error('there is no deposit yet')
    return found
  })
}

const from = (name: string, account?: AccountName) => ({
  counterparty: account ? { name, account } : { name },
})

test.each([
  ['the customer, in other words', 'own', 'APPROVE, A.'],
  ['the owner of the account', 'own', 'ADA EXAMPLE'],
  ['a third party that owns the source account', 'partner', 'MUSTER HANDEL'],
  ['a sender without a name', 'own', undefined],
])('money of %s is applied', async (_, source, name) => {
  const { transactionId, message } = await order('11.00', source === 'partner' ? partner.paymentAccountId : undefined)
  await arrive(1_100n, { remittance: [message], ...(name === undefined ? {} : from(name)) })
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test.each([
  ['another person', 'own', 'Bob Builder'],
  ['the customer, for a source account of a third party', 'partner', 'Ada Approve'],
])('money of %s waits for an operator, who applies it', async (_, source, name) => {
  const { transactionId, message } = await order('12.00', source === 'partner' ? partner.paymentAccountId : undefined)
  const { depositId, status } = await arrive(1_200n, { remittance: [message], ...from(name) })
  expect(status).toBe('HELD')
  const { body } = await api.get(`/deposits/${depositId}`)
  expect(body).toMatchObject({ depositStatus: 'HELD', holdReason: 'SENDER_MISMATCH', transactionId })
  // Time passes, and the re-checks of held deposits change nothing. The transaction stays open for the decision.
  await advance(api, 'P8D')
  expect(await readTransaction(api, { transactionId })).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  const decision = { action: 'APPLY', transactionId, reason: 'The sender is a relative' }
  const answer = await api.post(`/deposits/${depositId}/resolve`, decision)
  expect([answer.status, answer.body.depositStatus, answer.body.holdReason]).toEqual([200, 'APPLIED', undefined])
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('a virtual account converts money of its customer, and money without a name', async () => {
  const ownAccount = await openAutoAccount()
  for (const detail of [from('APPROVE, ADA'), {}])
    expect(await arrive(3_000n, { ownAccount, ...detail })).toMatchObject({ status: 'APPLIED' })
})

test('money of another person to a virtual account waits for an operator, who credits it', async () => {
  const ownAccount = await openAutoAccount()
  const { depositId, status } = await arrive(3_100n, { ownAccount, ...from('Mallory Mule') })
  expect(status).toBe('HELD')
  const { body } = await api.get(`/deposits/${depositId}`)
  expect(body).toMatchObject({ depositStatus: 'HELD', holdReason: 'SENDER_MISMATCH', customerId })
  expect(body).not.toHaveProperty('transactionId')
  await advance(api, 'P8D')
  expect((await api.get(`/deposits/${depositId}`)).body).toMatchObject({ depositStatus: 'HELD' })
  const decision = { action: 'CREDIT', reason: 'The sender is a relative' }
  const answer = await api.post(`/deposits/${depositId}/resolve`, decision)
  expect([answer.status, answer.body.depositStatus]).toEqual([200, 'CREDITED'])
})

test('a message of a transaction does not open a virtual account to the third party that it awaits', async () => {
  const ownAccount = await openAutoAccount()
  const { transactionId, message } = await order('32.00', partner.paymentAccountId)
  const told = { ownAccount, remittance: [message] }
  const { depositId, status } = await arrive(3_200n, { ...told, ...from('MUSTER HANDEL') })
  expect(status).toBe('HELD')
  expect((await api.get(`/deposits/${depositId}`)).body).toMatchObject({ holdReason: 'SENDER_MISMATCH', customerId })
  expect(await arrive(3_200n, { ...told, ...from('Ada Approve') })).toMatchObject({ status: 'APPLIED' })
  expect(await readTransaction(api, { transactionId })).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
})

test('a second message that names another customer than the virtual account decides nothing', async () => {
  const ownAccount = await openAutoAccount()
  const grace = await makeActive(api, 'DE', { firstName: 'Grace' })
  const accounts = await makeAccounts(api, grace, 'SEPA')
  const own = await order('33.00')
  const other = transferReference(
    await createTransaction(api, {
      customerId: grace.customerId,
      from: [accounts.bank, 'EUR', 'SEPA', '33.00'],
      to: [accounts.wallet, 'USDC', 'BASE'],
    }),
  )
  for (const remittance of [[`${own.message} ${other}`], [`${other} ${own.message}`]])
    expect(await arrive(3_300n, { ownAccount, remittance, ...from('Ada Approve') })).toMatchObject({
      status: 'UNMATCHED',
    })
})

test('the messages of two transactions in one text select neither, and both are suggestions', async () => {
  const [one, two] = [await order('18.00'), await order('18.00')]
  const remittance = [`${one.message} ${two.message}`]
  const { depositId, status } = await arrive(1_800n, { remittance, ...from('Ada Approve') })
  expect(status).toBe('UNMATCHED')
  const found = (await api.app.unattributedDeposits.list()).find((each) => each.depositId === depositId)
  const ids = [one.transactionId, two.transactionId]
  expect(found?.suggestions.map(({ transactionId }) => transactionId)).toEqual(ids)
  for (const each of [one, two])
    expect(await readTransaction(api, each)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
})

test('a message of no transaction beside a known one changes nothing', async () => {
  const { transactionId, message } = await order('19.00')
  const unknown = createTransferMessage(new Uint8Array(12).fill(7))
  await arrive(1_900n, { remittance: [`${unknown} ${message}`], ...from('Ada Approve') })
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('a registered sender and the awaited amount are a suggestion, and never more', async () => {
  const awaited = await order('13.00')
  await order('14.00')
  const { depositId, status } = await arrive(1_300n, { remittance: ['rent'], ...from('Ada Approve', registered) })
  expect(status).toBe('UNMATCHED')
  const listed = await api.app.unattributedDeposits.list()
  const found = listed.find((each) => each.depositId === depositId)
  expect(found?.suggestions.map(({ transactionId }) => transactionId)).toEqual([awaited.transactionId])
  const { organizationId } = ada
  const assigned = await api.app.unattributedDeposits.assign({
    depositId,
    organizationId,
    customerId,
    reason: 'the sender called',
  })
  const { body } = await api.get(`/deposits/${assigned?.depositId}`)
  expect(body).toMatchObject({ depositStatus: 'UNMATCHED', suggestedTransactionIds: [awaited.transactionId] })
  expect(await readTransaction(api, awaited)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  const decision = { action: 'APPLY', transactionId: awaited.transactionId, reason: 'suggested' }
  expect((await api.post(`/deposits/${assigned?.depositId}/resolve`, decision)).body).toMatchObject({
    depositStatus: 'APPLIED',
  })
  await waitForTransaction(api, awaited, { transactionStatus: 'COMPLETED' })
})

test.each([
  ['the amount alone', 1_500n, { iban: 'DE02120300000000202051' }],
  ['the amount without a sender', 1_500n, undefined],
  ['a registered sender alone', 1_501n, registered],
])('%s suggests nothing', async (_, units, account) => {
  const awaited = await order('15.00')
  const { depositId, status } = await arrive(units, from('Ada Approve', account))
  expect(status).toBe('UNMATCHED')
  const listed = await api.app.unattributedDeposits.list()
  expect(listed.find((each) => each.depositId === depositId)?.suggestions).toEqual([])
  expect(await readTransaction(api, awaited)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
})

test('a customer with the name of the sender is suggested first, and none crowds out others', async () => {
  const awaited = await order('17.00')
  const mallory = await makeActive(api, 'DE', { firstName: 'Mallory' })
  const own = await makeAccounts(api, mallory, 'SEPA')
  for (let count = 0; count < 6; count += 1) {
    const from = [own.bank, 'EUR', 'SEPA', '17.00'] as const
    await createTransaction(api, { customerId: mallory.customerId, from, to: [own.wallet, 'USDC', 'BASE'] })
  }
  const { depositId } = await arrive(1_700n, { remittance: ['rent'], ...from('Ada Approve', registered) })
  const found = (await api.app.unattributedDeposits.list()).find((each) => each.depositId === depositId)
  expect(found?.suggestions).toHaveLength(6)
  expect(found?.suggestions[0]?.transactionId).toBe(awaited.transactionId)
})

test('a transaction that expired lately is suggested, an older one is not', async () => {
  const old = await order('16.00')
  await waitForExpiry(old, 'P9D')
  const late = await order('16.00')
  await waitForExpiry(late, 'P6D')
  const { depositId } = await arrive(1_600n, from('Ada Approve', registered))
  const found = (await api.app.unattributedDeposits.list()).find((each) => each.depositId === depositId)
  expect(found?.suggestions.map(({ transactionId }) => transactionId)).toEqual([late.transactionId])
})

async function waitForExpiry(transaction: { transactionId: string }, duration: string): Promise<void> {
  await advance(api, duration)
  await waitForTransaction(api, transaction, { transactionStatus: 'EXPIRED' })
}

test('the books hold', () => expectVerified(api))
