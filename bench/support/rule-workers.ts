import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../src/db/database.ts'
import type { Calls } from './customers.ts'
import type { BenchDatabase } from './database.ts'
import type { RuleWorker } from './rule-worker.ts'

/** Starts two worker processes and waits until both are ready. */
export async function startRuleWorkers(database: BenchDatabase, options: Omit<RuleWorker, 'connection'>) {
  const worker: RuleWorker = { connection: database.app.connection, ...options }
  const children: ChildProcess[] = [1, 2].map(() =>
    fork(path.join(import.meta.dirname, 'rule-worker.ts'), [JSON.stringify(worker)]),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  return {
    stop: async () => {
      for (const child of children) child.disconnect()
      await Promise.all(children.map((child) => once(child, 'exit')))
    },
  }
}

/** Advances business time until all rules are due. Waits until every rule is claimed and every run has ended. */
export async function runAllRules(owner: Database, { send }: Calls, dueAt: Date) {
  const { now = '' } = await send('POST', '/sandbox/clock', { freeze: true })
  const seconds = Math.ceil((dueAt.getTime() - Date.parse(now)) / 1_000)
  await send('POST', '/sandbox/clock', { advance: `PT${seconds}S` })
  const started = performance.now()
  const claimedMs = await untilNone(owner, 'svc.automation_rules where next_run_at <= svc.now()', started)
  const doneMs = await untilNone(owner, 'svc.rule_runs where due_at is not null', started)
  return { claimedMs, doneMs }
}

async function untilNone(owner: Database, rows: string, started: number): Promise<number> {
  for (;;) {
    const [row] = await owner.query<{ isLeft: boolean }>({ text: `select exists (select from ${rows}) as "isLeft"` })
    if (!row?.isLeft) return performance.now() - started
    await wait(50)
  }
}
