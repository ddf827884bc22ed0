import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { DataKeyDestroyed } from '../../../src/encryption/data-key.ts'
import { createVault } from '../../../src/encryption/data-keys.ts'
import { createLocalMasterKeys, type MasterKeys } from '../../../src/encryption/master-keys.ts'
import { CannotBeOpened } from '../../../src/encryption/seal.ts'
import { newId } from '../../../src/lib/ids.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import {
  addField,
  addFields,
  addOrganization,
  destroy,
  readField,
  startVault,
  tapMasterKeys,
} from '../../support/secrets/vault.ts'

const masterKey = randomBytes(32)
const local = createLocalMasterKeys(masterKey, [])

/** A database with one organization, and a process that works on it. */
async function start(masterKeys: MasterKeys = local) {
  const database = await makeDatabase()
  const process = await startVault(database, masterKeys)
  const asOwner = openForTest({ connection: database.owner })
  return { database, asOwner, ...process, process, organizationId: await addOrganization(process.pool) }
}

/** Counts the calls that a key service would get. */
function countUnwraps() {
  const counted = { unwraps: 0 }
  const masterKeys = tapMasterKeys(local, (call) => {
    if (call === 'unwrap') counted.unwraps += 1
  })
  return { counted, masterKeys }
}

test('a field opens only with its own key, organization and place', async () => {
  const { process, vault, pool, organizationId } = await start()
  const other = await addOrganization(pool)
  const [mine, neighbour] = [await addField(process, organizationId), await addField(process, organizationId)]
  const foreign = await addField(process, other)
  const { dataKeyId, place, sealed } = mine
  const open = (...[inside, key, at]: [string, string, object]) =>
    vault.openField(inside, key, { ...place, ...at }, sealed)

  expect(await readField(vault, organizationId, mine)).toBe(mine.content)
  const swaps = {
    'another row': () => open(organizationId, dataKeyId, { row: neighbour.place.row }),
    'another column': () => open(organizationId, dataKeyId, { column: 'name' }),
    'another table': () => open(organizationId, dataKeyId, { table: 'payment_accounts' }),
    'the key of another customer': () => open(organizationId, neighbour.dataKeyId, {}),
    'another organization with its own key': () => open(other, foreign.dataKeyId, {}),
    'another organization with this key': () => open(other, dataKeyId, {}),
    'a key that never was': () => open(organizationId, newId(), {}),
    'content of another row': () => vault.openField(organizationId, dataKeyId, place, neighbour.sealed),
    'one wrong field in a list': () => vault.openFields(organizationId, [mine, { ...mine, sealed: neighbour.sealed }]),
  }
  for (const [name, swap] of Object.entries(swaps)) await expect(swap(), name).rejects.toThrow(CannotBeOpened)
})

test('a wrapped key that was moved to another row of the database opens nothing', async () => {
  const { process, vault, asOwner, organizationId } = await start()
  const [mine, neighbour] = [await addField(process, organizationId), await addField(process, organizationId)]
  await asOwner.query({
    text: `update svc.data_keys set wrapped_key = (select wrapped_key from svc.data_keys where data_key_id = $1)
            where data_key_id = $2`,
    values: [mine.dataKeyId, neighbour.dataKeyId],
  })
  const stolen = vault.openField(organizationId, neighbour.dataKeyId, mine.place, mine.sealed)
  await expect(stolen).rejects.toThrow(CannotBeOpened)
})

test('a list is opened in order with one unwrap per key, and from the cache the second time', async () => {
  const { counted, masterKeys } = countUnwraps()
  const { process, vault, organizationId } = await start(masterKeys)
  const fields = await addFields(process, organizationId, 10)
  const list = [...fields, ...fields.toReversed(), ...fields]
  const contents = async () =>
    (await vault.openFields(organizationId, list)).map((each) => (each.outcome === 'OPENED' ? String(each.bytes) : ''))
  expect(await contents()).toEqual(list.map((field) => field.content))
  expect(counted.unwraps).toBe(10)
  expect(await contents()).toEqual(list.map((field) => field.content))
  expect(counted.unwraps).toBe(10)
  expect(await vault.openFields(organizationId, [])).toEqual([])
})

test('keys of several organizations are unlocked together, each in its own organization alone', async () => {
  const { process, vault, pool, organizationId } = await start()
  const other = await addOrganization(pool)
  const [mine, foreign] = [await addField(process, organizationId), await addField(process, other)]
  const named = [
    { organizationId, dataKeyId: mine.dataKeyId },
    { organizationId: other, dataKeyId: foreign.dataKeyId },
  ]
  for (const clear of [vault.forgetAll, () => {}]) {
    clear()
    const keyOf = await vault.unlockAll([...named, ...named])
    for (const [at, { place, sealed, content }] of [mine, foreign].entries()) {
      expect(keyOf(named[at]!)?.open(place, sealed).toString()).toBe(content)
    }
    // A key of another organization has another name.
    expect(keyOf({ organizationId, dataKeyId: foreign.dataKeyId })).toBeUndefined()
  }
  await expect(vault.unlockAll([...named, { organizationId, dataKeyId: foreign.dataKeyId }])).rejects.toThrow(
    CannotBeOpened,
  )
})

test('the cache holds a bounded number of keys for a bounded time, recently used ones longest', async () => {
  const { counted, masterKeys } = countUnwraps()
  const { process, pool, organizationId } = await start()
  const [first, second, third] = await addFields(process, organizationId, 3)
  const small = createVault(pool, masterKeys, { isFresh: () => true, mostCachedKeys: 2 })
  for (const field of [first, second, first, third, first]) await readField(small, organizationId, field!)
  expect(counted.unwraps).toBe(3)
  await readField(small, organizationId, second!)
  expect(counted.unwraps).toBe(4)

  const brief = createVault(pool, masterKeys, { isFresh: () => true, cachedForMs: 30 })
  await readField(brief, organizationId, first!)
  await sleep(40)
  await readField(brief, organizationId, first!)
  expect(counted.unwraps).toBe(6)
})

test('a key seals inside the database transaction that stores it; a rollback leaves nothing', async () => {
  const { vault, pool, organizationId } = await start()
  const place = { table: 'customers', row: newId(), column: 'email' }
  const prepared = await vault.prepareDataKey(organizationId)
  await expect(
    pool.inTx(async (tx) => {
      await vault.createDataKey(tx, prepared)
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await expect(vault.unlock(organizationId, prepared.dataKeyId)).rejects.toThrow(CannotBeOpened)

  const sealed = await pool.inTx(async (tx) => {
    await vault.createDataKey(tx, prepared)
    return prepared.seal(place, 'ann@example.com')
  })
  const key = await vault.unlock(organizationId, prepared.dataKeyId)
  expect(key?.open(place, sealed).toString()).toBe('ann@example.com')
  const again = await vault.sealField(organizationId, prepared.dataKeyId, place, Buffer.from('bob@example.com'))
  expect(prepared.open(place, again).toString()).toBe('bob@example.com')
})

test('no printable form of an object shows a key', async () => {
  const seen: Buffer[] = []
  const spied: MasterKeys = {
    ...local,
    wrap: async (plain, context) => {
      seen.push(Buffer.from(plain))
      return local.wrap(plain, context)
    },
  }
  const { vault, organizationId } = await start(spied)
  const prepared = await vault.prepareDataKey(organizationId)
  const printed = [inspect({ prepared, vault, local }, { depth: 9, showHidden: true }), JSON.stringify(prepared)].join()
  for (const secret of [seen[0]!, masterKey]) {
    expect(secret).toHaveLength(32)
    expect(printed).not.toContain(secret.toString('hex', 0, 8))
    expect(printed).not.toContain(inspect(secret).slice(8, 30))
    expect(printed).not.toContain(secret.toJSON().data.slice(0, 8).join(','))
  }
})

test('a destroyed key opens and seals nothing; all other keys still work', async () => {
  const { process, vault, pool, organizationId } = await start()
  const other = await addOrganization(pool)
  const [gone, ...kept] = await addFields(process, organizationId, 4)
  const foreign = await addField(process, other)
  const others = () =>
    pool.query({
      text: `select organization_id, data_key_id, wrapped_key, master_key_id, created_at, destroyed_at from svc.data_keys
              where data_key_id <> $1 order by data_key_id`,
      values: [gone!.dataKeyId],
    })
  const before = await others()

  expect(await destroy(process, other, gone!.dataKeyId)).toBe(false)
  expect(await readField(vault, organizationId, gone!)).toBe(gone!.content)
  expect(await destroy(process, organizationId, gone!.dataKeyId)).toBe(true)
  expect(await destroy(process, organizationId, gone!.dataKeyId)).toBe(false)
  vault.forgetAll()

  expect(await readField(vault, organizationId, gone!)).toBe('DESTROYED')
  expect(await vault.unlock(organizationId, gone!.dataKeyId)).toBeUndefined()
  await expect(vault.sealField(organizationId, gone!.dataKeyId, gone!.place, 'more')).rejects.toThrow(DataKeyDestroyed)
  const outcomes = (await vault.openFields(organizationId, [gone!, ...kept])).map((each) => each.outcome)
  expect(outcomes).toEqual(['DESTROYED', 'OPENED', 'OPENED', 'OPENED'])
  expect(await readField(vault, other, foreign)).toBe(foreign.content)
  expect(await others()).toEqual(before)
  const [row] = await pool.query({
    text: `select wrapped_key, destroyed_at > created_at as dated from svc.data_keys where data_key_id = $1`,
    values: [gone!.dataKeyId],
  })
  expect(row).toEqual({ wrapped_key: null, dated: true })
})

test('every other process drops a destroyed key from its cache within a second', async () => {
  const { database, process, organizationId } = await start()
  const [first, second] = [await startVault(database, local), await startVault(database, local)]
  const deaf = createVault(process.pool, local, { isFresh: () => true })
  for (let round = 0; round < 3; round++) {
    const field = await addField(process, organizationId)
    const vaults = [first.vault, second.vault, deaf]
    for (const vault of vaults) expect(await readField(vault, organizationId, field)).toBe(field.content)
    await destroy(process, organizationId, field.dataKeyId)
    await sleep(1_005) // a timer may be a moment early
    const read = await Promise.all(vaults.map((vault) => readField(vault, organizationId, field)))
    // Control: the last process does not watch for changes, and still has the key in memory.
    expect(read).toEqual(['DESTROYED', 'DESTROYED', field.content])
  }
})

test('while the watch is stale no key comes from the cache', async () => {
  const { counted, masterKeys } = countUnwraps()
  const { process, pool, organizationId } = await start()
  const field = await addField(process, organizationId)
  let isFresh = true
  const vault = createVault(pool, masterKeys, { isFresh: () => isFresh })
  for (let times = 0; times < 3; times++) await readField(vault, organizationId, field)
  expect(counted.unwraps).toBe(1)
  isFresh = false
  for (let times = 0; times < 3; times++) await readField(vault, organizationId, field)
  expect(counted.unwraps).toBe(4)
  await destroy(process, organizationId, field.dataKeyId)
  expect(await readField(vault, organizationId, field)).toBe('DESTROYED')
})

test('a key being unwrapped while the cache is cleared is not cached', async () => {
  const gate = Promise.withResolvers<void>()
  const { process, pool, organizationId } = await start()
  const field = await addField(process, organizationId)
  const unwrapping = Promise.withResolvers<void>()
  const slow = tapMasterKeys(local, () => {
    unwrapping.resolve()
    return gate.promise
  })
  const vault = createVault(pool, slow, { isFresh: () => true })
  const reading = readField(vault, organizationId, field)
  await unwrapping.promise
  await destroy(process, organizationId, field.dataKeyId)
  vault.forgetAll()
  gate.resolve()
  expect(await reading).toBe(field.content)
  expect(await readField(vault, organizationId, field)).toBe('DESTROYED')
})
