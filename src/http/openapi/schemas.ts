export type Json = Record<string, unknown>

/** What the operations share, by name: the document repeats nothing. */
export type Components = { schemas: Map<string, unknown>; responses: Map<string, Json> }

// Under these keys lie values, and a value may have a field called title.
const valueKeys = new Set(['const', 'default', 'enum', 'examples'])

/** Replaces every schema that has a title by a reference to it, so that the document shows a name for each thing. */
export function named(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => named(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { longText, removed, ...shown } = schema as Json
  if (longText) Object.assign(shown, { type: 'string' })
  const inside = Object.fromEntries(
    Object.entries(shown).map(([key, value]) => [key, valueKeys.has(key) ? value : named(value, components)]),
  )
  const { title } = schema as { title?: unknown }
  // A list of properties may hold one that is called title: that is a schema, not a text.
  if (typeof title !== 'string') return inside
  const known = components.schemas.get(title)
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inside))
    throw new Error(`two schemas are called ${title}`)
  components.schemas.set(title, inside)
  return { $ref: `#/components/schemas/${title}` }
}
