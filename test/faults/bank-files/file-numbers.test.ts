import { expect, test } from 'vitest'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { checkPayment, writeFile } from '../../../src/adapters/bank/write.ts'
import { newId } from '../../../src/lib/ids.ts'
import { prepareFiles } from '../../../src/transactions/bank-files/outgoing/prepare.ts'
import type { PayoutOrder } from '../../../src/transactions/payouts/rail.ts'
import { startApi } from '../../support/runner/api.ts'

/** The numbers and hours of files at a bank that keeps its hours, on a Tuesday in New York. */
const api = await startApi()
const { database, treasury } = api.app
const dollars = (await treasury.listAccounts()).find(({ currency }) => currency === 'USD')?.bankAccountId ?? ''

function orderAt(now: Date, amount = 100n): PayoutOrder {
  const coordinates = { routingNumber: '021000021', accountNumber: '12345678' }
  return {
    reference: newId(),
    shortReference: newId().replaceAll('-', '').slice(-15).toUpperCase(),
    purpose: 'PAYOUT',
    method: 'ACH',
    asset: 'USD',
    amount,
    from: { type: 'BANK_ACCOUNT', bankAccountId: dollars },
    destination: { type: 'BANK', details: { coordinates, bankAccountType: 'CHECKING', ownerName: 'Ada Byron' } },
    originator: { customerId: null, name: 'Ada Byron' },
    memo: 'PAYOUT',
    attempt: 1,
    notAfter: new Date(now.getTime() + 900_000),
  } as PayoutOrder
}

async function prepareAt(at: string, { amount = 100n, usesSameDay = false, keepsHours = true } = {}) {
  const now = new Date(at)
  const formats = { checkPayment, writeFile, readIncoming }
  const closedDays = new Set<string>()
  const deps = { database, formats, keepsHours, usesSameDay, closedDays, listAccounts: treasury.listAccounts }
  const { batches, declined } = await prepareFiles(deps, [orderAt(now, amount)], now)
  return { batch: batches[0], declined: declined[0] }
}

test('after a dozen files of a day an account has one an hour', async () => {
  const at = (hour: number, minute: number) => new Date(Date.UTC(2031, 0, 7, 5 + hour, minute)).toISOString()
  const counted: number[] = []
  for (const hour of [6, 7, 8, 19]) {
    let files = 0
    for (let minute = 0; minute < 16; minute += 1) if ((await prepareAt(at(hour, minute))).batch) files += 1
    counted.push(files)
  }
  expect(counted).toEqual([12, 1, 1, 1])
  const { declined } = await prepareAt(at(19, 30))
  expect(declined).toMatchObject({ outcome: 'NOT_NOW', until: new Date(at(20, 0)) })
})

test('a file lapses when the bank closes', async () => {
  const { batch } = await prepareAt('2031-01-09T00:59:00Z')
  expect(batch?.notAfter).toEqual(new Date('2031-01-09T01:00:00Z'))
})

test.each([
  ['is not asked for', '2031-01-15T16:00:00Z', { usesSameDay: false }, 'ACH'],
  ['is open', '2031-01-15T16:00:00Z', { usesSameDay: true }, 'ACH_SAME_DAY'],
  ['has closed', '2031-01-15T22:00:00Z', { usesSameDay: true }, 'ACH'],
  ['carries no such amount', '2031-01-15T16:00:00Z', { usesSameDay: true, amount: 1_000_000_01n }, 'ACH'],
])('Same Day ACH %s', async (_, at, options, service) => {
  const { batch } = await prepareAt(at, options)
  const text = 'select service from svc.bank_files where message_id = $1'
  expect(await database.query({ text, values: [batch?.batchId] })).toEqual([{ service }])
})
