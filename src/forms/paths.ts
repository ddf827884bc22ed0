import { KybBody, KycBody } from '../customers/identity/schema.ts'

/** The steps of a path: `kycData.documents[0].subtype` is kycData, documents, 0, subtype. */
export type Steps = readonly (string | number)[]

type Tree = Record<string | number, unknown>
export type FieldSchema = {
  type?: string | readonly string[]
  properties?: Record<string, FieldSchema>
  items?: FieldSchema
  maxItems?: number
  maxLength?: number
  minLength?: number
  format?: string
  enum?: readonly string[]
  longText?: unknown
}

const root: FieldSchema = { properties: { kycData: KycBody as FieldSchema, kybData: KybBody as FieldSchema } }

const pathPattern = /^[A-Za-z]\w*(?:\[\d{1,3}\])*(?:\.[A-Za-z]\w*(?:\[\d{1,3}\])*)*$/

/** Reads a path; undefined for one that no field of a submission has. */
export function parsePath(path: string): Steps | undefined {
  if (path.length > 200 || !pathPattern.test(path)) return undefined
  const steps = path.split(/[.[]/).map((step) => (step.endsWith(']') ? Number.parseInt(step, 10) : step))
  return schemaAt(steps) ? steps : undefined
}

export function writePath(steps: Steps): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}

/** The schema of a field. */
export function schemaAt(steps: Steps): FieldSchema | undefined {
  let schema: FieldSchema | undefined = root
  for (const step of steps) {
    if (typeof step === 'number') schema = step < (schema?.maxItems ?? 0) ? schema?.items : undefined
    else schema = schema?.properties && Object.hasOwn(schema.properties, step) ? schema.properties[step] : undefined
  }
  return schema
}

export function isImage(schema: FieldSchema | undefined): boolean {
  return schema?.longText !== undefined
}

export function isCountryOfAddress(steps: Steps): boolean {
  return steps.at(-1) === 'countryCode' && /address$/i.test(String(steps.at(-2)))
}

export function valueAt(value: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>((inside, step) => {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, step)) return undefined
    return (inside as Tree)[step]
  }, value)
}

/**
 * Sets a value in a tree, in place, and creates the objects and lists around it. Undefined removes: a field from its
 * object, an item from its list. False when an item would leave a gap in its list.
 */
export function setAt(tree: object, steps: Steps, value: unknown): boolean {
  let inside = tree as Tree
  for (const [at, step] of steps.slice(0, -1).entries()) {
    if (!fits(inside, step)) return false
    if (inside[step] === undefined) {
      if (value === undefined) return true
      inside[step] = typeof steps[at + 1] === 'number' ? [] : {}
    }
    inside = inside[step] as Tree
  }
  const last = steps.at(-1) ?? ''
  if (!fits(inside, last)) return value === undefined
  if (value !== undefined) inside[last] = value
  else if (Array.isArray(inside)) inside.splice(last as number, 1)
  else delete inside[last]
  return true
}

function fits(inside: unknown, step: string | number): boolean {
  if (typeof step === 'number') return Array.isArray(inside) && step <= inside.length
  return typeof inside === 'object' && inside !== null && !Array.isArray(inside)
}

export type Leaf = { steps: Steps; value: unknown }

/** Lists the fields with a value. Images, and lists of texts, are one value each. */
export function leavesOf(value: unknown, steps: Steps = []): Leaf[] {
  const schema = schemaAt(steps)
  const isInner = schema?.properties !== undefined || schema?.items?.properties !== undefined || steps.length === 0
  if (!isInner || typeof value !== 'object' || value === null) return value === undefined ? [] : [{ steps, value }]
  if (Array.isArray(value)) return value.flatMap((item, at) => leavesOf(item, [...steps, at]))
  return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...steps, name]))
}
