import { openBytes, sealBytes } from '../../encryption/seal.ts'

/** Seals what the bank keeps about people, each value for its own row. */
export type Sealing = {
  seal(row: string, value: unknown): Buffer
  open<Value>(row: string, sealed: Buffer): Value
  sealContent(row: string, content: Buffer): Buffer
  openContent(row: string, sealed: Buffer): Buffer
}

export function createSealing(key: Buffer): Sealing {
  const boundTo = (row: string) => `sandbox bank ${row}`
  return {
    seal: (row, value) => sealBytes(key, Buffer.from(JSON.stringify(value, writeUnits)), boundTo(row)),
    open: (row, sealed) => JSON.parse(openBytes(key, sealed, boundTo(row)).toString(), readUnits),
    sealContent: (row, content) => sealBytes(key, content, boundTo(row)),
    openContent: (row, sealed) => openBytes(key, sealed, boundTo(row)),
  }
}

/** JSON has no exact integers of any size: an amount is an object with its digits. */
function writeUnits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { units: String(value) } : value
}

function readUnits(_key: string, value: unknown): unknown {
  const isAmount = typeof value === 'object' && value !== null && 'units' in value
  return isAmount ? BigInt(value.units as string) : value
}
