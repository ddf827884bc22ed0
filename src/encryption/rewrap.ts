import type { Database, Queryable } from '../db/database.ts'
import type { Duty } from '../db/duties.ts'
import { dataKeyContext } from './data-key.ts'
import { secretContext } from './deployment-secrets.ts'
import { MasterKeyMissing, type MasterKeys } from './master-keys.ts'
import { CannotBeOpened } from './seal.ts'
import * as store from './store.ts'

/** The outcome of one pass, stored with the duty. It holds no secret. */
export type Rewrapped = {
  dataKeys: number
  deploymentSecrets: number
  /** Changed or locked by another process meanwhile; the next pass re-checks them. */
  passedOver: number
  /** Damaged: this process has their master key, and it does not open them. */
  unreadable: number
  missingMasterKeys: string[]
}

export type RewrapOptions = { batchSize?: number; forMs?: number }

/** Refuses to start without the master keys that wrap the stored keys. */
export async function requireMasterKeys(database: Queryable, masterKeys: MasterKeys): Promise<void> {
  const secrets = await store.listDeploymentSecrets(database)
  const samples = await store.sampleDataKeys(database)
  for (const { masterKeyId, bytes, context } of [...secrets.map(ofSecret), ...samples.map(ofDataKey)]) {
    await masterKeys.unwrap(masterKeyId, bytes, context).catch((error: unknown) => {
      // A damaged row says nothing about the settings. It fails when it is read.
      if (!(error instanceof CannotBeOpened)) throw error
    })
  }
}

/** Counts the keys and secrets that a previous master key still wraps. At zero the operator may remove that key. */
export function countKeysToRewrap(
  database: Queryable,
  masterKeys: MasterKeys,
): Promise<{ dataKeys: number; deploymentSecrets: number }> {
  return store.countOtherMasterKeys(database, masterKeys.currentId)
}

/** Rotates to the current master key while the deployment runs. One pass stays well within the lease of the duty. */
export function rewrapDuty(database: Database, masterKeys: MasterKeys, leaseMs: number): Duty {
  return { name: 'rewrap keys', everyMs: 60_000, run: () => rewrapKeys(database, masterKeys, { forMs: leaseMs / 3 }) }
}

/**
 * Re-wraps keys with the current master key; sealed values stay as they are. No row is locked during a call to the key
 * service: a row that changed meanwhile is skipped.
 */
export async function rewrapKeys(
  database: Queryable,
  masterKeys: MasterKeys,
  { batchSize = 100, forMs = 10_000 }: RewrapOptions = {},
): Promise<Rewrapped> {
  const done: Rewrapped = { dataKeys: 0, deploymentSecrets: 0, passedOver: 0, unreadable: 0, missingMasterKeys: [] }
  const until = performance.now() + forMs
  await rewrapSecrets(database, masterKeys, done)
  for (const { masterKeyId } of await store.sampleDataKeys(database)) {
    if (masterKeyId === masterKeys.currentId) continue
    let after: store.WrappedDataKey | undefined
    do {
      const batch = await store.listDataKeysUnder(database, masterKeyId, after, batchSize)
      await rewrapBatch(database, masterKeys, batch, done)
      after = batch.at(-1)
    } while (after && performance.now() < until && !done.missingMasterKeys.includes(masterKeyId))
  }
  return done
}

async function rewrapBatch(
  database: Queryable,
  masterKeys: MasterKeys,
  batch: readonly store.WrappedDataKey[],
  done: Rewrapped,
): Promise<void> {
  const attempts = await Promise.all(
    batch.map(async (old) => ({ old, rewrapped: await rewrap(masterKeys, ofDataKey(old), done) })),
  )
  const changes = attempts.flatMap(({ old, rewrapped }) => (rewrapped ? [{ old, rewrapped }] : []))
  if (changes.length === 0) return
  const replaced = await store.replaceWrappedKeys(database, masterKeys.currentId, changes)
  done.dataKeys += replaced
  done.passedOver += changes.length - replaced
}

async function rewrapSecrets(database: Queryable, masterKeys: MasterKeys, done: Rewrapped): Promise<void> {
  for (const old of await store.listDeploymentSecrets(database)) {
    if (old.masterKeyId === masterKeys.currentId) continue
    const wrappedSecret = await rewrap(masterKeys, ofSecret(old), done)
    if (!wrappedSecret) continue
    const replaced = await store.replaceWrappedSecret(database, old, {
      wrappedSecret,
      masterKeyId: masterKeys.currentId,
    })
    done.deploymentSecrets += replaced
    done.passedOver += 1 - replaced
  }
}

type Wrapped = { masterKeyId: string; bytes: Buffer; context: string }

function ofDataKey({ organizationId, dataKeyId, wrappedKey, masterKeyId }: store.WrappedDataKey): Wrapped {
  return { masterKeyId, bytes: wrappedKey, context: dataKeyContext(organizationId, dataKeyId) }
}

function ofSecret({ purpose, wrappedSecret, masterKeyId }: store.StoredSecret): Wrapped {
  return { masterKeyId, bytes: wrappedSecret, context: secretContext(purpose) }
}

async function rewrap(masterKeys: MasterKeys, wrapped: Wrapped, done: Rewrapped): Promise<Buffer | undefined> {
  try {
    const plain = await masterKeys.unwrap(wrapped.masterKeyId, wrapped.bytes, wrapped.context)
    return await masterKeys.wrap(plain, wrapped.context).finally(() => plain.fill(0))
  } catch (error) {
    if (error instanceof CannotBeOpened) done.unreadable += 1
    else if (!(error instanceof MasterKeyMissing)) throw error
    else if (!done.missingMasterKeys.includes(error.masterKeyId)) done.missingMasterKeys.push(error.masterKeyId)
    return undefined
  }
}
