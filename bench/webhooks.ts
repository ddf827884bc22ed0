// Compares the deliveries per second of one worker with a bare loop that signs and sends the same messages and records
// nothing. Every round runs both in this process, against a receiver in another process: npm run bench -- webhooks
import { fork } from 'node:child_process'
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { Pool } from 'undici'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { appRole, openDatabase } from '../src/db/database.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../src/db/migrate.ts'
import { appendEvents } from '../src/db/outbox/events.ts'
import { createSequencerJob } from '../src/db/outbox/sequencer.ts'
import { startWorker } from '../src/db/workers/worker.ts'
import { createLogger } from '../src/http/log.ts'
import { newId } from '../src/lib/ids.ts'
import { deliverJob, fanOutJob } from '../src/webhooks/jobs.ts'
import { reportInvariant, reportRow } from './support/report.ts'

const rounds = 5
const warmUpMs = 6_000
const webhookCount = 4
const eventCount = 10_000
const messageCount = webhookCount * eventCount
/** The number of concurrent requests that Svc has with this many webhooks. */
const connections = 16 * webhookCount

const data = {
  transactionId: newId(),
  status: 'PROCESSING',
  quoteId: newId(),
  customerId: newId(),
  sourceAmount: '1000.00',
  destinationAmount: '998.500000',
  exchangeRate: '0.9985',
  statusHistory: ['CREATED', 'PROCESSING'].map((status) => ({ status, at: '2025-11-21T10:00:00.000Z' })),
  note: 'x'.repeat(300),
}

if (process.argv[2] === 'receiver') serveAsReceiver()
else await runBench()

/** Reads every request and answers 204 at once, like a fast integrator. */
function serveAsReceiver(): void {
  const server = createServer((request, response) => {
    request.on('data', () => {}).on('end', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

async function runBench(): Promise<void> {
  const receiver = fork(import.meta.filename, ['receiver'])
  const [port] = (await once(receiver, 'message')) as [number]
  const origin = `http://127.0.0.1:${port}`
  const service = await startService(origin)
  try {
    const warmUntil = performance.now() + 2 * warmUpMs
    while (performance.now() < warmUntil) await measureRound(origin, service)
    const ratios: number[] = []
    for (let round = 1; round <= rounds; round++) {
      const { bare, ours } = await measureRound(origin, service)
      ratios.push(ours.perSecond / bare.perSecond)
      const ratio = (ours.perSecond / bare.perSecond).toFixed(2)
      console.log(`round ${round}: bare loop ${show(bare)}; Svc ${show(ours)}; ratio ${ratio}`)
    }
    const median = ratios.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
    const limits = { must: { atLeast: 0.4 }, aim: { atLeast: 0.6 } }
    reportRow({ number: 12, path: 'webhook deliveries', unit: 'of a bare undici loop', ...limits, measured: median })
    const { ok, checks } = await service.app.verify()
    console.log(ok ? 'every invariant holds' : checks.filter((check) => !check.ok))
    reportInvariant('svc verify', ok)
  } finally {
    await service.stop()
    receiver.disconnect()
  }
}

type Rate = { perSecond: number; cpuMicroseconds: number }
type Service = Awaited<ReturnType<typeof startService>>

async function measureRound(origin: string, service: Service): Promise<{ bare: Rate; ours: Rate }> {
  const bare = await rateOf(() => runBareLoop(origin))
  await service.prepare()
  return { bare, ours: await rateOf(() => runWorker(service.app)) }
}

async function rateOf(run: () => Promise<void>): Promise<Rate> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(cpuBefore)
  const seconds = (performance.now() - startedAt) / 1_000
  return { perSecond: messageCount / seconds, cpuMicroseconds: (user + system) / messageCount }
}

function show({ perSecond, cpuMicroseconds }: Rate): string {
  return `${perSecond.toFixed(0).padStart(6)}/s with ${cpuMicroseconds.toFixed(0).padStart(4)} µs CPU each`
}

/** Signs and sends messages, and records nothing. */
async function runBareLoop(origin: string): Promise<void> {
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const key = createSecretKey(randomBytes(32))
  let left = messageCount
  const sendMany = async () => {
    while (left-- > 0) {
      const id = newId()
      const body = JSON.stringify({ id, type: 'transaction.updated', data })
      const timestamp = Math.floor(Date.now() / 1_000)
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      }
      const answer = await pool.request({ path: '/', method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, sendMany))
  await pool.close()
}

async function startService(origin: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc bench '))
  const postgres = await startEmbeddedPostgres({ folder, log: () => {} })
  const connection = {
    host: postgres.socketFolder,
    port: postgres.port,
    user: postgres.superuser,
    database: 'postgres',
  }
  await migrate(connection)
  const app = await buildApp({
    config: readConfig({ SVC_DATA_DIR: folder }, folder),
    version: 'bench',
    masterKeys: { current: randomBytes(32), previous: [] },
    database: { connection, role: appRole },
    log: createLogger('silent', new Writable({ write: (_line, _encoding, done) => done() })),
  })
  const { organizationId } = await app.organizations.create({
    name: 'Bench',
    tier: 'ENTERPRISE',
    parentOrganizationId: null,
  })
  await addWebhooks(app, organizationId, origin)
  const owner = openDatabase({ connection })
  const sequencer = createSequencerJob(app.database, 30_000)
  return {
    app,
    /** Inserts sequenced events and updates the statistics, as autovacuum would within a minute. */
    prepare: async (): Promise<void> => {
      await addEvents(app, organizationId)
      while ((await sequencer.runBatch()) > 0);
      await owner.query({ text: 'analyze' })
    },
    stop: async () => {
      await app.close()
      await owner.close()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function addWebhooks(app: App, organizationId: string, origin: string): Promise<void> {
  const { apiKey } = await app.credentials.createFullKey('Bench', organizationId)
  const caller = await app.credentials.authenticate(apiKey, '127.0.0.1')
  if (!caller) throw new Error('the key of the bench does not work')
  for (let at = 0; at < webhookCount; at++) {
    const prepared = await app.webhooks.prepareCreate(caller, { url: `${origin}/${at}`, events: ['*'] })
    await app.database.inTx((tx) => app.webhooks.create(tx, caller, prepared))
  }
}

async function addEvents(app: App, organizationId: string): Promise<void> {
  const event = { organizationId, type: 'transaction.updated', resourceVersion: 1, data } as const
  for (let added = 0; added < eventCount; added += 1_000) {
    const events = Array.from({ length: 1_000 }, () => ({ ...event, resourceId: newId() }))
    await app.database.inTx((tx) => appendEvents(tx, events))
  }
}

/** Delivers all sequenced events: fan-out, sending and recording. */
async function runWorker(app: App): Promise<void> {
  let made = 0
  const allMade = Promise.withResolvers<void>()
  const onOutcome = (outcome: string) => {
    if (outcome !== 'DELIVERED') allMade.reject(new Error(`an attempt ended with ${outcome}`))
    made += 1
    if (made === messageCount) allMade.resolve()
  }
  const onError = (job: string, error: unknown) => allMade.reject(new Error(job, { cause: error }))
  const jobs = [
    fanOutJob(app.database, 30_000),
    deliverJob({ ...app.sendPipelineDeps, onOutcome }),
    app.audit.sealerJob(app.database, 30_000),
  ]
  const worker = startWorker(jobs, { onError })
  await allMade.promise
  // Waits for the last records.
  await worker.stop()
}
