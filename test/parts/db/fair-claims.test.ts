import { expect, test } from 'vitest'
import { claimFairly, type SharedWorkTable, startRound } from '../../../src/db/fair-claims.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const parcels: SharedWorkTable = {
  table: 'svc.parcels',
  key: ['organization_id', 'parcel'],
  dueBy: 'business time',
  sharedBy: 'organization_id',
}

/** The nth organization; 0 is the platform, which has the lowest id. */
const organization = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`

type Backlog = { organizations: number; each: number }

/** A work table as a capability would have it, with as many due rows for each organization, the oldest for the first. */
async function makeParcels({ organizations, each }: Backlog) {
  const { owner, app } = await makeDatabase()
  const asOwner = openForTest({ connection: owner })
  await asOwner.query({
    text: `create table svc.parcels (organization_id uuid, parcel int, due_at timestamptz, lease_until timestamptz,
             fence bigint not null default 0, primary key (organization_id, parcel))`,
  })
  await asOwner.query({
    text: 'create index on svc.parcels (organization_id, due_at) where due_at is not null',
  })
  await asOwner.query({ text: 'grant select, insert, update on svc.parcels to svc_app' })
  const database = openForTest({ ...app, connections: 16 })
  await database.query({
    text: `insert into svc.parcels (organization_id, parcel, due_at)
           select lpad((organization - 1)::text, 32, '0')::uuid, parcel, svc.now() - interval '1 day' + organization * interval '1 minute'
             from generate_series(1, $1::int) as organization, generate_series(1, $2::int) as parcel`,
    values: [organizations, each],
  })
  return database
}

type Parcel = { organization_id: string; parcel: number }
type Connection = Awaited<ReturnType<typeof makeParcels>>

/** A worker: claims batch after batch, and answers the organizations of each. */
function startClaiming(database: Connection, limit: number, leaseMs = 30_000) {
  const round = startRound()
  return async () => {
    const claimed = await claimFairly<Parcel>(database, parcels, { limit, leaseMs }, round)
    return claimed.map(({ organization_id }) => organization_id)
  }
}

test('without a backlog every batch takes the oldest rows', async () => {
  const claim = startClaiming(await makeParcels({ organizations: 3, each: 1 }), 5)
  expect(await claim()).toHaveLength(3)
  expect(await claim()).toEqual([])
})

test('every second batch of a backlog serves organizations in turn, and the others take the oldest rows', async () => {
  const claim = startClaiming(await makeParcels({ organizations: 30, each: 40 }), 5)
  const served = new Set<string>()
  for (let pair = 0; pair < 6; pair += 1) {
    expect(await claim()).toEqual(Array.from({ length: 5 }, () => organization(0)))
    const shared = await claim()
    expect(new Set(shared).size).toBe(5)
    for (const id of shared) served.add(id)
  }
  expect(served.size).toBe(30)
})

test('few organizations get equal shares of a batch, the platform included', async () => {
  const claim = startClaiming(await makeParcels({ organizations: 2, each: 40 }), 10)
  await claim()
  const shared = await claim()
  expect(shared.filter((id) => id === organization(0))).toHaveLength(5)
  expect(shared.filter((id) => id === organization(1))).toHaveLength(5)
})

test('organizations whose rows are due later cost a visit and get no share', async () => {
  const database = await makeParcels({ organizations: 40, each: 8 })
  await database.query({
    text: `update svc.parcels set due_at = svc.now() + interval '1 day' where organization_id not in ($1, $2)`,
    values: [organization(0), organization(39)],
  })
  const claim = startClaiming(database, 4)
  expect(await claim()).toEqual(Array.from({ length: 4 }, () => organization(0)))
  expect((await claim()).toSorted()).toEqual([0, 0, 39, 39].map(organization))
})

test('a shared batch that finds only leased rows falls back to the oldest rows', async () => {
  const database = await makeParcels({ organizations: 1, each: 8 })
  const claim = startClaiming(database, 4)
  expect(await claim()).toHaveLength(4)
  const other = startClaiming(database, 4)
  expect(await other()).toHaveLength(4)
  expect(await claim()).toEqual([])
  await database.query({ text: `update svc.parcels set lease_until = null where parcel = 1` })
  expect(await claim()).toHaveLength(1)
})

test('sixteen workers that share batches never claim the same row, and claim every row', async () => {
  const database = await makeParcels({ organizations: 7, each: 100 })
  const rounds = Array.from({ length: 16 }, startRound)
  const claimed: string[] = []
  await Promise.all(
    rounds.map(async (round) => {
      for (;;) {
        const rows = await claimFairly<Parcel>(database, parcels, { limit: 10, leaseMs: 30_000 }, round)
        claimed.push(...rows.map(({ organization_id, parcel }) => `${organization_id} ${parcel}`))
        if (rows.length === 0) return
      }
    }),
  )
  const last = startRound()
  for (let rows: Parcel[] = []; ; claimed.push(...rows.map((row) => `${row.organization_id} ${row.parcel}`))) {
    rows = await claimFairly<Parcel>(database, parcels, { limit: 100, leaseMs: 30_000 }, last)
    if (rows.length === 0) break
  }
  expect(new Set(claimed).size).toBe(claimed.length)
  expect(claimed).toHaveLength(700)
})
