import { appendFile, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createAnchorFile } from '../../../src/adapters/audit-anchors.ts'
import { anchorDuty } from '../../../src/db/audit/anchors.ts'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { isDue } from '../../../src/db/workers/due.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { makeFolder } from '../../support/runner/folder.ts'

const audit = createAudit(Buffer.alloc(32, 3))
const { owner, app } = await makeDatabase()
const database = openDatabase(app)
const asOwner = openDatabase({ connection: owner })
const sealer = audit.sealerJob(database, 60_000)
const { folder, remove } = await makeFolder('svc anchors ')
afterAll(() => Promise.all([database.close(), asOwner.close(), remove()]))

async function act(organizationId: string): Promise<void> {
  const subjectId = newId()
  await audit.append(asTx(database), { organizationId, actor: 'worker', action: 'test.acted', subjectId })
  expect(await sealer.runBatch()).toBe(1)
}

async function* linesOf(file: string) {
  yield* (await readFile(file, 'utf8')).split('\n')
}

/** An organization whose six seals were each anchored in a file, and the duty that anchors. */
async function makeAnchored(name: string) {
  const organizationId = newId()
  const file = path.join(folder, name)
  const duty = anchorDuty(database, createAnchorFile(file))
  for (let turn = 0; turn < 6; turn++) {
    await act(organizationId)
    await duty.run()
  }
  const compare = () => audit.compareAnchors(database, linesOf(file))
  expect(await compare()).toMatchObject({ compared: expect.any(Number), differences: [] })
  return { organizationId, file, duty, compare }
}

test('a chain that was rewritten with the MAC key contradicts its anchors', async () => {
  const { organizationId, compare } = await makeAnchored('rewritten')
  const tamper = (text: string) => asOwner.query({ text, values: [organizationId] })
  // A thief of the database and of the master key removes an act, and seals the rest anew, as Svc would.
  await tamper(
    `delete from svc.audit where organization_id = $1 and audit_id =
       (select audit_id from svc.audit_seals where organization_id = $1 and sequence = 3)`,
  )
  for (const table of ['audit_seals', 'audit_heads', 'audit_queue'])
    await tamper(`delete from svc.${table} where organization_id = $1`)
  await tamper(
    `insert into svc.audit_queue (organization_id, audit_id)
     select organization_id, audit_id from svc.audit where organization_id = $1 order by at`,
  )
  expect(await sealer.runBatch()).toBe(5)
  expect(await audit.findViolations(database)).toEqual([])
  const seal = (sequence: number) => `seal ${sequence} of organization ${organizationId}`
  expect((await compare()).differences).toEqual([
    ...[3, 4, 5].map((sequence) => `${seal(sequence)} differs from the anchored one`),
    `${seal(6)} was anchored, and is missing`,
  ])
})

test('a head is anchored once, and again when its chain has grown; what is newer is named', async () => {
  const { organizationId, file, duty, compare } = await makeAnchored('grown')
  const due = duty.due ?? ''
  expect(await isDue(database, due)).toBe(false)
  const anchored = await readFile(file, 'utf8')
  await duty.run()
  expect(await readFile(file, 'utf8')).toBe(anchored)
  await act(organizationId)
  expect(await isDue(database, due)).toBe(true)
  const behind = { organizationId, anchored: 6, sealed: 7, isOld: false }
  expect((await compare()).unproven).toContainEqual(behind)
  await duty.run()
  expect((await compare()).unproven).not.toContainEqual(expect.objectContaining({ organizationId }))
})

test('a place that fails keeps the head due, and a cut line is named', async () => {
  const { organizationId, file, duty, compare } = await makeAnchored('cut')
  await act(organizationId)
  const failing = anchorDuty(database, async () => {
    throw new Error('the place is away')
  })
  await expect(failing.run()).rejects.toThrow('the place is away')
  expect(await isDue(database, duty.due ?? '')).toBe(true)
  await appendFile(file, '{"kind":"head","organiz')
  await duty.run()
  expect(await compare()).toMatchObject({ differences: ['line 7 is not an anchored head'] })
  expect((await compare()).unproven).not.toContainEqual(expect.objectContaining({ organizationId }))
})
