export type Json = Record<string, unknown>

/** Schemas and responses that the operations share, by name. */
export type Components = { schemas: Map<string, unknown>; responses: Map<string, Json> }

// The values of these keys are data: a field `title` inside them names no schema.
const valueKeys = new Set(['const', 'default', 'enum', 'examples'])

/** Replaces every titled schema by a reference, so that the document names each resource once. */
export function named(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => named(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { longText, removed, ...shown } = schema as Json
  if (longText) Object.assign(shown, { type: longText === 'or null' ? ['string', 'null'] : 'string' })
  const inside = Object.fromEntries(
    Object.entries(shown).map(([key, value]) => [key, valueKeys.has(key) ? value : named(value, components)]),
  )
  const { title } = schema as { title?: unknown }
  // A property called title is a schema, not a string.
  if (typeof title !== 'string') return inside
  const known = components.schemas.get(title)
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inside))
    throw new Error(`two different schemas have the title ${title}`)
  components.schemas.set(title, inside)
  return { $ref: `#/components/schemas/${title}` }
}
