import type { Database, Queryable } from './database.ts'

/**
 * Background work is rows of our own tables. Such a table has `due_at` (when), `lease_until` (who holds it, in real
 * time) and `fence` (a number that grows with each claim, so that a holder who lost the lease writes nothing).
 */
export type WorkTable = {
  table: string
  key: readonly string[]
  /** Most work is due by business time, which the sandbox can move; upkeep is due by real time. */
  dueBy: 'business time' | 'real time'
}

export type Claimed<Row> = Row & { fence: string }

/** Somebody else took this work over after our lease had ended; whatever we did must not be recorded. */
export class LeaseLost extends Error {}

export type ClaimOptions = {
  limit: number
  leaseMs: number
  /** Columns to return beside the key and the fence. */
  columns?: readonly string[]
  /** Only rows whose column has one of these values. */
  only?: { column: string; values: readonly string[] }
}

/** Takes up to `limit` due rows that nobody holds. Two workers never get the same row while its lease lasts. */
export function claimWork<Row extends object>(
  database: Queryable,
  { table, key, dueBy }: WorkTable,
  { limit, leaseMs, columns = [], only }: ClaimOptions,
): Promise<Claimed<Row>[]> {
  const now = dueBy === 'business time' ? 'svc.now()' : 'clock_timestamp()'
  const same = key.map((column) => `work.${column} = due.${column}`).join(' and ')
  return database.query<Claimed<Row>>({
    // No longer than PostgreSQL lets a name be.
    name: `claim ${table} ${[...columns, only?.column].join()}`.slice(0, 63),
    text: `with due as (
             select ${key.join(', ')} from ${table}
              where due_at <= ${now} and (lease_until is null or lease_until < clock_timestamp())
                    ${only ? `and ${only.column} = any($3)` : ''}
              order by due_at limit $1 for update skip locked)
           update ${table} as work
              set lease_until = clock_timestamp() + $2 * interval '1 millisecond', fence = work.fence + 1
             from due where ${same}
        returning ${[...key, ...columns].map((column) => `work.${column}`).join(', ')}, work.fence`,
    values: [limit, leaseMs, ...(only ? [only.values] : [])],
  })
}

/** Throws unless a guarded write (`… where fence = $n`) touched its row. */
export function requireFence(touched: readonly unknown[]): void {
  if (touched.length === 0) throw new LeaseLost('the lease ended and another worker took this over')
}

/** One kind of work: claims a batch, does it, and says how many rows it had. */
export type Job = {
  name: string
  runBatch(): Promise<number>
  /** How long to wait when there was nothing to do; the worker's own pace unless given. */
  pollMs?: number
  /** The job that has work when this one had some: it looks at once. */
  wakes?: string
  /** Gives back what the job holds between batches, so that nobody has to wait for its lease to end. */
  release?(): Promise<void>
}

export type Worker = {
  /** Look now instead of at the next tick; call it after a commit that made work. */
  wake(): void
  /** Takes no more work and waits for what is under way. */
  stop(): Promise<void>
}

/** Runs each job in a loop of its own: again at once while there is work, else at the next tick or wake-up. */
export function startWorker(
  jobs: readonly Job[],
  options: { pollMs?: number; onError(job: string, error: unknown): void },
): Worker {
  let stopping = false
  const pollMs = options.pollMs ?? 1_000
  const loopers = jobs.map((job) => ({ job, wakeCalls: 0, wakeUp: () => {} }))
  type Looper = (typeof loopers)[number]
  const pause = (looper: Looper, pauseMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      looper.wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const wake = (woken: readonly Looper[]) => {
    for (const looper of woken) {
      looper.wakeCalls += 1
      looper.wakeUp()
    }
  }
  const loop = async (looper: Looper) => {
    const { job } = looper
    const next = loopers.filter((each) => each.job.name === job.wakes)
    while (!stopping) {
      const wakeCallsBefore = looper.wakeCalls
      let pauseMs = job.pollMs ?? pollMs
      const done = await job.runBatch().catch((error: unknown) => {
        pauseMs = pollMs
        if (!(error instanceof LeaseLost)) options.onError(job.name, error)
        return 0
      })
      if (done > 0) wake(next)
      // A wake-up that came while we looked may be about a row that we did not see.
      else if (looper.wakeCalls === wakeCallsBefore && !stopping) await pause(looper, pauseMs)
    }
    await job.release?.().catch((error: unknown) => options.onError(job.name, error))
  }
  const loops = loopers.map(loop)
  return {
    wake: () => wake(loopers),
    stop: async () => {
      stopping = true
      wake(loopers)
      await Promise.all(loops)
    },
  }
}

/** Something one worker of the whole deployment does every so often, whatever the number of workers. */
export type Duty = { name: string; everyMs: number; run(): Promise<unknown> }

export const dutiesTable: WorkTable = { table: 'svc.duties', key: ['duty'], dueBy: 'real time' }

/** Makes the rows that duties are claimed by. */
export async function enterDuties(database: Queryable, names: readonly string[]): Promise<void> {
  await database.query({
    text: 'insert into svc.duties (duty) select unnest($1::text[]) on conflict (duty) do nothing',
    values: [names],
  })
}

export async function dutiesJob(database: Database, list: readonly Duty[], leaseMs: number): Promise<Job> {
  const names = list.map((each) => each.name)
  await enterDuties(database, names)
  // Only what we know: during an upgrade an old worker must not take a new one's duty.
  const only = { column: 'duty', values: names }
  return {
    name: 'duties',
    runBatch: async () => {
      const [claimed] = await claimWork<{ duty: string }>(database, dutiesTable, { limit: 1, leaseMs, only })
      const duty = list.find((each) => each.name === claimed?.duty)
      if (!claimed || !duty) return 0
      const outcome = await whileRenewing(database, { ...claimed, leaseMs }, () => duty.run())
      const finished = await database.query({
        name: 'finish duty',
        text: `update svc.duties
                  set due_at = clock_timestamp() + $3 * interval '1 millisecond', lease_until = null,
                      finished_at = clock_timestamp(), outcome = $4
                where duty = $1 and fence = $2 returning duty`,
        values: [claimed.duty, claimed.fence, duty.everyMs, JSON.stringify(outcome ?? null)],
      })
      requireFence(finished)
      return 1
    },
  }
}

/** A duty may take longer than a lease: as long as its worker lives, nobody else takes it over. */
async function whileRenewing<Result>(
  database: Database,
  { duty, fence, leaseMs }: { duty: string; fence: string; leaseMs: number },
  run: () => Promise<Result>,
): Promise<Result> {
  const renew = () =>
    database.query({
      name: 'renew duty',
      text: `update svc.duties set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
              where duty = $1 and fence = $2`,
      values: [duty, fence, leaseMs],
    })
  const renewing = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
  return run().finally(() => clearInterval(renewing))
}
