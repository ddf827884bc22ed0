import { anyId, idExamples } from '../examples/story.ts'

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

/** Builds a value that the schema allows from the examples of its parts. */
export function exampleOf(schema: unknown): unknown {
  const {
    type,
    examples,
    default: fallback,
    const: constant,
    enum: values,
    anyOf,
    properties,
    items,
    minimum,
  } = schema as Schema
  if (examples?.[0] !== undefined) return examples[0]
  if (fallback !== undefined) return fallback
  if (constant !== undefined) return constant
  if (values) return values[0]
  if (anyOf) return exampleOf(anyOf[0])
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleOfField(name, each)]))
  if (type === 'array') return items ? [exampleOf(items)] : []
  if (type === 'object') return {}
  if (type === 'integer' || type === 'number') return minimum ?? 0
  if (type === 'boolean') return false
  return 'text'
}

/** Ids are those of the story, so that examples of several operations agree. */
function exampleOfField(name: string, schema: Schema): unknown {
  const example = exampleOf(schema)
  return example === anyId ? (idExamples[name] ?? anyId) : example
}
