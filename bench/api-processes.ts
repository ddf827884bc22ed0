import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { makeCalls, makeCustomer } from './support/customers.ts'
import { median } from './support/database.ts'
import { type Load, runLoad } from './support/load.ts'
import { type Process, readFamily, readMemory } from './support/processes.ts'
import { reportCost, reportRow } from './support/report.ts'
import { readDevEnv, startRole } from './support/service.ts'

/**
 * Compares `svc serve` with one API process and with several on one machine: answers per second, and the CPU of Node and
 * PostgreSQL per answer. The rounds of both take turns. The load generator needs a core as well, so a machine with two
 * cores shows the cost of a request and not what several cores would answer. Linux only.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    processes: { type: 'string', default: '2' },
  },
})
const several = Number(values.processes)
const warmUpSeconds = Math.min(6, Number(values.seconds))
const settings = { SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_VERIFICATION_DELAY: '600', SVC_SANDBOX_CHAINS: 'memory' }
const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-processes-'))
const world = await startRole('dev', folder, /Svc is running/, settings)
try {
  const { baseUrl, apiKey } = await readDevEnv(folder)
  const calls = makeCalls(baseUrl, apiKey)
  const { customerId, bank, wallet } = await makeCustomer(calls)
  const quote = {
    customerId,
    source: {
      sourcePaymentAccountId: bank,
      sourceCurrency: 'USD',
      sourcePaymentMethod: 'ACH',
      sourceAmount: '100.00',
    },
    destination: {
      destinationPaymentAccountId: wallet,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    },
  }
  const shared = { headers: calls.headers, connections: 64, seconds: Number(values.seconds) }
  const loads: Record<string, Omit<Load, 'url'>> = {
    'GET /customers/{id}': { ...shared, bodies: [], paths: [`/customers/${customerId}`], expectStatus: 200 },
    'POST /quotes with a key': { ...shared, bodies: [JSON.stringify(quote)], expectStatus: 201, isKeyed: true },
  }
  const costs = new Map<string, Cost[]>()
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const processes of [1, several]) {
      for (const [name, cost] of await measureOnce(round, processes, loads)) {
        const what = nameOf(name, processes)
        costs.set(what, [...(costs.get(what) ?? []), cost])
      }
    }
  }
  for (const [path, measured] of costs) {
    const middle = (name: keyof Cost) => median(measured.map((each) => each[name]))
    const cost = {
      path,
      perSecond: middle('perSecond'),
      nodeMicros: middle('nodeMicros'),
      postgresMicros: middle('postgresMicros'),
    }
    const [rate, node, postgres] = [cost.perSecond, cost.nodeMicros, cost.postgresMicros].map((each) => each.toFixed(0))
    console.log(`${path}: ${rate}/s, Node ${node} µs, PostgreSQL ${postgres} µs`)
    reportCost(cost)
  }
  for (const name of Object.keys(loads)) {
    const ofOne = costs.get(nameOf(name, 1)) ?? []
    const ratios = (costs.get(nameOf(name, several)) ?? []).map((cost, at) => {
      const one = ofOne[at]
      return one ? (cost.nodeMicros + cost.postgresMicros) / (one.nodeMicros + one.postgresMicros) : Number.NaN
    })
    const measured = median(ratios)
    reportRow({ path: `${nameOf(name, several)}, CPU`, unit: '× one process', must: { atMost: 1.2 }, measured })
  }
} finally {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
}

type Cost = { perSecond: number; nodeMicros: number; postgresMicros: number }

function nameOf(load: string, processes: number): string {
  return `${load}, ${processes} API process${processes === 1 ? '' : 'es'}`
}

/** Starts the API with this number of processes, and measures each load after a warm-up. */
async function measureOnce(
  round: number,
  processes: number,
  loads: Record<string, Omit<Load, 'url'>>,
): Promise<[string, Cost][]> {
  const listening = /"baseUrl":"([^"]+)"/
  const api = await startRole('serve', folder, listening, { ...settings, SVC_PROCESSES: String(processes) })
  try {
    const url = `${listening.exec(api.output())?.[1]}/quotes`
    const costs: [string, Cost][] = []
    for (const [name, load] of Object.entries(loads)) {
      await runLoad({ ...load, url, seconds: warmUpSeconds })
      const before = await readCpu(api.pid)
      const { perSecond, answers } = await runLoad({ ...load, url })
      const after = await readCpu(api.pid)
      const nodeMicros = (1e6 * (after.node - before.node)) / answers
      const postgresMicros = (1e6 * (after.postgres - before.postgres)) / answers
      costs.push([name, { perSecond, nodeMicros, postgresMicros }])
    }
    const family = (await readFamily(api.pid)).filter(({ name }) => name.includes('serve'))
    const memory = await Promise.all(family.map(({ pid }) => readMemory(pid)))
    const shown = memory.map((each) => each.toFixed(0)).join(', ')
    console.log(`round ${round}, ${processes}: launcher and processes ${shown} MB`)
    return costs
  } finally {
    await api.stop()
  }
}

/** Reads the CPU of the API processes, and of PostgreSQL, which belongs to the sandbox beside them. */
async function readCpu(api: number): Promise<{ node: number; postgres: number }> {
  const sum = (family: Process[]) => family.reduce((all, { seconds }) => all + seconds, 0)
  const ofWorld = await readFamily(world.pid)
  return { node: sum(await readFamily(api)), postgres: sum(ofWorld.filter(({ name }) => name === 'postgres')) }
}
