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

/** Sums the CPU time of all PostgreSQL processes, from /proc; 0 on a machine without it. */
async function postgresMicros(database: Queryable): Promise<number> {
  const rows = await database.query<{ pid: number }>({ text: 'select pid from pg_stat_activity' })
  const ticks = rows.map(({ pid }) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return Number(fields[11]) + Number(fields[12])
    } catch {
      return 0
    }
  })
  return ticks.reduce((sum, each) => sum + each, 0) * 10_000
}
