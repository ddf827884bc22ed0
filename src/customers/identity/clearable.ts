import type { TSchema } from 'typebox'

type Keywords = {
  type?: string
  title?: string
  enum?: unknown[]
  properties?: Record<string, TSchema>
  items?: TSchema
}

/** Returns the schema of a patch: each optional field, at any depth, also accepts null, which clears it. */
export function clearable<Schema extends TSchema>(schema: Schema): Schema {
  const { properties, items, title } = schema as Keywords
  return {
    ...schema,
    ...(title ? { title: `${title}Patch` } : {}),
    ...(properties ? { properties: mapValues(properties, (field) => withNull(clearable(field))) } : {}),
    ...(items ? { items: clearable(items) } : {}),
  }
}

function withNull(schema: TSchema): TSchema {
  const { type, enum: values } = schema as Keywords
  // A file has no type: see lib/long-text.ts.
  if (type === undefined) return { ...schema, longText: 'or null' }
  return { ...schema, type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}) }
}

function mapValues<Value>(values: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/**
 * Removes values without content, in place: blanks, and nulls in the items of lists. A patch replaces lists, so that a
 * null clears nothing there.
 */
export function dropEmptyValues(value: unknown, isInList = false): void {
  if (Array.isArray(value)) {
    for (const item of value) dropEmptyValues(item, true)
    return
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return
  const tree = value as Record<string, unknown>
  for (const [name, inside] of Object.entries(tree)) {
    const isBlank = typeof inside === 'string' && /^\s+$/.test(inside)
    if (isBlank || (isInList && inside === null)) delete tree[name]
    else dropEmptyValues(inside, isInList)
  }
}
