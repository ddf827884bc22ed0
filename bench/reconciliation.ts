import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/http/log.ts'
import { daysBefore, fillLongHistory } from '../test/support/reconciliation/long-history.ts'
import { withDatabase } from './support/database.ts'

/**
 * Measures comparisons of a bank account with a long history: before and after its names are kept, how long keeping takes,
 * and `svc verify --banks`, which reads the whole history. The full size is --bookings 1000000.
 */
const { values } = parseArgs({
  options: { bookings: { type: 'string', default: '100000' }, days: { type: 'string', default: '100' } },
})
const count = Number(values.bookings)
const days = Number(values.days)

await withDatabase(async (bench) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc reconciliation '))
  const config = readConfig(
    { SVC_SANDBOX_BANK: 'folders', SVC_BANK_DIR: folder, SVC_RATE_LIMIT_SANDBOX: '0' },
    process.cwd(),
  )
  const log = createLogger('warn', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
  const app = await buildApp({ config, version: '0', log, masterKeys, database: bench.app })
  try {
    const { server } = await app.buildApi()
    await server.listen({ host: '127.0.0.1', port: 0 })
    const { apiKey } = await app.credentials.createFullKey('Bench')
    const today = new Date().toISOString().slice(0, 10)
    await timed(`${count} bookings of ${days} days are written`, () =>
      fillLongHistory(bench.owner, { count, days, until: today }),
    )
    const read = async (date: string) => {
      const { port } = server.server.address() as AddressInfo
      const answer = await fetch(`http://127.0.0.1:${port}/reconciliation?date=${date}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      const { accounts } = (await answer.json()) as { accounts?: { account: string; difference: string }[] }
      const difference = accounts?.find(({ account }) => account === 'eur-main')?.difference
      return `${answer.status}, difference ${difference}`
    }
    await timed('GET of today, nothing kept', () => read(today))
    await timed('keeping names', () => app.reconciliation.keepNames())
    for (let round = 0; round < 3; round += 1)
      for (const ago of [0, 1, days / 2]) await timed(`GET of ${ago} days ago`, () => read(daysBefore(today, ago)))
    await timed('keeping names again', () => app.reconciliation.keepNames())
    await timed('the whole history', () => app.reconciliation.reconcile().then(({ accounts }) => accounts.length))
    await server.close()
  } finally {
    await app.close()
    await rm(folder, { recursive: true, force: true })
  }
})

async function timed(what: string, act: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  const outcome = await act().catch((error: Error) => error.message)
  console.log(`${what}: ${Math.round(performance.now() - began)} ms${outcome === undefined ? '' : ` (${outcome})`}`)
}
