import type { Queryable } from './database.ts'

/** The current business time of the database, and whether it is frozen. */
export type BusinessTime = { now: Date; frozen: boolean }

/** Records each move of the clock, so that svc.business_time can convert real times to business time. */
const recordMove = (move: string) => `
  with moved as (${move} returning ahead, frozen_at),
       recorded as (insert into svc.clock_moves (ahead, frozen_at) select ahead, frozen_at from moved)
  select coalesce(frozen_at, now() + ahead) as now, frozen_at is not null as frozen from moved`

export async function readClock(database: Queryable): Promise<BusinessTime> {
  const text = 'select svc.now() as now, frozen_at is not null as frozen from svc.clock'
  return requireClock(await database.query<BusinessTime>({ name: 'read clock', text }))
}

/** Moves business time forward, never back: recorded times must stay in the past. Undefined when past `latest`. */
export async function advanceClock(
  database: Queryable,
  isoDuration: string,
  latest: Date,
): Promise<BusinessTime | undefined> {
  const rows = await database.query<BusinessTime>({
    name: 'advance clock',
    text: recordMove(`update svc.clock
              set frozen_at = frozen_at + $1::interval,
                  ahead = case when frozen_at is null
                               then make_interval(secs => extract(epoch from now() + ahead + $1::interval - now()))
                               else ahead end
            where coalesce(frozen_at, now() + ahead) + $1::interval <= $2`),
    values: [isoDuration, latest],
  })
  return rows[0]
}

export async function freezeClock(database: Queryable): Promise<BusinessTime> {
  return requireClock(
    await database.query<BusinessTime>({
      name: 'freeze clock',
      text: recordMove('update svc.clock set frozen_at = coalesce(frozen_at, now() + ahead)'),
    }),
  )
}

/** Continues from the instant at which the clock was frozen, so that business time skips nothing. */
export async function resumeClock(database: Queryable): Promise<BusinessTime> {
  return requireClock(
    await database.query<BusinessTime>({
      name: 'resume clock',
      text: recordMove(`update svc.clock
                set ahead = case when frozen_at is null then ahead
                                 else make_interval(secs => extract(epoch from frozen_at - now())) end,
                    frozen_at = null`),
    }),
  )
}

function requireClock([time]: BusinessTime[]): BusinessTime {
  if (!time) throw new Error('svc.clock has lost its row')
  return time
}
