import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MasterKeyMissing, type MasterKeys } from '../../../src/encryption/master-keys.ts'
import { CannotBeOpened } from '../../../src/encryption/seal.ts'

export type KeyService = {
  /** A client for one process. It wraps with the newest key. */
  connect(): MasterKeys
  /** Creates a key, and returns its name. */
  addKey(): string
  forgetKey(masterKeyId: string): void
  slowBy(delayMs: number): void
  failNext(calls: number): void
}

/** A cloud-like key service: keys never leave it, answers are slow, it can be down, and keys can be deleted. */
export function makeKeyService(): KeyService {
  const keys = new Map<string, Buffer>()
  let newest = ''
  let delayMs = 0
  let failures = 0

  const addKey = () => {
    newest = `key-service/${keys.size + 1}`
    keys.set(newest, randomBytes(32))
    return newest
  }
  const use = async (masterKeyId: string): Promise<Buffer> => {
    await sleep(delayMs)
    if (failures-- > 0) throw new Error('the key service is away')
    const key = keys.get(masterKeyId)
    if (!key) throw new MasterKeyMissing(masterKeyId)
    return key
  }
  const connect = (): MasterKeys => {
    const currentId = newest
    return {
      currentId,
      wrap: async (plain, context) => {
        const iv = randomBytes(12)
        const encryption = createCipheriv('aes-256-gcm', await use(currentId), iv)
        encryption.setAAD(Buffer.from(context))
        return Buffer.concat([encryption.update(plain), encryption.final(), encryption.getAuthTag(), iv])
      },
      unwrap: async (masterKeyId, wrapped, context) => {
        const key = await use(masterKeyId)
        try {
          const decryption = createDecipheriv('aes-256-gcm', key, wrapped.subarray(-12), { authTagLength: 16 })
          decryption.setAAD(Buffer.from(context))
          decryption.setAuthTag(wrapped.subarray(-28, -12))
          return Buffer.concat([decryption.update(wrapped.subarray(0, -28)), decryption.final()])
        } catch {
          throw new CannotBeOpened()
        }
      },
    }
  }
  addKey()
  return {
    connect,
    addKey,
    forgetKey: (masterKeyId) => keys.delete(masterKeyId),
    slowBy: (ms) => {
      delayMs = ms
    },
    failNext: (calls) => {
      failures = calls
    },
  }
}
