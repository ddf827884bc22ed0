import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { openBytes, sealBytes } from './seal.ts'

/**
 * What wraps the keys in the database. A key service can stand behind it, so every call may take time and fail: never
 * call it inside a transaction. `context` names what is wrapped; nothing unwraps under another context.
 */
export type MasterKeys = {
  /** The master key that wraps from now on. */
  readonly currentId: string
  wrap(plain: Buffer, context: string): Promise<Buffer>
  /** Answers bytes of the caller's own. Throws MasterKeyMissing, or CannotBeOpened, or whatever made it fail. */
  unwrap(masterKeyId: string, wrapped: Buffer, context: string): Promise<Buffer>
}

/** What is in the database was wrapped with a master key that this process was not given. */
export class MasterKeyMissing extends Error {
  readonly masterKeyId: string
  constructor(masterKeyId: string) {
    super(
      `The database holds keys that are wrapped with the master key ${masterKeyId}, which this process was not given. ` +
        'Set SVC_MASTER_KEY to the key that this deployment used before, or add that key to SVC_PREVIOUS_MASTER_KEYS.',
    )
    this.name = 'MasterKeyMissing'
    this.masterKeyId = masterKeyId
  }
}

const keyLength = 32

/** Master keys from the settings: the current one wraps, all of them unwrap. */
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

/** A name that anybody may see. It says which key is meant and nothing about its bytes. */
function nameKey(key: Buffer, setting: string): string {
  if (key.length !== keyLength) throw new RangeError(`${setting} must be ${keyLength} bytes in base64`)
  return createHmac('sha256', key).update('svc master key id').digest('hex').slice(0, 16)
}

function describeWrap(context: string): string {
  return `svc wrapped key\n${context}`
}
