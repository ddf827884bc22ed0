import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createVault } from '../../../src/encryption/data-keys.ts'
import { openDeploymentSecret } from '../../../src/encryption/deployment-secrets.ts'
import { createLocalMasterKeys, MasterKeyMissing } from '../../../src/encryption/master-keys.ts'
import { countKeysToRewrap, rewrapDuty, rewrapKeys } from '../../../src/encryption/rewrap.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { makeKeyService } from '../../support/secrets/key-service.ts'
import {
  addField,
  addFields,
  addOrganization,
  destroy,
  readField,
  type StoredField,
  startVault,
  tapMasterKeys,
} from '../../support/secrets/vault.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const old = createLocalMasterKeys(oldKey, [newKey])
const rotated = createLocalMasterKeys(newKey, [oldKey])
const newOnly = createLocalMasterKeys(newKey, [])
const nothingLeft = { dataKeys: 0, deploymentSecrets: 0 }

/** A deployment whose keys are all under the old master key. */
async function start(count: number) {
  const database = await makeDatabase()
  const before = await startVault(database, old)
  const organizationId = await addOrganization(before.pool)
  const fields = await addFields(before, organizationId, count)
  const asOwner = openForTest({ connection: database.owner })
  return { database, before, pool: before.pool, asOwner, organizationId, fields }
}

test('readers and writers keep working while two workers re-wrap all keys', async () => {
  const { database, before, pool, organizationId, fields } = await start(400)
  await openDeploymentSecret(pool, old, 'pages')
  const after = await startVault(database, rotated)
  const uncached = createVault(pool, rotated, { isFresh: () => false })
  const problems: unknown[] = []
  const counts = { reads: 0, writes: 0, rewraps: 0 }
  const running = { writers: true, readers: true, workers: true }

  const repeat = async (kind: keyof typeof running, step: () => Promise<void>) => {
    while (running[kind]) await step().catch((error: unknown) => problems.push(error))
  }
  const readWith = (vault: typeof uncached) => async () => {
    const field = fields[randomBytes(4).readUInt32BE() % fields.length] as StoredField
    if ((await readField(vault, organizationId, field)) !== field.content) problems.push('other content')
    counts.reads += 1
  }
  // One process still wraps with the old key, as happens while a new setting is rolled out.
  const writeWith = (process: typeof before) => async () => {
    fields.push(await addField(process, organizationId))
    counts.writes += 1
  }
  const rewrap = async () => {
    const { dataKeys } = await rewrapKeys(pool, rotated, { batchSize: 20 })
    counts.rewraps += dataKeys
  }
  const writers = [repeat('writers', writeWith(before)), repeat('writers', writeWith(after))]
  const readers = [before.vault, after.vault, uncached, uncached].map((vault) => repeat('readers', readWith(vault)))
  const workers = [repeat('workers', rewrap), repeat('workers', rewrap)]
  await expect.poll(() => counts.reads > 50 && counts.writes > 5 && counts.rewraps > 0).toBe(true)
  running.writers = false
  await Promise.all(writers)
  await expect.poll(() => countKeysToRewrap(pool, rotated)).toEqual(nothingLeft)
  running.workers = false
  running.readers = false
  await Promise.all([...workers, ...readers])

  expect(problems).toEqual([])
  expect(counts.rewraps).toBeGreaterThanOrEqual(400)
  // The old key is no longer needed: everything opens without it.
  const alone = createVault(pool, newOnly, { isFresh: () => false })
  const opened = await alone.openFields(organizationId, fields)
  expect(opened.map((each) => each.outcome === 'OPENED' && each.bytes.toString())).toEqual(
    fields.map((field) => field.content),
  )
  expect(await openDeploymentSecret(pool, newOnly, 'pages')).toHaveLength(32)
})

test('until a rotation ends the old key is still needed', async () => {
  const { pool, organizationId, fields } = await start(1)
  const tooEarly = createVault(pool, newOnly, { isFresh: () => true })
  await expect(readField(tooEarly, organizationId, fields[0]!)).rejects.toThrow(MasterKeyMissing)
  expect(await countKeysToRewrap(pool, rotated)).toEqual({ dataKeys: 1, deploymentSecrets: 0 })
  expect(await countKeysToRewrap(pool, old)).toEqual(nothingLeft)
})

test('a key that is destroyed while it is being re-wrapped stays destroyed', async () => {
  const { before, pool, organizationId, fields } = await start(3)
  const [gone, ...kept] = fields
  const slow = tapMasterKeys(rotated, async (call) => {
    if (call === 'wrap') await destroy(before, organizationId, gone!.dataKeyId)
  })
  expect(await rewrapKeys(pool, slow)).toMatchObject({ dataKeys: 2, passedOver: 1 })
  const vault = createVault(pool, rotated, { isFresh: () => false })
  expect(await readField(vault, organizationId, gone!)).toBe('DESTROYED')
  for (const field of kept) expect(await readField(vault, organizationId, field)).toBe(field.content)
  expect(await countKeysToRewrap(pool, rotated)).toEqual(nothingLeft)
})

test('a worker does not wait for a locked key; it retries it later', async () => {
  const { before, pool, organizationId, fields } = await start(5)
  const held = fields[0]!.dataKeyId
  await pool
    .inTx(async (tx) => {
      await before.vault.destroyDataKey(tx, organizationId, held)
      expect(await rewrapKeys(pool, rotated)).toMatchObject({ dataKeys: 4, passedOver: 1 })
      throw new Error('not after all')
    })
    .catch((error: Error) => expect(error.message).toBe('not after all'))
  expect(await rewrapKeys(pool, rotated)).toMatchObject({ dataKeys: 1, passedOver: 0 })
  expect(await readField(before.vault, organizationId, fields[0]!)).toBe(fields[0]!.content)
})

test('destroying keys at random times during re-wrap passes never fails, and every key ends in the right state', async () => {
  const { database, before, pool, organizationId, fields } = await start(120)
  const half = fields.filter((_field, at) => at % 2 === 0)
  let turn = 0
  let isBusy = true
  // The workers want different master keys, so that there is always something to re-wrap.
  const workers = [old, rotated].map(async (masterKeys) => {
    while (isBusy) await rewrapKeys(pool, masterKeys, { batchSize: 10 + (turn++ % 7) })
  })
  const eraser = await startVault(database, old)
  for (const field of half) expect(await destroy(eraser, organizationId, field.dataKeyId)).toBe(true)
  isBusy = false
  await Promise.all(workers)
  const vault = createVault(pool, old, { isFresh: () => false })
  const outcomes = (await vault.openFields(organizationId, fields)).map((each) => each.outcome)
  expect(outcomes).toEqual(fields.map((_field, at) => (at % 2 === 0 ? 'DESTROYED' : 'OPENED')))
  expect(await rewrapKeys(before.pool, rotated, { forMs: 60_000 })).toMatchObject({ unreadable: 0 })
})

test('damaged keys and keys under a missing master key are reported and delay no other key', async () => {
  const { database, pool, asOwner, organizationId, fields } = await start(30)
  const stranger = await startVault(database, createLocalMasterKeys(randomBytes(32), []))
  await addFields(stranger, organizationId, 30)
  const damaged = fields.slice(0, 3).map((field) => field.dataKeyId)
  await asOwner.query({
    text: `update svc.data_keys set wrapped_key = wrapped_key || '\\x00' where data_key_id = any($1)`,
    values: [damaged],
  })
  const done = await rewrapKeys(pool, rotated, { batchSize: 2 })
  expect(done).toMatchObject({ dataKeys: 27, passedOver: 0, unreadable: 3 })
  expect(done.missingMasterKeys).toHaveLength(1)
  expect(await countKeysToRewrap(pool, rotated)).toEqual({ dataKeys: 33, deploymentSecrets: 0 })
})

test('a pass ends at its time limit and the next one continues', async () => {
  const { pool } = await start(25)
  expect(await rewrapKeys(pool, rotated, { batchSize: 10, forMs: 0 })).toMatchObject({ dataKeys: 10 })
  const duty = rewrapDuty(pool, rotated, 30_000)
  expect(await duty.run()).toMatchObject({ dataKeys: 15, missingMasterKeys: [] })
  expect(await duty.run()).toMatchObject({ dataKeys: 0 })
})

test('a key service that fails in the middle of a pass loses nothing', async () => {
  const { database, organizationId } = await start(0)
  const service = makeKeyService()
  const process = await startVault(database, service.connect())
  const fields = await addFields(process, organizationId, 40)
  const first = service.connect().currentId
  service.addKey()
  const next = service.connect()
  let calls = 0
  const shaky = tapMasterKeys(next, () => {
    if (++calls === 45) service.failNext(1)
  })
  await expect(rewrapKeys(process.pool, shaky, { batchSize: 10 })).rejects.toThrow('the key service is away')
  expect(await countKeysToRewrap(process.pool, next)).toEqual({ dataKeys: 20, deploymentSecrets: 0 })
  expect(await rewrapKeys(process.pool, next)).toMatchObject({ dataKeys: 20 })
  service.forgetKey(first)
  const vault = createVault(process.pool, next, { isFresh: () => false })
  for (const field of fields) expect(await readField(vault, organizationId, field)).toBe(field.content)
})
