import { expect, test } from 'vitest'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import type { EntryRecord } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { advance, waitForTransaction } from '../../support/money/transactions.ts'
import { settleAll, today } from '../../support/reconciliation/reading.ts'
import { eventually } from '../../support/runner/eventually.ts'

const { desk, api, pay, reads } = await startSepaPayments()

/** The entries of the ledger's own statement. The reader refuses entries that do not lead to the closing balance. */
async function exportedEntries(date: string): Promise<string[]> {
  const { status, body } = await api.get(`/reconciliation/statement.xml?account=eur-main&date=${date}`)
  expect(status).toBe(200)
  const found: EntryRecord[] = []
  for await (const record of readIncoming(chunksOf(body))) if (record.type === 'ENTRY') found.push(record)
  return found.map(({ direction, amount, charges }) => `${direction} ${amount.units}, ${charges.length} charges`)
}

test('charges that the bank tells of a payout that an operator settled are exported once, when they are recorded', async () => {
  const paid = await pay('10.00')
  const text = 'select payout_id as id, organization_id as organization from svc.payouts where transaction_id = $1'
  const [payout] = await api.app.database.query<{ id: string; organization: string }>({
    text,
    values: [paid.transactionId],
  })
  const wanted = { payoutId: payout?.id ?? '', outcome: 'confirmed', reference: 'letter', reason: 'a letter' } as const
  await eventually(async () =>
    expect(await api.app.manualSettlements.settle(wanted)).toMatchObject({ result: 'SETTLED' }),
  )
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  const day = await today(api)
  const plain = [`DEBIT ${paid.sent.amount}, 0 charges`]

  await advance(api, 'P1D')
  expect(await exportedEntries(day)).toEqual(plain)
  const costs = { amount: { currency: 'EUR', units: 500n }, direction: 'DEBIT', isIncluded: true } as const
  const dated = { bankReference: desk.newReference(), bookingDate: day, valueDate: day, charges: [costs] }
  const named = { references: { endToEndId: paid.sent.reference } }
  await reads(desk.notify(euroAccount, [entry('DEBIT', paid.sent.amount + 500n, named, dated)]))
  await settleAll(api)
  expect(await exportedEntries(day)).toEqual(plain)

  const next = await today(api)
  const fee = { organizationId: payout?.organization ?? '', holding: 'eur-main', asset: 'EUR', amount: '5.00' } as const
  await api.app.treasury.chargeFee({ ...fee, reason: 'the charges of a payout' })
  await advance(api, 'P1D')
  expect(await exportedEntries(day)).toEqual(plain)
  expect(await exportedEntries(next)).toEqual(['DEBIT 500, 0 charges'])
})

async function* chunksOf(text: string) {
  yield Buffer.from(text)
}
