import { createSecretKey, type KeyObject } from 'node:crypto'
import { openSealed, type Place, seal } from './seal.ts'

export type DataKeyId = string

/** A place within the organization that owns the key. */
export type FieldPlace = Omit<Place, 'organizationId'>

/** An unwrapped key. It works without I/O, so also inside a database transaction. Keep it for one request at most. */
export type DataKey = {
  organizationId: string
  dataKeyId: DataKeyId
  seal(place: FieldPlace, content: string | Buffer): Buffer
  /** Throws CannotBeOpened. */
  open(place: FieldPlace, sealed: Buffer): Buffer
}

/** A new key, wrapped and ready to be stored. */
export type NewDataKey = DataKey & { wrappedKey: Buffer; masterKeyId: string }

/** Thrown when a caller seals with a destroyed key: the value could never be opened. */
export class DataKeyDestroyed extends Error {
  constructor(dataKeyId: DataKeyId) {
    super(`The data key ${dataKeyId} was destroyed`)
    this.name = 'DataKeyDestroyed'
  }
}

/** Keeps the key in two closures: printing a data key, or turning it into JSON, shows ids only. */
export function createDataKey(organizationId: string, dataKeyId: DataKeyId, key: KeyObject): DataKey {
  return {
    organizationId,
    dataKeyId,
    seal: (place, content) =>
      seal(key, typeof content === 'string' ? Buffer.from(content) : content, { organizationId, ...place }),
    open: (place, sealed) => openSealed(key, sealed, { organizationId, ...place }),
  }
}

/** The wrapping context of a data key: a wrapped key that is moved to another row does not unwrap. */
export function dataKeyContext(organizationId: string, dataKeyId: DataKeyId): string {
  return `data key\n${organizationId}\n${dataKeyId}`
}

/** Moves the bytes into a key object, which no print or dump shows, and wipes them. */
export function takeKey(bytes: Buffer): KeyObject {
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}
