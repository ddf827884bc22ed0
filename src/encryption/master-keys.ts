import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { openBytes, sealBytes } from './seal.ts'

/**
 * Wraps the keys in the database. An implementation may call a key service, so never call it inside a database
 * transaction. `context` names the wrapped value, which does not unwrap under another context.
 */
export type MasterKeys = {
  /** The master key that wraps new keys. */
  readonly currentId: string
  wrap(plain: Buffer, context: string): Promise<Buffer>
  /** Returns a copy that the caller may wipe. Throws MasterKeyMissing, CannotBeOpened or the key service's error. */
  unwrap(masterKeyId: string, wrapped: Buffer, context: string): Promise<Buffer>
}

/** Thrown when a key in the database is wrapped with a master key that this process does not have. */
export class MasterKeyMissing extends Error {
  readonly masterKeyId: string
  constructor(masterKeyId: string) {
    super(
      `The database holds keys that are wrapped with the master key ${masterKeyId}, which this process was not given. ` +
        'Set SVC_MASTER_KEY to the key that this deployment used before, or add that key to SVC_PREVIOUS_MASTER_KEYS. ' +
        'A sandbox without these settings keeps it as master.key in its data folder: put its backup back.',
    )
    this.name = 'MasterKeyMissing'
    this.masterKeyId = masterKeyId
  }
}

const keyLength = 32

/** Uses the master keys of the settings: the current one wraps, all of them unwrap. */
export function createLocalMasterKeys(current: Buffer, previous: readonly Buffer[]): MasterKeys {
  const currentId = nameKey(current, 'SVC_MASTER_KEY')
  const held = new Map<string, KeyObject>([
    ...previous.map((key) => [nameKey(key, 'SVC_PREVIOUS_MASTER_KEYS'), createSecretKey(key)] as const),
    [currentId, createSecretKey(current)],
  ])
  const find = (masterKeyId: string): KeyObject => {
    const key = held.get(masterKeyId)
    if (!key) throw new MasterKeyMissing(masterKeyId)
    return key
  }
  return {
    currentId,
    wrap: async (plain, context) => sealBytes(find(currentId), plain, describeWrap(context)),
    unwrap: async (masterKeyId, wrapped, context) => openBytes(find(masterKeyId), wrapped, describeWrap(context)),
  }
}

/** A public id for a key. It reveals nothing about the key's bytes. */
function nameKey(key: Buffer, setting: string): string {
  if (key.length !== keyLength) throw new RangeError(`${setting} must be ${keyLength} bytes in base64`)
  return createHmac('sha256', key).update('svc master key id').digest('hex').slice(0, 16)
}

function describeWrap(context: string): string {
  return `svc wrapped key\n${context}`
}
