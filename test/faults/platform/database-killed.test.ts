import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { settleEverything, startMoney } from '../../support/money/money-stories.ts'
import { findOrders, type History, makeOrders, orderAll, resolveUnknown } from '../../support/money/payers.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'
import { packageFolder } from '../../support/runner/postgres-package.ts'

/** A separate server, which syncs to disk unless the settings say otherwise. */
async function startOn(settings: Record<string, string>) {
  const { folder, remove } = await makeFolder()
  const server = await startEmbeddedPostgres({ folder, settings, packageFolder, log: () => {} })
  const connection = { host: server.socketFolder, port: server.port, user: server.superuser, database: 'postgres' }
  await migrate(connection)
  onTestFinished(async () => {
    await server.stop()
    await remove()
  })
  const app = { connection, role: 'svc_app' }
  const database = { owner: connection, app, signer: { connection, role: 'svc_signer' } }
  /** An immediate shutdown: the server flushes nothing, and the next start recovers. */
  const kill = async () => {
    const [pid] = (await readFile(path.join(server.dataFolder, 'postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGQUIT')
  }
  await fillAddressPool(database)
  const money = await startMoney({}, { database })
  // Flushes everything before the orders to disk, regardless of the sync settings.
  const owner = openDatabase({ connection })
  await owner.query({ text: 'checkpoint' })
  await owner.close()
  return { money, kill }
}

/** Kills the server in the middle of the orders, and waits until it runs again. */
async function orderThroughKill({ money, kill }: Awaited<ReturnType<typeof startOn>>, name: string): Promise<History> {
  const { api } = money
  const orders = await makeOrders(money, name, 120)
  const history: History = { acknowledged: new Map(), unknown: new Set() }
  const ordering = orderAll(api.baseUrl, api.apiKey, orders, history)
  await expect.poll(() => history.acknowledged.size, { interval: 1 }).toBeGreaterThan(40)
  await kill()
  await ordering
  expect(history.unknown.size).toBeGreaterThan(0)
  await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
  return history
}

test(
  'a database killed under writers loses no acknowledged order, and every invariant holds',
  async () => {
    const started = await startOn({})
    const { money } = started
    await playRounds({ short: 1, full: 10 }, async (kill) => {
      const worker = await money.api.app.startWorker()
      const history = await orderThroughKill(started, `kill ${kill}:`)
      await worker.stop()
      await resolveUnknown(money, `kill ${kill}:`, history)
    })
    await settleEverything(money)
  },
  roundsTimeoutMs,
)

test('negative control: a database that does not sync to disk loses acknowledged orders', async () => {
  const lazy = { synchronous_commit: 'off', wal_writer_delay: '10s', wal_writer_flush_after: '100MB' }
  const started = await startOn(lazy)
  const { acknowledged } = await orderThroughKill(started, 'lazy')
  const found = await findOrders(started.money, 'lazy')
  const lost = [...acknowledged.keys()].filter(({ correlationId }) => !found.has(correlationId))
  expect(lost.length).toBeGreaterThan(0)
})
