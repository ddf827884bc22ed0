import { setTimeout } from 'node:timers/promises'
import type { Queryable } from '../../src/db/database.ts'
import type { StatementCount } from './statement-counter.ts'

/** Samples what the connections of the service wait for. */
export function sampleWaits(database: Queryable) {
  const seen = new Map<string, number>()
  let isStopped = false
  const run = async () => {
    while (!isStopped) {
      const rows = await database.query<{ waits: string }>({
        name: 'bench: sample waits',
        text: `select coalesce(wait_event_type || ' ' || wait_event, 'runs') || ': ' || left(query, 60) as waits
                 from pg_stat_activity where state <> 'idle' and query not like '%pg_stat_activity%'`,
      })
      for (const { waits } of rows) seen.set(waits, (seen.get(waits) ?? 0) + 1)
      await setTimeout(5)
    }
  }
  const running = run()
  return {
    seen,
    stop: () => {
      isStopped = true
      return running
    },
  }
}

/** Lists the statements and the waits of so many payments. */
export function showProfile(
  title: string,
  payments: number,
  counted: readonly StatementCount[],
  waits: ReadonlyMap<string, number>,
): void {
  const shorten = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 90)
  for (const { name, calls, milliseconds } of counted.slice(0, 60)) {
    const each = `${(calls / payments).toFixed(2)} calls, ${(milliseconds / payments).toFixed(2)} ms a payment`
    console.log(`${title} ${each}: ${shorten(name)}`)
  }
  for (const [wait, samples] of [...waits].sort(([, one], [, other]) => other - one).slice(0, 25)) {
    console.log(`${title} ${samples} samples: ${shorten(wait)}`)
  }
}
