import { createReadStream, createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, expect, test } from 'vitest'
import { achFile, achPayment, isoExamples } from '../../../src/adapters/bank/examples.ts'
import { readPain001 } from '../../../src/adapters/bank/iso20022/pain001-reader.ts'
import { type NewBalance, type NewEntry, writeStatement } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { readEntries } from '../../../src/adapters/bank/nacha/reader.ts'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { writeFile } from '../../../src/adapters/bank/write.ts'
import type { OutgoingPayment } from '../../../src/transactions/bank-files/formats.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { form, roundsTimeoutMs } from '../../support/runner/form.ts'

const count = form === 'short' ? 2_000 : 100_000
const mostGrowth = 300 * 1024 * 1024
const { folder, remove } = await makeFolder()
afterAll(remove)

const reference = (number: number) => `REF${String(number).padStart(12, '0')}`
const amount = (number: number) => BigInt(1 + ((number * 7_919) % 1_000_000))

/** Creates each thing when it is asked for, so that the writer alone decides how much is held. */
function lazily<T>(create: (number: number) => T): Iterable<T> {
  return {
    *[Symbol.iterator]() {
      for (let number = 0; number < count; number += 1) yield create(number)
    },
  }
}

/** Measures by how much the memory of the process grows at most while a file is written to disk and read back. */
async function measure(name: string, chunks: Iterable<Buffer>, read: (source: AsyncIterable<Buffer>) => Promise<void>) {
  const start = process.memoryUsage().rss
  let most = start
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  const file = path.join(folder, name)
  try {
    await pipeline(Readable.from(chunks), createWriteStream(file))
    most = Math.max(most, process.memoryUsage().rss)
    await read(createReadStream(file))
  } finally {
    clearInterval(watch)
  }
  expect(Math.max(most, process.memoryUsage().rss) - start).toBeLessThan(mostGrowth)
}

test(`a NACHA file of ${count} payments is written and read back in little memory`, {
  timeout: roundsTimeoutMs,
}, async () => {
  const payments = lazily((number) => achPayment(reference(number), amount(number), { isBusiness: number % 2 === 1 }))
  // Persons come first, then businesses.
  const order = (index: number) => (index < count / 2 ? 2 * index : 2 * (index - count / 2) + 1)
  await measure('large.ach', writeFile({ ...achFile, payments }), async (source) => {
    let index = 0
    for await (const item of readEntries(source)) {
      if (item.type === 'FILE') continue
      const number = order(index)
      const { fields } = item.entry
      const id = 'individualId' in fields ? fields.individualId : ''
      if (id !== reference(number) || item.amount !== amount(number)) expect.fail(`entry ${index} is another payment`)
      index += 1
    }
    expect(index).toBe(count)
  })
})

test(`a pain.001 of ${count} payments is written and read back in little memory`, {
  timeout: roundsTimeoutMs,
}, async () => {
  const { file, payment } = isoExamples.SEPA
  const payments = lazily(
    (number): OutgoingPayment => ({ ...payment, reference: reference(number), amount: amount(number) }),
  )
  await measure('large.xml', writeFile({ ...file, payments }), async (source) => {
    let index = 0
    for await (const part of readPain001(source)) {
      if (part.type !== 'PAYMENT') continue
      const isSame = part.endToEndId === reference(index) && part.amount.units === amount(index)
      if (!isSame) expect.fail(`payment ${index} is another one`)
      index += 1
    }
    expect(index).toBe(count)
  })
})

test(`a statement of ${count} entries is read in little memory`, { timeout: roundsTimeoutMs }, async () => {
  const entry = (number: number): NewEntry => ({
    entryReference: reference(number),
    direction: 'CREDIT',
    isReversal: false,
    status: 'BOOKED',
    amount: { currency: 'EUR', units: amount(number) },
    bookingDate: '2026-11-17',
    charges: [],
    details: [
      {
        references: { endToEndId: reference(number) },
        charges: [],
        counterparty: { name: 'Grace Hopper', account: { iban: 'FR1420041010050500013M02606' } },
        remittance: ['Thank you'],
        creditorReferences: [],
      },
    ],
  })
  const balance = (code: string, units: bigint): NewBalance => ({
    code,
    direction: 'CREDIT',
    amount: { currency: 'EUR', units },
    date: '2026-11-17',
  })
  let sum = 0n
  for (const units of lazily(amount)) sum += units
  const balances = [balance('OPBD', 1n), balance('CLBD', 1n + sum)]
  const account = { iban: 'DE75512108001245126199' }
  const statements = [{ statementId: 'S1', account, balances, entries: lazily(entry) }]
  const chunks = writeStatement({ messageId: 'M1', createdAt: new Date('2026-11-17T00:00:00Z'), statements })
  await measure('statement.xml', chunks, async (source) => {
    let index = 0
    for await (const record of readIncoming(source)) {
      if (record.type !== 'ENTRY') continue
      const isSame = record.entryReference === reference(index) && record.amount.units === amount(index)
      if (!isSame) expect.fail(`entry ${index} is another one`)
      index += 1
    }
    expect(index).toBe(count)
  })
})
