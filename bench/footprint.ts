import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { locateDatabase } from '../src/db/locate.ts'
import { makeCalls, makeCustomer } from './support/customers.ts'
import { median } from './support/database.ts'
import { type Load, runLoad } from './support/load.ts'
import { type Process, readFamily, readMemory } from './support/processes.ts'
import { reportRow } from './support/report.ts'
import { readDevEnv, startRole } from './support/service.ts'

/**
 * Measures what a process costs: the time of a first and of later starts, of `svc serve` beside a bare program that
 * only connects and listens, the memory under load, and the use of a core while no request arrives. Linux only.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    idle: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '8' },
  },
})
const [rounds, idleSeconds, loadSeconds] = [Number(values.rounds), Number(values.idle), Number(values.seconds)]
const isRunning = /Svc is running/
// Not idleness yet: scanners look often at networks that were in use a minute ago, and V8 compacts what the start left.
const settleSeconds = 90
// A worker runs: a customer whose verification it decides cannot be decided by the load as well.
const settings = { SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_VERIFICATION_DELAY: '600' }

const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-footprint-'))
try {
  const cold = await startRole('dev', folder, isRunning)
  console.log(`first start ${cold.seconds.toFixed(2)} s`)
  await cold.stop()
  if (rounds > 0) await measureStarts()
  const service = await startRole('dev', folder, isRunning, settings)
  try {
    if (rounds > 0) await measureServe()
    if (idleSeconds > 0) await measureIdle(service.pid)
    await measureMemory(service.pid)
  } finally {
    await service.stop()
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function measureStarts(): Promise<void> {
  const seconds: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const warm = await startRole('dev', folder, isRunning)
    const spent = (await readFamily(warm.pid)).reduce((sum, each) => sum + each.seconds, 0)
    console.log(`start ${round}: ${warm.seconds.toFixed(2)} s, ${spent.toFixed(2)} s of a core`)
    seconds.push(warm.seconds)
    await warm.stop()
  }
  const must = { atMost: 2.5 }
  reportRow({ path: 'npm start, warm, with chains and bank', unit: 's', must, measured: median(seconds) })
}

/** Starts `svc serve` and the bare program in turn on the same database. */
async function measureServe(): Promise<void> {
  const config = readConfig({ SVC_DATA_DIR: folder }, process.cwd())
  const location = await locateDatabase({ ...config, mayShare: true, log: () => {} })
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await timeBareStart(location.app.connection)
    const started = await startRole('serve', folder, /"baseUrl":"([^"]+)"/)
    const [, baseUrl] = /"baseUrl":"([^"]+)"/.exec(started.output()) ?? []
    if ((await fetch(`${baseUrl}/livez`)).status !== 200) throw new Error('the API does not answer')
    await started.stop()
    ratios.push(started.seconds / bare)
    console.log(`serve ${round}: ${started.seconds.toFixed(2)} s; bare Fastify and pg ${bare.toFixed(2)} s`)
  }
  const limits = { must: { atMost: 3 }, aim: { atMost: 2 } }
  reportRow({ number: 14, path: 'start to first 200', unit: '× a bare start', ...limits, measured: median(ratios) })
}

async function timeBareStart(connection: object): Promise<number> {
  const began = performance.now()
  const file = path.join(import.meta.dirname, 'references', 'bare-start.ts')
  const child = spawn(process.execPath, [file, JSON.stringify(connection)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const address = await new Promise<string>((resolve) => {
    child.stdout.once('data', (text: Buffer) => resolve(String(text).trim()))
  })
  if ((await fetch(`${address}/livez`)).status !== 200) throw new Error('the bare program does not answer')
  const seconds = (performance.now() - began) / 1_000
  child.kill('SIGTERM')
  await ended
  return seconds
}

async function measureIdle(root: number): Promise<void> {
  await setTimeout(settleSeconds * 1_000)
  const before = await readFamily(root)
  await setTimeout(idleSeconds * 1_000)
  const used = new Map<string, number>()
  for (const { pid, name, seconds } of await readFamily(root)) {
    const spent = seconds - (before.find((each) => each.pid === pid)?.seconds ?? 0)
    used.set(name, (used.get(name) ?? 0) + (100 * spent) / idleSeconds)
  }
  for (const [name, percent] of used) if (percent > 0) console.log(`  ${percent.toFixed(2).padStart(6)} %   ${name}`)
  const measured = [...used.values()].reduce((sum, each) => sum + each, 0)
  reportRow({ path: 'idle, all roles', unit: '% of a core', must: { atMost: 2 }, measured })
}

/** Loads the process that is API and worker in one, and reads its memory each second. */
async function measureMemory(root: number): Promise<void> {
  const { baseUrl, apiKey } = await readDevEnv(folder)
  const calls = makeCalls(baseUrl, apiKey)
  const [bodies, paths]: [string[], string[]] = [[], []]
  for (let count = 0; count < 20; count += 1) {
    const { customerId, bank, wallet } = await makeCustomer(calls)
    const source = { sourcePaymentAccountId: bank, sourceCurrency: 'USD', sourcePaymentMethod: 'ACH' }
    const destination = { destinationPaymentAccountId: wallet, destinationCurrency: 'USDC' }
    const quote = {
      customerId,
      source: { ...source, sourceAmount: '100.00' },
      destination: { ...destination, destinationPaymentMethod: 'BASE' },
    }
    bodies.push(JSON.stringify(quote))
    paths.push(`/customers/${customerId}`)
    for (let each = 0; each < 10; each += 1) {
      const { quoteId } = await calls.send('POST', '/quotes', quote)
      await calls.send('POST', '/transactions', { quoteId }, true)
    }
  }
  const shared = { url: `${baseUrl}/quotes`, headers: calls.headers, connections: 64, seconds: loadSeconds }
  const loads: Load[] = [
    { ...shared, bodies, expectStatus: 201, isKeyed: true },
    { ...shared, bodies: [], paths, expectStatus: 200 },
    { ...shared, bodies: [], paths: ['/transactions?pageSize=100'], expectStatus: 200 },
  ]
  let highest: (Process & { megabytes: number })[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const family = (await readFamily(root)).filter(({ name }) => name !== 'postgres')
      const seen = await Promise.all(family.map(async (each) => ({ ...each, megabytes: await readMemory(each.pid) })))
      highest = seen.map((each) => {
        const before = highest.find(({ pid }) => pid === each.pid)?.megabytes ?? 0
        return { ...each, megabytes: Math.max(each.megabytes, before) }
      })
      await setTimeout(1_000)
    }
  })()
  for (const load of [...loads, ...loads]) {
    const { perSecond } = await runLoad(load)
    console.log(`load of ${load.paths?.[0] ?? 'POST /quotes'}: ${perSecond.toFixed(0)}/s`)
  }
  isOver = true
  await watching
  for (const { name, megabytes } of highest) console.log(`  ${megabytes.toFixed(0).padStart(4)} MB    ${name}`)
  const measured = Math.max(...highest.map(({ megabytes }) => megabytes))
  const limits = { must: { atMost: 200 }, aim: { atMost: 150 } }
  reportRow({ number: 13, path: 'memory of API and worker in one, under load', unit: 'MB', ...limits, measured })
}
