import { expect, test } from 'vitest'
import { createFolderExchange } from '../../../src/adapters/bank/exchange.ts'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { checkPayment, writeFile } from '../../../src/adapters/bank/write.ts'
import type { FiatRail } from '../../../src/catalog/currencies.ts'
import { readConfig } from '../../../src/config.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { BankCoordinates } from '../../../src/payment-accounts/payment-account.ts'
import { createBankRail } from '../../../src/transactions/bank-files/outgoing/rail.ts'
import type { PayoutOrder } from '../../../src/transactions/payouts/rail.ts'
import { folderIdentity, openDesk } from '../../support/bank/bank-desk.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

/** The rail of bank files in the hours of the banks, at times of our choice. */
const desk = await openDesk()
const api = await startApi({ ...desk.settings, SVC_BANK_HOURS: 'calendar' })
const { database, treasury } = api.app
const config = readConfig({ SVC_BANK_HOURS: 'calendar', SVC_BANK_CLOSED_DAYS: 'INDIA 2027-04-01' }, desk.folder)
const rail = createBankRail({
  database,
  formats: { checkPayment, writeFile, readIncoming },
  exchange: createFolderExchange(desk.folder, { settleMs: 0, identity: folderIdentity(database) }),
  keepsHours: config.bankFiles?.keepsHours ?? false,
  usesSameDay: false,
  closedDays: config.bankFiles?.closedDays ?? new Set(),
  methods: ['ACH', 'WIRE', 'SEPA', 'IN_NEFT_RTGS_IMPS'],
  validSeconds: 600,
  listAccounts: treasury.listAccounts,
  onPoint: () => {},
})
const call = () => ({ signal: new AbortController().signal })

type Wish = { rail: FiatRail; currency: 'USD' | 'EUR' | 'INR'; account: string; coordinates: BankCoordinates }
const wishes: Record<string, Wish> = {
  ACH: {
    rail: 'ACH',
    currency: 'USD',
    account: 'usd-main',
    coordinates: { routingNumber: '021000021', accountNumber: '000123456789' },
  },
  WIRE: {
    rail: 'WIRE',
    currency: 'USD',
    account: 'usd-main',
    coordinates: { routingNumber: '026009593', accountNumber: '4417123456', bicSwift: 'BOFAUS3N' },
  },
  SEPA: { rail: 'SEPA', currency: 'EUR', account: 'eur-main', coordinates: { iban: 'DE89370400440532013000' } },
  INDIA: {
    rail: 'IN_NEFT_RTGS_IMPS',
    currency: 'INR',
    account: 'inr-main',
    coordinates: { ifscCode: 'HDFC0000123', accountNumber: '50100123456789' },
  },
}

let references = 0

async function setClock(at: string): Promise<Date> {
  await database.query({ text: 'update svc.clock set frozen_at = $1', values: [at] })
  return new Date(at)
}

function orderOf(name: string, now: Date, more: Partial<PayoutOrder> = {}): PayoutOrder {
  const { rail: method, currency, account, coordinates } = wishes[name] as Wish
  references += 1
  return {
    reference: newId(),
    shortReference: `R${String(references).padStart(14, '0')}`,
    purpose: 'PAYOUT',
    method,
    asset: currency,
    amount: 1_000n,
    attempt: 1,
    memo: 'a test',
    notAfter: new Date(now.getTime() + 600_000),
    from: { type: 'BANK_ACCOUNT', bankAccountId: account },
    originator: {
      customerId: newId(),
      name: 'Ada Approve',
      address: { streetLine1: '1 Main Street', city: 'Springfield', postalCode: '94104', countryCode: 'US' },
    },
    destination: {
      type: 'BANK',
      details: {
        paymentMethod: method,
        currency,
        bankAccountType: 'CHECKING',
        bankName: 'First Example Bank',
        coordinates,
        ownerName: 'Ada Example',
      },
    },
    ...more,
  } as PayoutOrder
}

async function fileOf(batchId: string) {
  const text = `select service, execution_date::text as day, modifier, status from svc.bank_files where message_id = $1`
  return first(await database.query<Record<string, unknown>>({ text, values: [batchId] }))
}

// biome-ignore format: a table is read by column
test.each<[string, string, string, object, bigint?]>([
  ['SEPA before the cut-off, on the same day',       'SEPA',  '2026-11-18T09:00:00Z', { service: 'SEPA', day: '2026-11-18' }],
  ['WIRE before the cut-off, on the same day',       'WIRE',  '2026-11-18T17:00:00Z', { service: 'WIRE', day: '2026-11-18' }],
  ['ACH, on the next banking day',                   'ACH',   '2026-11-18T17:00:00Z', { service: 'ACH',  day: '2026-11-19' }],
  ['ACH before Thanksgiving, after the holiday',     'ACH',   '2026-11-25T17:00:00Z', { service: 'ACH',  day: '2026-11-27' }],
  ['rupees on a Sunday by IMPS',                     'INDIA', '2026-11-22T04:30:00Z', { service: 'IMPS', day: '2026-11-22' }],
  ['many rupees on a Sunday by RTGS',                'INDIA', '2026-11-22T04:30:00Z', { service: 'RTGS', day: '2026-11-22' }, 600_000_00n],
  ['less than a rupee by NEFT',                      'INDIA', '2026-11-22T04:30:00Z', { service: 'NEFT', day: '2026-11-22' }, 50n],
])('the bank executes %s', async (_, name, at, expected, amount = 1_000n) => {
  const now = await setClock(at)
  const { batches, declined } = await rail.prepare([orderOf(name, now, { amount })], call())
  expect(declined).toEqual([])
  expect(await fileOf(first(batches).batchId)).toMatchObject(expected)
})

// biome-ignore format: a table is read by column
test.each([
  ['SEPA after the cut-off',   'SEPA', '2026-11-18T14:30:00Z', '2026-11-19T05:00:00.000Z'],
  ['SEPA on a Saturday',       'SEPA', '2026-11-21T09:00:00Z', '2026-11-23T05:00:00.000Z'],
  ['SEPA on Christmas Day',    'SEPA', '2026-12-25T09:00:00Z', '2026-12-28T05:00:00.000Z'],
  ['WIRE on a Friday evening', 'WIRE', '2026-11-20T23:50:00Z', '2026-11-23T11:00:00.000Z'],
  ['ACH on Thanksgiving',      'ACH',  '2026-11-26T17:00:00Z', '2026-11-27T11:00:00.000Z'],
  ['rupees on an announced holiday', 'INDIA', '2027-04-01T06:00:00Z', '2027-04-01T18:30:00.000Z'],
] as const)('%s waits for the next banking day', async (_, name, at, until) => {
  const now = await setClock(at)
  const order = orderOf(name, now)
  const { batches, declined } = await rail.prepare([order], call())
  expect(batches).toEqual([])
  expect(declined).toEqual([
    expect.objectContaining({ reference: order.reference, outcome: 'NOT_NOW', until: new Date(until) }),
  ])
})

test('preparations that never leave use up no number of a NACHA file', async () => {
  const now = await setClock('2026-11-30T12:15:00Z')
  const retried = orderOf('ACH', now)
  const numbers: unknown[] = []
  // The worker prepares an attempt again when it could not commit the former preparation.
  for (let times = 0; times < 40; times += 1) {
    const { batches } = await rail.prepare([retried], call())
    const { batchId, content } = first(batches)
    // Position 34 of the file header.
    numbers.push(content.toString('latin1')[33], (await fileOf(batchId)).modifier)
  }
  expect(new Set(numbers)).toEqual(new Set(['A']))
  // The decision about other payouts lapses before their files leave.
  for (let times = 1; times <= 40; times += 1) {
    const later = await setClock(new Date(now.getTime() + times * 11 * 60_000).toISOString())
    const { batches, declined } = await rail.prepare([orderOf('ACH', later)], call())
    expect(declined).toEqual([])
    expect(await fileOf(first(batches).batchId)).toMatchObject({ modifier: 'A', status: 'PREPARED' })
  }
})

test('a file that left keeps its number', async () => {
  const now = await setClock('2026-12-01T17:15:00Z')
  const { batches } = await rail.prepare([orderOf('ACH', now)], call())
  expect(await rail.submit(first(batches), call())).toEqual([{ outcome: 'ACCEPTED' }])
  const later = await setClock('2026-12-01T19:15:00Z')
  const next = await rail.prepare([orderOf('ACH', later)], call())
  expect(await fileOf(first(next.batches).batchId)).toMatchObject({ modifier: 'B' })
})
