import { readFileSync } from 'node:fs'
import type { Queryable } from '../../src/db/database.ts'
import type { Result } from './load.ts'

export type CpuCost = { nodeMicrosEach: number; postgresMicrosEach: number; microsEach: number }

/** Measures the CPU time of a load in PostgreSQL and in this process, without the thread that generates the load. */
export async function makeCpuMeter(database: Queryable) {
  return {
    measure: async (run: () => Promise<Result>): Promise<Result & CpuCost> => {
      const before = { node: process.cpuUsage(), postgres: await postgresMicros(database) }
      const result = await run()
      const node = process.cpuUsage(before.node)
      const postgres = (await postgresMicros(database)) - before.postgres
      const nodeMicrosEach = (node.user + node.system - result.clientMicros) / result.answers
      const postgresMicrosEach = postgres / result.answers
      return { ...result, nodeMicrosEach, postgresMicrosEach, microsEach: nodeMicrosEach + postgresMicrosEach }
    },
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
