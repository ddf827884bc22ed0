import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import {
  type NewBalance,
  type NewEntry,
  writeNotification,
  writeStatement,
} from '../src/adapters/bank/iso20022/statement-writer.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Queryable } from '../src/db/database.ts'
import { createLogger } from '../src/http/log.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { withDatabase } from './support/database.ts'

/**
 * Measures the CPU time, of Node and PostgreSQL, that a credit costs until it is recorded: first in a camt.053, then in
 * the camt.054 that tells the same credits again.
 */
const { values } = parseArgs({ options: { credits: { type: 'string', default: '20000' } } })
const count = Number(values.credits)
const iban = 'DE75512108001245126199'
const leaseMs = 60_000

await withDatabase(async (bench) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc statements '))
  const config = readConfig(
    { SVC_SANDBOX_BANK: 'folders', SVC_BANK_DIR: folder, SVC_BANK_SETTLE_MS: '0' },
    process.cwd(),
  )
  const log = createLogger('warn', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
  const app = await buildApp({ config, version: '0', log, masterKeys, database: bench.app })
  try {
    const { bankFiles } = app
    if (!bankFiles) throw new Error('the folders of the banks are not set up')
    await app.buildApi()
    await bankFiles.receiveDue(1, leaseMs)
    for (const [name, write] of Object.entries({ 'camt.053': writeStatement, 'camt.054': writeNotification })) {
      const statements = [
        { statementId: name, account: { iban, currency: 'EUR' }, balances: balances(), entries: entries() },
      ]
      await deliver(folder, name, write({ messageId: name, createdAt: new Date(), statements }))
      const meter = await makeCpuMeter(app.database)
      const began = performance.now()
      const cost = await meter.measure(async () => {
        while (await isWaiting(app.database, name)) await bankFiles.receiveDue(1, leaseMs)
        return { answers: count, perSecond: 0, p50Ms: 0, p99Ms: 0 }
      })
      const seconds = ((performance.now() - began) / 1_000).toFixed(1)
      const ms = (micros: number) => (micros / 1_000).toFixed(2)
      console.log(
        `${name}: ${count} credits in ${seconds} s; CPU per credit ${ms(cost.microsEach)} ms ` +
          `(Node ${ms(cost.nodeMicrosEach)}, PostgreSQL ${ms(cost.postgresMicrosEach)})`,
      )
    }
    const text = 'select outcome, count(*)::int from svc.bank_entries group by outcome order by outcome'
    console.log(JSON.stringify(await app.database.query({ text })))
  } finally {
    await app.close()
    await rm(folder, { recursive: true, force: true })
  }
})

/** The balances that prove the entries. */
function balances(): NewBalance[] {
  let closing = 0n
  for (const { amount } of entries()) closing += amount.units
  return [balance('OPBD', 0n), balance('CLBD', closing)]
}

function balance(code: string, units: bigint): NewBalance {
  return { code, direction: 'CREDIT', amount: { currency: 'EUR', units }, date: '2026-11-16' }
}

function* entries(): Generator<NewEntry> {
  for (let number = 0; number < count; number += 1) {
    const units = BigInt(1_000 + ((number * 7_919) % 500_000))
    const payer = String(number % 5_000).padStart(8, '0')
    yield {
      entryReference: `E${number}`,
      bankReference: `BANK-${number}`,
      direction: 'CREDIT',
      isReversal: false,
      status: 'BOOKED',
      amount: { currency: 'EUR', units },
      bookingDate: '2026-11-16',
      valueDate: '2026-11-16',
      charges: [],
      details: [
        {
          references: { endToEndId: `INVOICE-${number}`, transactionId: `TX-${number}` },
          charges: [],
          counterparty: { name: `Payer ${payer}`, account: { iban: `FR14200410100505${payer}26` } },
          remittance: [`Invoice ${number}`],
          creditorReferences: [],
        },
      ],
    }
  }
}

async function deliver(folder: string, name: string, chunks: Iterable<Buffer | string>): Promise<void> {
  await mkdir(path.join(folder, 'incoming'), { recursive: true })
  const staged = path.join(folder, `${name}.tmp`)
  await pipeline(Readable.from(chunks), createWriteStream(staged))
  await rename(staged, path.join(folder, 'incoming', `${name}.xml`))
}

async function isWaiting(database: Queryable, name: string): Promise<boolean> {
  const text = `select status from svc.bank_files where name = $1`
  const [file] = await database.query<{ status: string }>({ text, values: [`${name}.xml`] })
  if (file && !['RECEIVED', 'APPLIED'].includes(file.status)) throw new Error(`${name} is ${file.status}`)
  return file?.status !== 'APPLIED'
}
