import { createSecretKey, type KeyObject } from 'node:crypto'
import { openSealed, type Place, seal } from './seal.ts'

export type DataKeyId = string

/** A place within the organization whose key it is. */
export type FieldPlace = Omit<Place, 'organizationId'>

/** A key at hand: works without asking anybody, also inside a transaction. Hold it no longer than one request. */
export type DataKey = {
  organizationId: string
  dataKeyId: DataKeyId
  seal(place: FieldPlace, content: string | Buffer): Buffer
  /** Throws CannotBeOpened. */
  open(place: FieldPlace, sealed: Buffer): Buffer
}

/** Wrapped and ready to be stored. */
export type NewDataKey = DataKey & { wrappedKey: Buffer; masterKeyId: string }

/** Somebody wanted to seal with a key that was destroyed: nobody could ever open it. */
export class DataKeyDestroyed extends Error {
  constructor(dataKeyId: DataKeyId) {
    super(`The data key ${dataKeyId} was destroyed`)
    this.name = 'DataKeyDestroyed'
  }
}

/** The key itself stays in the two functions: printing a data key, or turning it into JSON, shows ids only. */
export function createDataKey(organizationId: string, dataKeyId: DataKeyId, key: KeyObject): DataKey {
  return {
    organizationId,
    dataKeyId,
    seal: (place, content) =>
      seal(key, typeof content === 'string' ? Buffer.from(content) : content, { organizationId, ...place }),
    open: (place, sealed) => openSealed(key, sealed, { organizationId, ...place }),
  }
}

/** What a data key is wrapped for: a wrapped key that is moved to another row does not unwrap. */
export function nameDataKey(organizationId: string, dataKeyId: DataKeyId): string {
  return `data key\n${organizationId}\n${dataKeyId}`
}

/** Takes the bytes over into a key object, which is not part of any printed or dumped value, and wipes them. */
export function takeKey(bytes: Buffer): KeyObject {
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}
