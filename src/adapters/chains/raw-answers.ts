import { NodeError } from '../../lib/chains/node-error.ts'

/** An object of a node's answer, before its fields are read. */
export type Raw = Record<string, unknown>

export function invalid(what: string): NodeError {
  return new NodeError('incomplete', `a node sent an invalid ${what}`)
}

export function readObject(value: unknown, what: string): Raw {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(what)
  return value as Raw
}

export function readList(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(what)
  return value
}
