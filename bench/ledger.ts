import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createAudit } from '../src/db/audit/audit.ts'
import { appRole, type Connection, type Database, openDatabase } from '../src/db/database.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../src/db/migrate.ts'
import { verify } from '../src/db/verify.ts'
import type { NewPosting } from '../src/ledger/posting.ts'
import { depositToWallet, fund, sendFromWallet } from '../src/ledger/postings.ts'
import { createLedgerService, type LedgerService } from '../src/ledger/service.ts'
import { newId } from '../src/lib/ids.ts'
import { createPages } from '../src/lib/pages.ts'
import { asTx } from '../test/support/db/as-tx.ts'

/**
 * Measures how many postings the ledger makes per second: single postings and arrays, over many wallets and over one.
 * Every round runs all four cases on one database with durable commits, so that their ratios hold on a shared machine.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const wallets = 10_000
const arrayLength = 100
const asset = 'USDC/BASE'
const organizationId = newId()

type Case = { name: string; connections: number; perCall: number; walletOf(): string }
const randomWallet = () => `wallet ${Number(BigInt(`0x${newId().slice(-8)}`) % BigInt(wallets))}`
const oneWallet = () => 'wallet 0'
const cases: Case[] = [
  { name: 'single postings, 10,000 wallets', connections: 8, perCall: 1, walletOf: randomWallet },
  { name: 'arrays of 100, 10,000 wallets', connections: 2, perCall: arrayLength, walletOf: randomWallet },
  { name: 'single postings, one wallet', connections: 8, perCall: 1, walletOf: oneWallet },
  { name: 'arrays of 100, one wallet', connections: 2, perCall: arrayLength, walletOf: oneWallet },
]

const folder = await mkdtemp(path.join(os.tmpdir(), 'svc bench '))
await chmod(folder, 0o755)
const server = await startEmbeddedPostgres({ folder, log: () => {} })
try {
  const owner = { host: server.socketFolder, port: server.port, user: server.superuser, database: 'postgres' }
  await migrate(owner)
  await run(owner)
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function run(connection: Connection): Promise<void> {
  const database = openDatabase({ connection, role: appRole, connections: 8 })
  const key = Buffer.alloc(32)
  const ledger = createLedgerService({ database, pages: createPages(key), audit: createAudit(key), onHalted: () => {} })
  await fillWallets(database, ledger)
  for (const each of cases) await measure(database, ledger, each, 2)
  const rates = new Map(cases.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const each of cases) rates.get(each.name)?.push(await measure(database, ledger, each, seconds))
  }
  const [first = []] = rates.values()
  for (const [name, found] of rates) {
    const ratio = median(found.map((rate, round) => rate / (first[round] ?? 1)))
    console.log(`${name.padEnd(32)} ${median(found).toFixed(0).padStart(7)} postings/s   × ${ratio.toFixed(2)}`)
  }
  const started = performance.now()
  const { ok } = await verify(database, ledger.checks)
  const tookMs = performance.now() - started
  const [counted] = await database.query<{ entries: string }>({ text: 'select count(*) as entries from svc.entries' })
  console.log(
    `${ok ? 'every' : 'NOT EVERY'} invariant holds over ${counted?.entries} entries (${tookMs.toFixed(0)} ms)`,
  )
  await database.close()
  if (!ok) process.exitCode = 1
}

async function fillWallets(database: Database, ledger: LedgerService): Promise<void> {
  const deposit = (number: number): NewPosting => ({
    organizationId,
    reference: `deposit ${number}`,
    ...depositToWallet({ paymentAccountId: `wallet ${number}`, asset, amount: 10n ** 15n }),
  })
  for (let from = 0; from < wallets; from += 500) {
    await ledger.post(
      asTx(database),
      Array.from({ length: 500 }, (_, index) => deposit(from + index)),
    )
  }
  await ledger.post(asTx(database), [
    { organizationId, reference: 'funding', ...fund({ at: 'TREASURY', asset, amount: 10n ** 15n }) },
  ])
}

/** Builds a posting like those of most transactions: five entries, one of them on a customer's account. */
function transfer({ walletOf }: Case): NewPosting {
  const sent = { asset, amount: 1_000n, svcFee: 5n, developerFee: 5n, paymentAccountId: walletOf() }
  return { organizationId, reference: newId(), ...sendFromWallet(sent) }
}

async function measure(database: Database, ledger: LedgerService, each: Case, forSeconds: number): Promise<number> {
  const until = performance.now() + forSeconds * 1_000
  let posted = 0
  const post = async () => {
    while (performance.now() < until) {
      const outcomes = await ledger.post(
        asTx(database),
        Array.from({ length: each.perCall }, () => transfer(each)),
      )
      posted += outcomes.filter(({ outcome }) => outcome === 'POSTED').length
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: each.connections }, post))
  return (posted * 1_000) / (performance.now() - started)
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
