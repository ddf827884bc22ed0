import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { writeFile } from '../../../src/adapters/bank/write.ts'
import type { BankService } from '../../../src/catalog/bank-limits.ts'
import { advanceClock } from '../../../src/db/business-clock.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createSandboxBankService } from '../../../src/sandbox/bank/service.ts'
import { sandboxBankAccounts } from '../../../src/sandbox/bank-accounts.ts'
import type { IncomingRecord, OutgoingPayment, OwnAccount } from '../../../src/transactions/bank-files/formats.ts'
import { sandboxBankFormats } from '../../../src/wiring/sandbox-bank/formats.ts'
import { bankFolder } from '../../support/bank-files/bank-world.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { makeFolder } from '../../support/runner/folder.ts'

const held = sandboxBankAccounts.flatMap(({ bankAccountId, currency, rails, files }) =>
  files
    ? [{ bankAccountId, currency, rails, ...files, ...(files.dialect.nacha ? { nacha: files.dialect.nacha } : {}) }]
    : [],
) as never

/** The bank on a database and a folder of its own. */
async function startBank(leaseMs = 60_000) {
  const { app } = await makeDatabase()
  const { folder, remove } = await makeFolder('svc bank ')
  onTestFinished(remove)
  const database = openForTest({ ...app, connections: 8 })
  const start = () =>
    createSandboxBankService({
      database,
      folder,
      formats: sandboxBankFormats,
      sealingKey: Buffer.alloc(32, 5),
      accounts: async () => held,
      openingBalance: 100_000n,
      delaySeconds: 0,
      leaseMs,
      onFailure: (error) => {
        throw error
      },
    })
  const bank = start()
  const files = bankFolder(folder)
  const work = async (one = bank) => {
    while ((await one.work()) > 0) {}
  }
  /** Reads all that the bank has written so far. */
  const told = async (): Promise<IncomingRecord[]> => {
    const read = (await files.read('incoming')).map(async ({ text }) => {
      const records: IncomingRecord[] = []
      for await (const record of readIncoming([Buffer.from(text, 'latin1')])) records.push(record)
      return records
    })
    return (await Promise.all(read)).flat()
  }
  const send = (name: string, content: Buffer) => files.put('outgoing', name, content)
  const nextDay = () => advanceClock(database, 'P1D', new Date('2999-01-01'))
  return { bank, start, work, told, send, nextDay, files, database, folder: path.resolve(folder) }
}

const accountOf = (currency: string) =>
  (held as OwnAccount[]).find((account) => account.currency === currency) as OwnAccount

let counter = 0

function payment(reference: string, amount: bigint, coordinates: object): OutgoingPayment {
  const receiver = { name: 'Ada Example', isBusiness: false, coordinates, bankAccountType: 'CHECKING' }
  return { reference, amount, receiver, originator: { name: 'Grace Example' }, memo: reference }
}

function fileOf(service: BankService, payments: OutgoingPayment[]): Buffer {
  counter += 1
  const isAch = service === 'ACH'
  const header = {
    fileId: `SVCTEST${counter}`,
    rail: isAch ? ('ACH' as const) : ('SEPA' as const),
    service,
    account: accountOf(isAch ? 'USD' : 'EUR'),
    createdAt: new Date('2026-11-16T10:00:00Z'),
    executionDate: '2026-11-16',
    fileIdModifier: 'A',
  }
  return Buffer.concat([...writeFile({ ...header, payments })])
}

const us = (accountNumber: string) => ({ routingNumber: '021000021', accountNumber })
const eu = (iban: string) => ({ iban, bicSwift: 'COBADEFFXXX' })
const good = 'DE89370400440532013000'

const ofType = <Type extends IncomingRecord['type']>(records: IncomingRecord[], type: Type) =>
  records.filter((record): record is Extract<IncomingRecord, { type: Type }> => record.type === type)

test.each([
  ['ACH', us('000123456789'), us('000123450066')],
  ['SEPA', eu(good), eu('DE58370400440532010066')],
] as const)(
  '%s: the bank accepts a file, rejects one payment of it, and books the others',
  async (service, one, other) => {
    const { work, told, send, files } = await startBank()
    const payments = [payment('REF000000000001', 1_000n, one), payment('REF000000000002', 2_000n, other)]
    await send(
      `x-SVCFILE1.${service === 'ACH' ? 'ach' : 'xml'}`,
      fileOf(service, [...payments, payment('REF000000000003', 4_000n, one)]),
    )
    await work()
    const records = await told()
    expect(ofType(records, 'FILE_STATUS')).toMatchObject([{ status: 'PARTIAL' }])
    const statuses = ofType(records, 'PAYMENT_STATUS')
    expect(statuses).toMatchObject([{ reference: 'REF000000000002', status: 'REJECTED', reasons: [{ code: 'AC04' }] }])
    const entries = ofType(records, 'ENTRY')
    expect(entries.map(({ amount, direction }) => [direction, amount.units])).toEqual(
      service === 'ACH'
        ? [['DEBIT', 5_000n]]
        : [
            ['DEBIT', 1_000n],
            ['DEBIT', 4_000n],
          ],
    )
    const booked = entries.flatMap(({ details }) => details.map(({ references }) => references.endToEndId))
    expect(booked).toEqual(['REF000000000001', 'REF000000000003'])
    expect(await files.list('outgoing')).toEqual([])
  },
)

test('the bank accepts a file once, by its content and by its id', async () => {
  const { work, told, send, start } = await startBank()
  const file = fileOf('SEPA', [payment('REF000000000001', 1_000n, eu(good))])
  await send('one.xml', file)
  await send('two.xml', file)
  const text = file.toString().replace('Ada Example', 'Ada Another')
  await send('three.xml', Buffer.from(text))
  // Two workers run the same bank.
  await Promise.all([work(), work(start())])
  const records = await told()
  const statuses = ofType(records, 'FILE_STATUS')
  expect(statuses.map(({ status }) => status).sort()).toEqual(['ACCEPTED', 'REJECTED', 'REJECTED'])
  expect(statuses.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toEqual(['DU01', 'DU01'])
  expect(ofType(records, 'ENTRY')).toHaveLength(1)
})

test('the bank continues with a file that a worker took before it died, once', async () => {
  const { work, told, files, database } = await startBank(0)
  const file = fileOf('SEPA', [payment('REF000000000001', 1_000n, eu(good))])
  const taken = `${newId()} one.xml`
  await files.put('sandbox-bank/taken', taken, file)
  await work()
  // The worker died after it had recorded the file, and before it put the file away.
  await files.put('sandbox-bank/taken', taken, file)
  await work()
  const records = await told()
  expect(ofType(records, 'FILE_STATUS')).toMatchObject([{ status: 'ACCEPTED' }])
  expect(ofType(records, 'ENTRY')).toHaveLength(1)
  const rows = await database.query({ text: 'select delivery_id from svc.sandbox_bank_files' })
  expect(rows).toHaveLength(1)
})

test('a statement lists each entry once, and its balances follow from its entries', async () => {
  const { bank, work, told, send, nextDay, database } = await startBank()
  await send('one.xml', fileOf('SEPA', [payment('REF000000000001', 1_000n, eu('DE52370400440532010077'))]))
  await work()
  const account = accountOf('EUR') as never
  const sender = { name: 'Grace Example' }
  await database.inTx((tx) => bank.credit(tx, { account, rail: 'SEPA', amount: 500n, sender, text: 'hello' }))
  await nextDay()
  await work()
  await nextDay()
  await work()
  const records = await told()
  const balances = ofType(records, 'BALANCE').map(({ code, amount }) => [code, amount.units])
  expect(balances).toEqual([
    ['OPBD', 100_000n],
    ['CLBD', 99_500n],
    ['OPBD', 99_500n],
    ['CLBD', 100_500n],
  ])
  expect(ofType(records, 'RETURN')).toMatchObject([{ source: 'pacs.004', reference: 'REF000000000001', code: 'AC04' }])
  const stated = ofType(records, 'ENTRY').map(({ bankReference }) => bankReference)
  // Each entry once in a statement; the payment and the credit once in a notification before.
  expect(stated).toHaveLength(5)
  expect(new Set(stated).size).toBe(3)
})

test('a file that the bank cannot read, and one from an unknown account, are rejected', async () => {
  const { work, told, send } = await startBank()
  await send('broken-SVCBROKEN.xml', Buffer.from('<Document>'))
  const foreign = fileOf('SEPA', [payment('REF000000000001', 1_000n, eu(good))])
  await send('foreign.xml', Buffer.from(foreign.toString().replaceAll('DE75512108001245126199', good)))
  await work()
  const statuses = ofType(await told(), 'FILE_STATUS')
  expect(statuses.map(({ status, reasons }) => [status, reasons[0]?.code]).sort()).toEqual([
    ['REJECTED', 'AC02'],
    ['REJECTED', 'FF01'],
  ])
  expect(statuses.map(({ originalFileId }) => originalFileId)).toContain('SVCBROKEN')
})

test('names and numbers of people are sealed in the tables of the bank', async () => {
  const { work, send, database } = await startBank()
  await send('one.xml', fileOf('SEPA', [payment('REF000000000001', 1_000n, eu(good))]))
  await work()
  for (const table of ['payments', 'entries', 'letters', 'files']) {
    const rows = await database.query<{ row: string }>({
      text: `select t::text as row from svc.sandbox_bank_${table} t`,
    })
    expect(rows.length).toBeGreaterThan(0)
    const text = rows.map(({ row }) => row).join()
    for (const secret of ['Ada Example', good, Buffer.from('Ada Example').toString('hex')])
      expect(text).not.toContain(secret)
  }
})
