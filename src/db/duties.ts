import { type Database, describeFailure, type Queryable } from './database.ts'
import { claimWork, type Due, type Job, requireFence, type WorkTable, whileLeased } from './work.ts'
import { allDue, anyDue, isDue, literal } from './workers/due.ts'

/** Work that one worker of the deployment repeats at an interval, however many workers there are. */
export type Duty = {
  name: string
  everyMs: number
  run(): Promise<unknown>
  /** Holds while there is something to do. A duty without it runs at every interval. */
  due?: Due
  /** The pause after this outcome, when it is not the interval: 0 for work that continues. */
  pauseMs?(outcome: unknown): number
}

export const dutiesTable: WorkTable = { table: 'svc.duties', key: ['duty'], dueBy: 'real time' }

/** Inserts the rows through which workers claim duties. */
export async function insertDuties(database: Queryable, names: readonly string[]): Promise<void> {
  await database.query({
    text: 'insert into svc.duties (duty) select unnest($1::text[]) on conflict (duty) do nothing',
    values: [names],
  })
}

/** Reads the outcome with which a duty last ended, and its age; undefined when it never did. */
export async function readOutcome(
  database: Queryable,
  duty: string,
): Promise<{ outcome: unknown; ageMs: number } | undefined> {
  const [ended] = await database.query<{ outcome: unknown; ageMs: number }>({
    name: 'read outcome of a duty',
    text: `select outcome, (extract(epoch from clock_timestamp() - finished_at) * 1000)::float8 as "ageMs"
             from svc.duties where duty = $1 and finished_at is not null`,
    values: [duty],
  })
  return ended
}

/** Runs due duties. The job fails with a duty that fails, but the duty waits for its interval and blocks no other. */
export async function dutiesJob(database: Database, list: readonly Duty[], leaseMs: number): Promise<Job> {
  const names = list.map((each) => each.name)
  await insertDuties(database, names)
  // Only known names: during an upgrade an old worker must not claim a duty of the new version.
  const only = { column: 'duty', values: names }
  const due = anyDue(...list.map(dueOf))
  const areConditional = list.every((each) => each.due !== undefined)
  return {
    name: 'duties',
    isUpkeep: true,
    due,
    runBatch: async () => {
      // A duty that continues is due by time at once, also after its last piece of work.
      if (areConditional && !(await isDue(database, due))) return 0
      const [claimed] = await claimWork<{ duty: string }>(database, dutiesTable, { limit: 1, leaseMs, only })
      const duty = list.find((each) => each.name === claimed?.duty)
      if (!claimed || !duty) return 0
      const renew = () => renewLease(database, claimed, leaseMs)
      const outcome = await whileLeased(renew, leaseMs, () => duty.run()).catch(async (error: unknown) => {
        await recordFailure(database, claimed, duty.everyMs, error)
        throw error
      })
      await recordOutcome(database, claimed, duty.pauseMs?.(outcome) ?? duty.everyMs, outcome)
      return 1
    },
  }
}

function dueOf({ name, due }: Duty): Due {
  const isTime = `exists (select from svc.duties where duty = ${literal(name)} and due_at <= clock_timestamp()
    and (lease_until is null or lease_until < clock_timestamp()))`
  return due ? allDue(isTime, due) : isTime
}

type ClaimedDuty = { duty: string; fence: string }

async function recordOutcome(
  database: Database,
  { duty, fence }: ClaimedDuty,
  pauseMs: number,
  outcome: unknown,
): Promise<void> {
  const finished = await database.query({
    name: 'finish duty',
    text: `update svc.duties
              set due_at = clock_timestamp() + $3 * interval '1 millisecond', lease_until = null,
                  finished_at = clock_timestamp(), outcome = $4, failed_at = null, failure = null
            where duty = $1 and fence = $2 returning duty`,
    values: [duty, fence, pauseMs, JSON.stringify(outcome ?? null)],
  })
  requireFence(finished)
}

/** Moves the due time of a duty that failed. If the database is away, the lease ends instead. */
async function recordFailure(
  database: Database,
  { duty, fence }: ClaimedDuty,
  everyMs: number,
  error: unknown,
): Promise<void> {
  await database
    .query({
      name: 'record failed duty',
      text: `update svc.duties
                set due_at = clock_timestamp() + $3 * interval '1 millisecond', lease_until = null,
                    failed_at = clock_timestamp(), failure = $4
              where duty = $1 and fence = $2`,
      values: [duty, fence, everyMs, describeFailure(error)],
    })
    .catch(() => {})
}

async function renewLease(database: Database, { duty, fence }: ClaimedDuty, leaseMs: number): Promise<void> {
  await database.query({
    name: 'renew duty',
    text: `update svc.duties set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
            where duty = $1 and fence = $2`,
    values: [duty, fence, leaseMs],
  })
}
