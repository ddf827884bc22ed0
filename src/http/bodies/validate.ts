import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Format } from 'typebox/format'
import { Settings } from 'typebox/system'
import { isRealDay } from '../../lib/calendar.ts'
import { LongText } from '../../lib/long-text.ts'
import type { FieldProblem } from '../../lib/refusal.ts'
import type { Validated } from '../../lib/validated.ts'

// The library stops at eight errors by default; one answer lists them all.
Settings.Set({ maxErrors: 1_000 })
Format.Set('date', isRealDay)
// The library accepts leap seconds, which no Date can hold, and a Date takes 30 February for 2 March. PostgreSQL reads
// zones up to 15:59; the widest in use is 14:00.
Format.Set('date-time', (text) => rfc3339.test(text) && isRealDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)))

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):\d\d)$/i

type SchemaError = { keyword: string; instancePath: string; schemaPath: string; params: object }

/** Kept by schema: most operations share those of their paths, queries and headers. */
const validators = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/**
 * Makes a check of a schema that tells the caller what to change in every invalid field. Its first value compiles it:
 * most processes meet few of the operations, and compiling all of them would take a tenth of a start.
 */
export function compileSchema<Schema extends TSchema>(schema: Schema): (value: unknown) => Validated<Static<Schema>> {
  let kept: ReturnType<typeof Compile> | undefined
  return (value) => {
    kept ??= compileOnce(schema)
    const compiled = kept
    if (compiled.Check(value)) return { ok: true, value: value as Static<Schema> }
    const problems = (compiled.Errors(value) as SchemaError[]).flatMap((error) => describe(error, value, schema))
    return { ok: false, value, problems: firstPerField(problems) }
  }
}

function compileOnce(schema: TSchema): ReturnType<typeof Compile> {
  const compiled = validators.get(schema) ?? Compile(schema)
  validators.set(schema, compiled)
  return compiled
}

function describe(error: SchemaError, value: unknown, schema: TSchema): FieldProblem[] {
  const steps = error.instancePath.split('/').slice(1).map(unescapePointer)
  const params = error.params as Record<string, unknown>
  if (error.keyword === 'required') {
    const missing = params.requiredProperties as string[]
    return missing.map((name) => ({ field: fieldName([...steps, name]), message: 'is required' }))
  }
  // The library also reports each unknown field by itself, as a value that no schema allows.
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') return []
  // The library reports each name by itself as well, at the path of the name's value.
  if (error.keyword === 'propertyNames') return []
  if (error.schemaPath.endsWith('/propertyNames'))
    return [{ field: fieldName(steps.slice(0, -1)), message: `has a name that ${messageOf(error.keyword, params)}` }]
  const longAt = steps.findIndex((_, at) => valueAt(value, steps.slice(0, at)) instanceof LongText)
  if (longAt >= 0) return [{ field: fieldName(steps.slice(0, longAt)), message: 'is too long' }]
  const found = valueAt(value, steps)
  const removed = removedMessage(schema, error.schemaPath, steps.at(-1) ?? '')
  if (removed) return [{ field: fieldName(steps), message: removed }]
  if (found instanceof LongText) return [{ field: fieldName(steps), message: 'is too long' }]
  const example = error.keyword === 'pattern' ? exampleAt(schema, error.schemaPath) : undefined
  const message = example ? `must have a form such as ${example}` : messageOf(error.keyword, params)
  return [{ field: fieldName(steps), message }]
}

/**
 * Registers a format of a capability, with the message for invalid values. `shown` replaces the format in the OpenAPI
 * document, by keywords that generators of clients know. It never refuses a value that the format accepts.
 */
export function addFormat(
  name: string,
  accepts: (text: string) => boolean,
  message: string,
  shown: { pattern: string } | { format: 'uri' },
): void {
  Format.Set(name, accepts)
  formats[name] = message
  shownFormats.set(name, shown)
}

/** The keywords of the formats that only Svc knows. */
export const shownFormats = new Map<string, { pattern: string } | { format: 'uri' }>()

const formats: Record<string, string> = {
  uuid: 'must be a UUID',
  email: 'must be an email address',
  date: 'must be a date that exists, as YYYY-MM-DD',
  'date-time': 'must be an ISO 8601 time with a zone, such as 2025-11-21T10:00:00Z',
  uri: 'must be an absolute address such as https://example.com/path',
}

const messages: Record<string, (params: Record<string, unknown>) => string> = {
  boolean: () => 'is not a field of this request',
  type: ({ type }) => `must be ${[type].flat().map(String).map(article).join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  format: ({ format }) => formats[String(format)] ?? 'does not have the required format',
  pattern: () => 'does not have the required format',
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minItems: ({ limit }) => `must have at least ${limit} item(s)`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  uniqueItems: () => 'must not repeat an item',
  minProperties: ({ limit }) => `must have at least ${limit} field(s)`,
  maxProperties: ({ limit }) => `must have at most ${limit} field(s)`,
}

function messageOf(keyword: string, params: Record<string, unknown>): string {
  return messages[keyword]?.(params) ?? 'is not valid'
}

function article(type: string): string {
  if (type === 'null') return 'null'
  if (type === 'integer') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/** Writes a path such as `persons[0].email`. */
function fieldName(steps: readonly string[]): string {
  const name = steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
  return name === '' ? 'body' : name
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inside, step) => (inside as Record<string, unknown>)?.[step], value)
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function firstPerField(problems: FieldProblem[]): FieldProblem[] {
  const seen = new Set<string>()
  return problems.filter(({ field }) => !seen.has(field) && seen.add(field))
}

/** Parses whole numbers and booleans of a query, whose values arrive as text. Refuses a repeated name. */
export function readQuery(schema: TSchema, raw: Record<string, unknown>): Validated<Record<string, unknown>> {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {}
  const problems: FieldProblem[] = []
  // Without a prototype, so that a name such as __proto__ is an ordinary name.
  const value: Record<string, unknown> = Object.create(null)
  for (const [name, text] of Object.entries(raw)) {
    const type = properties[name]?.type
    const isUnstorable = typeof text === 'string' && text.includes('\0')
    if (isUnstorable) problems.push({ field: fieldName([name]), message: 'must not contain the character NUL' })
    else if (Array.isArray(text)) problems.push({ field: fieldName([name]), message: 'must be given only once' })
    else if (type === 'integer' && /^-?\d{1,15}$/.test(String(text))) value[name] = Number(text)
    else if (type === 'boolean' && (text === 'true' || text === 'false')) value[name] = text === 'true'
    else value[name] = text
  }
  return problems.length > 0 ? { ok: false, value, problems } : { ok: true, value }
}

/** Finds the example of a field: few callers can read its pattern. */
function exampleAt(schema: TSchema, schemaPath: string): string | undefined {
  const steps = schemaPath.split('/').slice(1).map(unescapePointer)
  return ((valueAt(schema, steps) ?? {}) as { examples?: string[] }).examples?.[0]
}

/** Finds the message that a schema has for a removed field: `removed: { old: 'was removed; use new' }`. */
function removedMessage(schema: TSchema, schemaPath: string, name: string): string | undefined {
  if (!schemaPath.endsWith('/additionalProperties')) return undefined
  const steps = schemaPath.split('/').slice(1, -1).map(unescapePointer)
  const { removed = {} } = (valueAt(schema, steps) ?? {}) as { removed?: Record<string, string> }
  return Object.hasOwn(removed, name) ? removed[name] : undefined
}
