import { afterAll, expect, test } from 'vitest'
import { auditChecks, createAudit } from '../../../src/db/audit/audit.ts'
import { createAuditMac } from '../../../src/db/audit/mac.ts'
import { fromSource } from '../../../src/db/audit/request-source.ts'
import { type Database, openDatabase, type Tx } from '../../../src/db/database.ts'
import { verify } from '../../../src/db/verify.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const key = Buffer.alloc(32, 3)
const audit = createAudit(key)

const { owner, app } = await makeDatabase()
const database = openDatabase(app)
const asOwner = openDatabase({ connection: owner })
const sealer = audit.sealerJob(database, 60_000)
afterAll(() => Promise.all([database.close(), asOwner.close()]))

const append = (tx: Tx, organizationId: string, details: object = { scopes: ['quotes:read'] }) =>
  audit.append(tx, {
    organizationId,
    actor: `api_key:${newId()}`,
    action: 'api_key.created',
    subjectId: newId(),
    details,
  })

const tamper = (text: string, values: unknown[] = []) => asOwner.query({ text, values })

/** Two organizations with six sealed rows each and nothing else. */
async function makeSealed(): Promise<{ organizationId: string; auditIds: string[] }> {
  await tamper('truncate svc.audit, svc.audit_queue, svc.audit_seals, svc.audit_heads')
  const [organizationId, other] = [newId(), newId()]
  const auditIds: string[] = []
  await database.inTx(async (tx) => {
    for (let turn = 0; turn < 6; turn++) {
      auditIds.push(await append(tx, organizationId))
      await append(tx, other)
    }
  })
  expect(await sealer.runBatch()).toBe(12)
  expect(await audit.findViolations(database)).toEqual([])
  return { organizationId, auditIds }
}

async function count(table: 'audit' | 'audit_seals'): Promise<number> {
  const [row] = await database.query<{ count: number }>({ text: `select count(*)::int from svc.${table}` })
  return row?.count ?? 0
}

test('an audit row commits or rolls back with its act, and is sealed within a second', async () => {
  const errors: unknown[] = []
  const onError = (_job: string, error: unknown) => errors.push(error)
  const workers = [1, 2].map(() => startWorker([audit.sealerJob(database, 500)], { onError }))
  const failing = database.inTx(async (tx) => {
    await append(tx, newId())
    throw new Error('the act failed')
  })
  await expect(failing).rejects.toThrow('the act failed')
  expect(await count('audit')).toBe(0)
  const organizationIds = [newId(), newId()]
  const act = (turn: number) => database.inTx((tx) => append(tx, organizationIds[turn % 2]!))
  await Promise.all(Array.from({ length: 40 }, (_, turn) => act(turn)))
  await expect.poll(() => count('audit_seals')).toBe(40)
  expect(await verify(database, auditChecks(key))).toMatchObject({
    ok: true,
    checks: [{ violations: [] }, { violations: [] }],
  })
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(errors).toEqual([])
})

test('the MAC covers the stored values, regardless of the values and the session settings', async () => {
  await makeSealed()
  const details = { b: 1e21, a: 0.1, big: 2 ** 53, text: '\u{1f600} "\\ é \ud800 \0', list: [null, {}] }
  await append(asTx(database), newId().toUpperCase(), details)
  const german = openForTest({ ...app, connections: 1 })
  await german.query({ text: `set timezone to 'Asia/Kathmandu'` })
  await german.query({ text: `set datestyle to 'German'` })
  expect(await audit.findViolations(german)).toEqual([])
  expect(await createAudit(Buffer.alloc(32, 4)).findViolations(german)).toHaveLength(15)
})

test('an act that runs within a request takes its address only when the key of the request acts', async () => {
  const organizationId = newId()
  for (const actor of ['api_key:one', 'api_key:two', 'worker', 'command line'])
    await fromSource({ apiKeyId: 'one', address: '192.0.2.1' }, () =>
      audit.append(asTx(database), { organizationId, actor, action: 'test.acted', subjectId: actor }),
    )
  const addresses = await database.query<{ address: string | null }>({
    text: 'select source_address as address from svc.audit where organization_id = $1 order by at, audit_id',
    values: [organizationId],
  })
  expect(addresses.map(({ address }) => address)).toEqual(['192.0.2.1', null, null, null])
})

test('many acts take as many statements as one, and keep their order, their addresses and their values', async () => {
  const { organizationId } = await makeSealed()
  let statements = 0
  const counting = asTx({
    query: (statement) => {
      statements += 1
      return database.query(statement)
    },
  })
  const details = [{ text: '"\\ {,} é \ud800 \0' }, {}, { nothing: null }]
  const entries = ['api_key:one', 'worker', 'api_key:one'].map((actor, at) => {
    return { organizationId, actor, action: 'test.acted', subjectId: `subject ${at}`, details: details[at] ?? {} }
  })
  const ids = await fromSource({ apiKeyId: 'one', address: '192.0.2.1' }, () => audit.appendAll(counting, entries))
  expect(statements).toBe(2)
  await audit.appendAll(counting, [])
  expect(statements).toBe(2)
  await audit.append(counting, entries[0]!)
  expect(statements).toBe(4)
  const text = `select audit_id as id, subject_id as subject, source_address as address from svc.audit
                 where organization_id = $1 and action = 'test.acted' order by at, audit_id limit 3`
  expect(await database.query({ text, values: [organizationId] })).toEqual([
    { id: ids[0], subject: 'subject 0', address: '192.0.2.1' },
    { id: ids[1], subject: 'subject 1', address: null },
    { id: ids[2], subject: 'subject 2', address: '192.0.2.1' },
  ])
  expect(await sealer.runBatch()).toBe(4)
  expect(await audit.findViolations(database)).toEqual([])
})

test('a row sealed while verify reads the log is no violation', async () => {
  const { organizationId } = await makeSealed()
  const busy: Database = {
    ...database,
    inTx: (work) =>
      database.inTx((tx) =>
        work(
          asTx({
            query: async (statement) => {
              await append(asTx(database), organizationId)
              await sealer.runBatch()
              return tx.query(statement)
            },
          }),
        ),
      ),
  }
  expect(await audit.findViolations(busy)).toEqual([])
})

test('processes can neither change nor delete rows and seals', async () => {
  await makeSealed()
  for (const table of ['audit', 'audit_seals', 'audit_queue', 'audit_heads']) {
    await expect(database.query({ text: `delete from svc.${table}` })).rejects.toThrow('permission denied')
  }
  for (const statement of ['audit set actor = actor', 'audit_seals set chain_hash = chain_hash']) {
    await expect(database.query({ text: `update svc.${statement}` })).rejects.toThrow('permission denied')
  }
})

const row = (auditId: string, organizationId: string) => `audit row ${auditId} of organization ${organizationId} was`
const altered = (auditId: string, organizationId: string) =>
  `${row(auditId, organizationId)} altered or inserted outside of Svc`

test.each([
  ['at', `at + interval '1 microsecond'`],
  ['actor', `'worker'`],
  ['action', `'api_key.revoked'`],
  ['subject_id', `subject_id || ' '`],
  ['source_address', `'192.0.2.1'`],
  ['details', `details || '{"more": 1}'`],
  ['mac', `decode(repeat('00', 32), 'hex')`],
])('verify names an altered %s', async (column, value) => {
  const { organizationId, auditIds } = await makeSealed()
  for (const auditId of [auditIds[2]!, auditIds[5]!]) {
    await tamper(`update svc.audit set ${column} = ${value} where audit_id = $1`, [auditId])
  }
  expect(await audit.findViolations(database)).toEqual([
    altered(auditIds[2]!, organizationId),
    altered(auditIds[5]!, organizationId),
  ])
})

test.each(['audit_id', 'organization_id'])(
  'verify names a row with a changed %s as removed and as inserted',
  async (column) => {
    const { organizationId, auditIds } = await makeSealed()
    const replacement = newId()
    await tamper(`update svc.audit set ${column} = $1 where audit_id = $2`, [replacement, auditIds[2]])
    const isMoved = column === 'organization_id'
    const found = altered(isMoved ? auditIds[2]! : replacement, isMoved ? replacement : organizationId)
    expect(await audit.findViolations(database)).toEqual([`${row(auditIds[2]!, organizationId)} removed`, found])
  },
)

test('verify names a removed row, sealed or not', async () => {
  const { organizationId, auditIds } = await makeSealed()
  const unsealed = await append(asTx(database), organizationId)
  await tamper('delete from svc.audit where audit_id = any($1)', [[auditIds[3], auditIds[5], unsealed]])
  expect(await audit.findViolations(database)).toEqual(
    [auditIds[3]!, auditIds[5]!, unsealed].map((auditId) => `${row(auditId, organizationId)} removed`),
  )
})

test('verify names an inserted row, before and after it is sealed', async () => {
  const { organizationId, auditIds } = await makeSealed()
  const inserted = newId()
  await tamper(
    `insert into svc.audit (organization_id, audit_id, at, actor, action, subject_id, details, mac)
     select organization_id, $1, at, actor, action, subject_id, details, mac from svc.audit where audit_id = $2`,
    [inserted, auditIds[0]],
  )
  expect(await audit.findViolations(database)).toEqual([altered(inserted, organizationId)])
  await tamper('insert into svc.audit_queue (organization_id, audit_id) values ($1, $2)', [organizationId, inserted])
  expect(await sealer.runBatch()).toBe(1)
  expect(await audit.findViolations(database)).toEqual([altered(inserted, organizationId)])
})

test('verify names both of two swapped rows', async () => {
  const { organizationId, auditIds } = await makeSealed()
  await tamper(
    `update svc.audit as one set (at, actor, action, subject_id, details, mac) =
            (select at, actor, action, subject_id, details, mac from svc.audit as two
              where two.audit_id <> one.audit_id and two.audit_id = any($1))
      where one.audit_id = any($1)`,
    [[auditIds[1], auditIds[4]]],
  )
  const both = [altered(auditIds[1]!, organizationId), altered(auditIds[4]!, organizationId)]
  expect(await audit.findViolations(database)).toEqual(both)
})

test.each([
  ['delete from svc.audit_seals where sequence = 3', ['seals 3 to 3 of % are missing']],
  [
    'delete from svc.audit_seals where sequence in (1, 4, 5)',
    ['seals 1 to 1 of % are missing', 'seals 4 to 5 of % are missing'],
  ],
  [`update svc.audit_seals set chain_hash = '\\x00' where sequence = 3`, ['seal 3 of % was altered']],
  [
    `update svc.audit_seals set chain_hash = '\\x00' where sequence in (3, 6)`,
    ['seal 3 of % was altered', 'seal 6 of % was altered'],
  ],
  [
    'update svc.audit_seals set sequence = sequence + 2 where sequence = 6',
    ['seals 6 to 7 of % are missing', 'seals of % from 6 on differ from the head of the chain'],
  ],
  ['delete from svc.audit_seals where sequence > 4', ['seals 5 to 6 of % are missing']],
  ['delete from svc.audit_seals where true', ['seals 1 to 6 of % are missing']],
  ['delete from svc.audit_heads where true', ['the head of the audit chain of % was removed']],
  ['update svc.audit_heads set last_sequence = 5 where true', ['the head of the audit chain of % was altered']],
] as const)('named after: %s', async (statement, named) => {
  const { organizationId } = await makeSealed()
  await tamper(`${statement} and organization_id = $1`, [organizationId])
  const expected = named.map((each) => each.replace('%', `organization ${organizationId}`))
  expect(await audit.findViolations(database)).toEqual(expected)
})

test('verify names a removed tail, even when the head of the chain is moved back', async () => {
  const { organizationId, auditIds } = await makeSealed()
  for (const table of ['audit', 'audit_queue', 'audit_seals']) {
    await tamper(`delete from svc.${table} where audit_id = any($1)`, [auditIds.slice(4)])
  }
  expect(await audit.findViolations(database)).toEqual([`seals 5 to 6 of organization ${organizationId} are missing`])
  await tamper(
    `update svc.audit_heads as head set last_sequence = sequence, last_hash = chain_hash from svc.audit_seals as seal
      where head.organization_id = $1 and seal.organization_id = $1 and sequence = 4`,
    [organizationId],
  )
  expect(await audit.findViolations(database)).toEqual([
    `the head of the audit chain of organization ${organizationId} was altered`,
  ])
})

test('verify names both of two seals with swapped rows', async () => {
  const { organizationId, auditIds } = await makeSealed()
  const [second, fifth, elsewhere] = [auditIds[1], auditIds[4], newId()]
  for (const [from, to] of [
    [second, elsewhere],
    [fifth, second],
    [elsewhere, fifth],
  ]) {
    await tamper('update svc.audit_seals set audit_id = $2 where audit_id = $1', [from, to])
  }
  expect(await audit.findViolations(database)).toEqual([
    `seal 2 of organization ${organizationId} was altered`,
    `seal 5 of organization ${organizationId} was altered`,
  ])
})

test('verify names a good row that stays unsealed for a minute', async () => {
  const { organizationId } = await makeSealed()
  const auditId = newId()
  const at = new Date(Date.now() - 61_000).toISOString().replace('Z', '000Z')
  const old = { organizationId, auditId, at, actor: 'worker', action: 'test', subjectId: '1' }
  await tamper(
    `insert into svc.audit (organization_id, audit_id, at, actor, action, subject_id, details, mac)
     values ($1, $2, $3, $4, $5, $6, '{}', $7)`,
    [...Object.values(old), createAuditMac(key).ofRow({ ...old, sourceAddress: null, details: '{}' })],
  )
  expect(await audit.findViolations(database)).toEqual([`${row(auditId, organizationId)} not sealed within a minute`])
})
