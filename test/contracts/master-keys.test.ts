import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createLocalMasterKeys, MasterKeyMissing, type MasterKeys } from '../../src/encryption/master-keys.ts'
import { CannotBeOpened } from '../../src/encryption/seal.ts'
import { makeKeyService } from '../support/secrets/key-service.ts'

/** A deployment's master keys over time. The tests below run for each kind of master key. */
type History = {
  now(): MasterKeys
  /** Makes another key wrap from now on; the old ones still unwrap. */
  rotate(): void
  /** Removes all keys but the newest. */
  dropOld(): void
}

function localHistory(): History {
  let keys = [randomBytes(32)]
  return {
    now: () => createLocalMasterKeys(keys[0]!, keys.slice(1)),
    rotate: () => {
      keys = [randomBytes(32), ...keys]
    },
    dropOld: () => {
      keys = keys.slice(0, 1)
    },
  }
}

function serviceHistory(delayMs: number): History {
  const service = makeKeyService()
  service.slowBy(delayMs)
  const old: string[] = []
  return {
    now: () => service.connect(),
    rotate: () => {
      old.push(service.connect().currentId)
      service.addKey()
    },
    dropOld: () => old.forEach(service.forgetKey),
  }
}

const kinds: Record<string, () => History> = {
  'keys from the settings': localHistory,
  'a key service': () => serviceHistory(0),
  'a slow key service': () => serviceHistory(5),
}

describe.each(Object.entries(kinds))('%s', (_kind, makeHistory) => {
  const plain = randomBytes(32)
  const context = 'data key\norganization\nkey'

  test('any process with the same keys can unwrap a wrapped key', async () => {
    const history = makeHistory()
    const masterKeys = history.now()
    const wrapped = await masterKeys.wrap(plain, context)
    expect(wrapped.includes(plain)).toBe(false)
    expect(history.now().currentId).toBe(masterKeys.currentId)
    expect(await history.now().unwrap(masterKeys.currentId, wrapped, context)).toEqual(plain)
  })

  test('wrapping twice gives two different results', async () => {
    const masterKeys = makeHistory().now()
    expect(await masterKeys.wrap(plain, context)).not.toEqual(await masterKeys.wrap(plain, context))
  })

  test('the caller owns the answer and may wipe it', async () => {
    const masterKeys = makeHistory().now()
    const wrapped = await masterKeys.wrap(plain, context)
    const first = await masterKeys.unwrap(masterKeys.currentId, wrapped, context)
    first.fill(0)
    expect(await masterKeys.unwrap(masterKeys.currentId, wrapped, context)).toEqual(plain)
  })

  test('another context and changed or missing bytes are refused', async () => {
    const masterKeys = makeHistory().now()
    const wrapped = await masterKeys.wrap(plain, context)
    const unwrap = (bytes: Buffer, at: string) => masterKeys.unwrap(masterKeys.currentId, bytes, at)
    for (const other of ['', 'data key\norganization\nkey2', `${context}\n`, context.toUpperCase()]) {
      await expect(unwrap(wrapped, other)).rejects.toThrow(CannotBeOpened)
    }
    for (const at of wrapped.keys()) {
      const changed = Buffer.from(wrapped)
      changed[at] = changed[at]! ^ 0x10
      await expect(unwrap(changed, context)).rejects.toThrow(CannotBeOpened)
    }
    await expect(unwrap(wrapped.subarray(1), context)).rejects.toThrow(CannotBeOpened)
    await expect(unwrap(Buffer.alloc(0), context)).rejects.toThrow(CannotBeOpened)
  })

  test('after a rotation the new key wraps and the old one still unwraps, each under its own name', async () => {
    const history = makeHistory()
    const before = history.now()
    const old = await before.wrap(plain, context)
    history.rotate()
    const after = history.now()
    expect(after.currentId).not.toBe(before.currentId)
    expect(await after.unwrap(before.currentId, old, context)).toEqual(plain)
    await expect(after.unwrap(after.currentId, old, context)).rejects.toThrow(CannotBeOpened)
    const fresh = await after.wrap(plain, context)
    expect(await after.unwrap(after.currentId, fresh, context)).toEqual(plain)
  })

  test('the error names a missing key and the settings that can supply it', async () => {
    const history = makeHistory()
    const { currentId, wrap } = history.now()
    const old = await wrap(plain, context)
    history.rotate()
    history.dropOld()
    const failure = await history
      .now()
      .unwrap(currentId, old, context)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(MasterKeyMissing)
    expect(failure).toMatchObject({ masterKeyId: currentId })
    expect(String(failure)).toMatch(new RegExp(`${currentId}.*SVC_MASTER_KEY.*SVC_PREVIOUS_MASTER_KEYS`))
  })
})

test('the error for a local key of the wrong length names the setting, not the bytes', () => {
  const short = Buffer.from('very secret')
  const right = randomBytes(32)
  expect(() => createLocalMasterKeys(short, [])).toThrow(/^SVC_MASTER_KEY must be 32 bytes in base64$/)
  expect(() => createLocalMasterKeys(right, [short])).toThrow(/^SVC_PREVIOUS_MASTER_KEYS must be 32 bytes in base64$/)
})

test('the name of a local key is stable, and the current key may be among the previous ones', async () => {
  const key = Buffer.alloc(32, 7)
  const masterKeys = createLocalMasterKeys(key, [key, key])
  expect(masterKeys.currentId).toMatch(/^[0-9a-f]{16}$/)
  expect(masterKeys.currentId).toBe(createLocalMasterKeys(Buffer.alloc(32, 7), []).currentId)
  expect(await masterKeys.unwrap(masterKeys.currentId, await masterKeys.wrap(key, ''), '')).toEqual(key)
})

test('an unavailable key service fails one call, and the next call works', async () => {
  const service = makeKeyService()
  const masterKeys = service.connect()
  const wrapped = await masterKeys.wrap(Buffer.alloc(32), 'context')
  service.failNext(1)
  await expect(masterKeys.unwrap(masterKeys.currentId, wrapped, 'context')).rejects.toThrow(/is away/)
  expect(await masterKeys.unwrap(masterKeys.currentId, wrapped, 'context')).toEqual(Buffer.alloc(32))
})
