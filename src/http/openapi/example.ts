type Schema = {
  type?: string
  examples?: unknown[]
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  minimum?: number
}

/** A value that a schema allows, made from the examples its parts carry, for the document. */
export function exampleOf(schema: unknown): unknown {
  const {
    type,
    examples,
    default: otherwise,
    const: only,
    enum: words,
    anyOf,
    properties,
    items,
    minimum,
  } = schema as Schema
  if (examples?.[0] !== undefined) return examples[0]
  if (otherwise !== undefined) return otherwise
  if (only !== undefined) return only
  if (words) return words[0]
  if (anyOf) return exampleOf(anyOf[0])
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleOf(each)]))
  if (type === 'array') return items ? [exampleOf(items)] : []
  if (type === 'object') return {}
  if (type === 'integer' || type === 'number') return minimum ?? 0
  if (type === 'boolean') return false
  return 'text'
}
