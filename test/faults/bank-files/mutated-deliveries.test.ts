import { afterAll, expect, test } from 'vitest'
import { writeNotification, writeStatement } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { entry, euroAccount, openDesk, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { createDice, mutate } from '../../support/bank/mutations.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  expectVerified,
  readTransaction,
  startWithWorkers,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

/** Files that a bank delivers again with errors in them: they are refused, repeated or in doubt, and credit nothing. */
const desk = await openDesk()
const api = await startWithWorkers(desk.settings)
afterAll(api.stop)
const ada = await makeActive(api, 'DE')
const { customerId } = ada
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')

const createdAt = new Date('2026-11-17T06:00:00Z')
const payer = { name: 'Ada Approve', account: { iban: 'DE89370400440532013000' } }

async function order(amount: string) {
  const from = [bank, 'EUR', 'SEPA', amount] as const
  const transaction = await createTransaction(api, { customerId, from, to: [wallet, 'USDC', 'BASE'] })
  return { transaction, remittance: [transferReference(transaction) ?? ''] }
}

const orders = [await order('41.00'), await order('42.00'), await order('43.00')]
const amounts = [4_100n, 4_200n, 4_300n]
const entries = orders.map(({ remittance }, at) =>
  entry(
    'CREDIT',
    amounts[at] ?? 0n,
    { counterparty: payer, remittance, references: { endToEndId: `INVOICE-${at}` } },
    { entryReference: `ENTRY-${at}`, bankReference: desk.newReference() },
  ),
)
const euros = (units: bigint) => ({ currency: 'EUR' as const, units })
const balances = [
  { code: 'OPBD', direction: 'CREDIT', amount: euros(1_000n), date: '2026-11-15' },
  { code: 'CLBD', direction: 'CREDIT', amount: euros(13_600n), date: '2026-11-16' },
] as const
const told = { account: euroAccount, entries }
const sound = [
  writeNotification({ messageId: 'MESSAGE-1', createdAt, statements: [{ ...told, statementId: 'NOTICE-1' }] }),
  writeStatement({
    messageId: 'MESSAGE-2',
    createdAt,
    statements: [{ ...told, statementId: 'STATEMENT-1', balances }],
  }),
].map((chunks) => Buffer.concat([...chunks]))

async function read() {
  await waitUntilRead(api, desk)
  const text = 'select from svc.sightings where due_at is not null'
  await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
}

const filesPerRound = 10

test('mutated re-deliveries of applied files credit nothing, and nothing is refunded', {
  timeout: roundsTimeoutMs,
}, async () => {
  for (const bytes of sound) {
    await desk.deliver([bytes])
    await read()
  }
  for (const { transaction } of orders) await waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
  const dice = createDice(seed)
  await playRounds({ short: 4, full: 100 }, async () => {
    for (let number = 0; number < filesPerRound; number += 1) {
      const file = mutate(sound[number % sound.length] as Buffer, dice)
      if (!hasAnotherBooking(file)) await desk.deliver([file])
    }
    await read()
    await expectUnchanged()
  })
  const statuses = await api.app.database.query<{ status: string }>({
    text: 'select distinct status from svc.bank_files',
  })
  expect(statuses.map(({ status }) => status)).toEqual(expect.arrayContaining(['APPLIED', 'QUARANTINED']))
})

const known = new Set(entries.flatMap(({ entryReference = '', bankReference = '' }) => [entryReference, bankReference]))

/**
 * True when both references of an entry were changed: that is how a bank tells of another booking, and Svc believes it. The
 * reference of an entry counts within its statement, so the id of the statement is part of it.
 */
function hasAnotherBooking(file: Buffer): boolean {
  const text = file.toString('latin1')
  const statementIds = [...text.matchAll(/<(?:Stmt|Ntfctn)>\s*<Id>([^<]*)</g)].map(([, id]) => id)
  const isOtherStatement = statementIds.some((id) => id !== 'NOTICE-1' && id !== 'STATEMENT-1')
  const isChanged = (pattern: RegExp, entryText: string) => {
    const reference = pattern.exec(entryText)?.[1]
    return reference !== undefined && !known.has(reference)
  }
  return text
    .split('<Ntry>')
    .slice(1)
    .some(
      (each) => isChanged(/<AcctSvcrRef>([^<]*)</, each) && (isOtherStatement || isChanged(/<NtryRef>([^<]*)</, each)),
    )
}

/** Expects the first three deposits alone. Every other credit is a repetition, or waits for a person. */
async function expectUnchanged() {
  const [found] = await api.app.database.query({
    text: `select (select array_agg(amount::text order by amount) from svc.deposits) as deposits,
                  (select count(*)::int from svc.payouts where purpose in ('REFUND', 'RETURN')) as refunds,
                  (select count(*)::int from svc.bank_entries where outcome = 'DEPOSIT') as credited,
                  (select count(*)::int from svc.bank_entries
                    where outcome not in ('DEPOSIT', 'REPEATED', 'QUARANTINED') and direction = 'CREDIT') as others`,
  })
  expect(found, `SEED=${seed}`).toEqual({ deposits: amounts.map(String), refunds: 0, credited: 3, others: 0 })
}

test('the transactions stand, and the books hold', async () => {
  for (const { transaction } of orders) {
    const found = await readTransaction(api, transaction)
    expect(found).toMatchObject({ transactionStatus: 'COMPLETED' })
    expect(found).not.toHaveProperty('refundStatus')
  }
  await expectVerified(api)
})
