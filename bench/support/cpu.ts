import { readFileSync } from 'node:fs'
import type { Queryable } from '../../src/db/database.ts'
import type { Result } from './load.ts'

export type CpuCost = { nodeMicrosEach: number; postgresMicrosEach: number; microsEach: number }

/** Measures the CPU time of a load in PostgreSQL and in this process. */
export async function makeCpuMeter(database: Queryable) {
  return {
    measure: async <Measured extends Pick<Result, 'answers'>>(
      run: () => Promise<Measured>,
    ): Promise<Measured & CpuCost> => {
      const before = { node: process.cpuUsage(), postgres: await postgresMicros(database) }
      const result = await run()
      const node = process.cpuUsage(before.node)
      const postgres = (await postgresMicros(database)) - before.postgres
      const nodeMicrosEach = (node.user + node.system) / result.answers
      const postgresMicrosEach = postgres / result.answers
      return { ...result, nodeMicrosEach, postgresMicrosEach, microsEach: nodeMicrosEach + postgresMicrosEach }
    },
  }
}

/** The CPU time of this process and of every connection to PostgreSQL, to the microsecond, from /proc. */
export type Usage = { node: NodeJS.CpuUsage; connections: ReadonlyMap<number, number> }

export async function readUsage(database: Queryable): Promise<Usage> {
  const rows = await database.query<{ pid: number }>({
    name: 'list connections',
    text: `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  })
  return { node: process.cpuUsage(), connections: new Map(rows.map(({ pid }) => [pid, readMicros(pid)])) }
}

/** The CPU time since `before`, of both or of some connections alone. */
export function microsSince(before: Usage, after: Usage): { node: number; postgres: number } {
  const postgres = [...after.connections].reduce(
    (sum, [pid, micros]) => sum + micros - (before.connections.get(pid) ?? 0),
    0,
  )
  const { user, system } = after.node
  return { node: user + system - before.node.user - before.node.system, postgres }
}

/** The time that a process of one thread has run; 0 when it has ended, or on a machine without /proc. */
export function readMicros(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000
  } catch {
    return 0
  }
}

/**
 * Sums the CPU time of all PostgreSQL processes, from /proc; 0 on a machine without it. The time of a process that has
 * ended, such as an autovacuum worker, is in its parent's account of its children.
 */
async function postgresMicros(database: Queryable): Promise<number> {
  const rows = await database.query<{ pid: number }>({ text: 'select pid from pg_stat_activity' })
  const running = rows.flatMap(({ pid }) => readProcess(pid))
  const parents = new Set(running.map(({ parent }) => parent))
  const ended = [...parents].flatMap(readProcess).map(({ childTicks }) => childTicks)
  return [...running.map(({ ticks }) => ticks), ...ended].reduce((sum, each) => sum + each, 0) * 10_000
}

type ProcessTimes = { parent: number; ticks: number; childTicks: number }

/** One process of Linux, none when it has ended. */
function readProcess(pid: number): ProcessTimes[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11)
    return [{ parent, ticks: user + system, childTicks: childUser + childSystem }]
  } catch {
    return []
  }
}
