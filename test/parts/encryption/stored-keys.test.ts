import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { verify } from '../../../src/db/verify.ts'
import { createVault } from '../../../src/encryption/data-keys.ts'
import { deriveKey, openDeploymentSecret } from '../../../src/encryption/deployment-secrets.ts'
import { createLocalMasterKeys, MasterKeyMissing } from '../../../src/encryption/master-keys.ts'
import { requireMasterKeys, rewrapKeys } from '../../../src/encryption/rewrap.ts'
import { encryptionChecks } from '../../../src/encryption/store.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { makeKeyService } from '../../support/secrets/key-service.ts'
import {
  addField,
  addFields,
  addOrganization,
  destroy,
  startVault,
  tapMasterKeys,
} from '../../support/secrets/vault.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const before = createLocalMasterKeys(oldKey, [])

async function start() {
  const database = await makeDatabase()
  const process = await startVault(database, before)
  const asOwner = openForTest({ connection: database.owner })
  return { asOwner, process, pool: process.pool, organizationId: await addOrganization(process.pool) }
}

test('processes that start at once share one secret per purpose', async () => {
  const { app } = await makeDatabase()
  const pools = Array.from({ length: 8 }, () => openForTest(app))
  const together = Promise.withResolvers<void>()
  let waiting = 0
  // Each process has read that no secret exists before any of them stores one.
  const masterKeys = tapMasterKeys(before, (call) => {
    if (call === 'wrap' && ++waiting === pools.length) together.resolve()
    return call === 'wrap' ? together.promise : undefined
  })
  const secrets = await Promise.all(pools.map((pool) => openDeploymentSecret(pool, masterKeys, 'pages')))
  expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1)
  expect(secrets[0]).toHaveLength(32)
  expect(await openDeploymentSecret(pools[0]!, before, 'pages')).toEqual(secrets[0])
  expect(await openDeploymentSecret(pools[0]!, before, 'audit')).not.toEqual(secrets[0])
  expect(await pools[0]!.query({ text: 'select purpose from svc.deployment_secrets order by purpose' })).toEqual([
    { purpose: 'audit' },
    { purpose: 'pages' },
  ])
})

test('a secret survives a change of master key, so that values derived from it stay valid', async () => {
  const { pool } = await start()
  const secret = await openDeploymentSecret(pool, before, 'pages')
  const rotated = await rewrapKeys(pool, createLocalMasterKeys(newKey, [oldKey]))
  expect(rotated).toMatchObject({ deploymentSecrets: 1, passedOver: 0 })
  expect(await openDeploymentSecret(pool, createLocalMasterKeys(newKey, []), 'pages')).toEqual(secret)
  await expect(openDeploymentSecret(pool, before, 'pages')).rejects.toThrow(MasterKeyMissing)
})

test('derived keys are stable, and differ by purpose', () => {
  const secret = Buffer.alloc(32, 1)
  expect(deriveKey(secret, 'page tokens').toString('hex')).toBe(
    deriveKey(Buffer.alloc(32, 1), 'page tokens').toString('hex'),
  )
  expect(deriveKey(secret, 'page tokens')).toHaveLength(32)
  expect(deriveKey(secret, 'page tokens')).not.toEqual(deriveKey(secret, 'audit'))
  expect(deriveKey(secret, 'page tokens')).not.toEqual(deriveKey(Buffer.alloc(32, 2), 'page tokens'))
})

test('a secret swapped with another one is reported and not used', async () => {
  const { pool, asOwner } = await start()
  for (const purpose of ['pages', 'audit']) await openDeploymentSecret(pool, before, purpose)
  await asOwner.query({
    text: `update svc.deployment_secrets
              set wrapped_secret = (select wrapped_secret from svc.deployment_secrets where purpose = 'audit')`,
  })
  await expect(openDeploymentSecret(pool, before, 'pages')).rejects.toThrow(
    'The secret "pages" in svc.deployment_secrets was altered. Restore its row from a backup.',
  )
})

test('a start with the wrong master key fails with the names of the settings, and shows no key bytes', async () => {
  const { process, pool, organizationId } = await start()
  await requireMasterKeys(pool, createLocalMasterKeys(newKey, []))
  await openDeploymentSecret(pool, before, 'pages')
  await addField(process, organizationId)
  await requireMasterKeys(pool, before)
  await requireMasterKeys(pool, createLocalMasterKeys(newKey, [oldKey]))

  const wrong = createLocalMasterKeys(newKey, [randomBytes(32)])
  const failures = await Promise.all(
    [requireMasterKeys(pool, wrong), openDeploymentSecret(pool, wrong, 'pages')].map((each) =>
      each.catch((error: unknown) => error),
    ),
  )
  for (const failure of failures) {
    expect(failure).toMatchObject({ name: 'MasterKeyMissing', masterKeyId: before.currentId })
    expect(String(failure)).toMatch(/Set SVC_MASTER_KEY to the key .* or add that key to SVC_PREVIOUS_MASTER_KEYS/)
    for (const key of [oldKey, newKey]) {
      expect(String(failure)).not.toContain(key.toString('base64').slice(0, 10))
      expect(String(failure)).not.toContain(key.toString('hex').slice(0, 10))
    }
  }
  // Data keys alone reveal a wrong master key as well; destroyed ones do not count.
  await rewrapKeys(pool, createLocalMasterKeys(newKey, [oldKey]))
  await requireMasterKeys(pool, wrong)
  const { dataKeyId } = await addField(process, organizationId)
  await expect(requireMasterKeys(pool, wrong)).rejects.toThrow(MasterKeyMissing)
  await destroy(process, organizationId, dataKeyId)
  await requireMasterKeys(pool, wrong)
})

test('every master key in use is checked at the start, including a key service', async () => {
  const { pool, asOwner, organizationId } = await start()
  const service = makeKeyService()
  const names: string[] = []
  for (let count = 0; count < 3; count++) {
    names.push(service.addKey())
    const vault = createVault(pool, service.connect(), { isFresh: () => true })
    await addFields({ pool, vault }, organizationId, 3)
  }
  await expect(requireMasterKeys(pool, service.connect())).resolves.toBeUndefined()
  service.forgetKey(names[1]!)
  await expect(requireMasterKeys(pool, service.connect())).rejects.toThrow(names[1])
  service.failNext(1)
  await expect(requireMasterKeys(pool, service.connect())).rejects.toThrow('the key service is away')
  await asOwner.query({ text: `update svc.data_keys set wrapped_key = null, destroyed_at = now()` })
  await requireMasterKeys(pool, service.connect())
})

test('processes can neither delete nor move a key, nor re-wrap a destroyed one', async () => {
  const { process, pool, organizationId } = await start()
  const { dataKeyId } = await addField(process, organizationId)
  const run = (text: string) => pool.query({ text, values: [dataKeyId] })
  const denied = /permission denied/
  await expect(run('delete from svc.data_keys where data_key_id = $1')).rejects.toThrow(denied)
  for (const column of ['organization_id', 'data_key_id', 'created_at']) {
    const change = run(`update svc.data_keys set ${column} = ${column} where data_key_id = $1`)
    await expect(change).rejects.toThrow(denied)
  }
  await destroy(process, organizationId, dataKeyId)
  const revive = run(`update svc.data_keys set wrapped_key = '\\x01' where data_key_id = $1`)
  await expect(revive).rejects.toThrow(/data_keys_wrapped_or_destroyed/)
})

test('verify names keys that are neither wrapped nor destroyed, or both', async () => {
  const { process, pool, asOwner, organizationId } = await start()
  const [lost, both, right] = await addFields(process, organizationId, 3)
  await destroy(process, organizationId, right!.dataKeyId)
  expect(await verify(pool, encryptionChecks)).toMatchObject({ ok: true })

  await asOwner.query({ text: 'alter table svc.data_keys drop constraint data_keys_wrapped_or_destroyed' })
  const spoil = (change: string, dataKeyId: string) =>
    asOwner.query({ text: `update svc.data_keys set ${change} where data_key_id = $1`, values: [dataKeyId] })
  await spoil('wrapped_key = null', lost!.dataKeyId)
  await spoil('destroyed_at = now()', both!.dataKeyId)
  const found = (await verify(pool, encryptionChecks)).checks.flatMap((check) => check.violations)
  expect(found).toEqual([
    `data key ${lost!.dataKeyId} of organization ${organizationId} is neither wrapped nor destroyed`,
    `data key ${both!.dataKeyId} of organization ${organizationId} is destroyed but still stored`,
  ])
})
