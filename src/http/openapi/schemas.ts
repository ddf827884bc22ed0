import { shownFormats } from '../bodies/validate.ts'

export type Json = Record<string, unknown>

/** Schemas and responses that the operations share, by name. */
export type Components = { schemas: Map<string, unknown>; responses: Map<string, Json> }

// The values of these keys are data: a field `title` inside them names no schema.
const valueKeys = new Set(['const', 'default', 'enum', 'examples'])

/** Writes a list that allows null as generators expect it: the list, or null. */
function splitNull(schema: Json): void {
  const values = (schema.enum as unknown[]).filter((value) => value !== null)
  delete schema.enum
  delete schema.type
  schema.anyOf = [{ type: 'string', enum: values }, { type: 'null' }]
}

/**
 * Moves the defaults of fields into their descriptions: generators take a field with a default for one that is always
 * there, and then demand it of callers too.
 */
function withoutDefaults(properties: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      if (property.default === undefined) return [name, property]
      const { default: fallback, description, ...rest } = property
      const words = [description, `Default: ${JSON.stringify(fallback)}`].filter((text) => text !== undefined)
      return [name, { ...rest, description: words.join('. '), examples: rest.examples ?? [fallback] }]
    }),
  )
}

/** Replaces every titled schema by a reference, so that the document names each resource once. */
export function named(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => named(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { longText, removed, ...shown } = schema as Json
  const format = shownFormats.get(shown.format as string)
  if (format) {
    delete shown.format
    Object.assign(shown, format)
  }
  if (Array.isArray(shown.enum) && shown.enum.includes(null)) splitNull(shown)
  if (longText) Object.assign(shown, { type: longText === 'or null' ? ['string', 'null'] : 'string' })
  if (shown.properties) shown.properties = withoutDefaults(shown.properties as Record<string, Json>)
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
