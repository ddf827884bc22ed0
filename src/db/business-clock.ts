import type { Queryable } from './database.ts'

/** Business time as the database tells it, and whether it stands still. */
export type BusinessTime = { now: Date; frozen: boolean }

const reading = 'svc.now() as now, frozen_at is not null as frozen'

/** Every move is written down: what is known by real time alone can be told in business time (svc.business_time). */
const noting = (move: string) => `
  with moved as (${move} returning ahead, frozen_at),
       noted as (insert into svc.clock_moves (ahead, frozen_at) select ahead, frozen_at from moved)
  select coalesce(frozen_at, now() + ahead) as now, frozen_at is not null as frozen from moved`

export async function readClock(database: Queryable): Promise<BusinessTime> {
  return one(await database.query<BusinessTime>({ name: 'read clock', text: `select ${reading} from svc.clock` }))
}

/** Business time may only move forward: what was seen to happen must stay in the past. */
export async function advanceClock(
  database: Queryable,
  isoDuration: string,
  latest: Date,
): Promise<BusinessTime | undefined> {
  const rows = await database.query<BusinessTime>({
    name: 'advance clock',
    text: noting(`update svc.clock
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
  return one(
    await database.query<BusinessTime>({
      name: 'freeze clock',
      text: noting('update svc.clock set frozen_at = coalesce(frozen_at, now() + ahead)'),
    }),
  )
}

/** Goes on from the instant it was frozen at, so that no time is jumped over. */
export async function resumeClock(database: Queryable): Promise<BusinessTime> {
  return one(
    await database.query<BusinessTime>({
      name: 'resume clock',
      text: noting(`update svc.clock
                set ahead = case when frozen_at is null then ahead
                                 else make_interval(secs => extract(epoch from frozen_at - now())) end,
                    frozen_at = null`),
    }),
  )
}

function one(rows: BusinessTime[]): BusinessTime {
  if (!rows[0]) throw new Error('svc.clock has lost its row')
  return rows[0]
}
