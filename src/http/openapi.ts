import type { TSchema } from 'typebox'
import { type RefusalCode, refusals } from '../lib/refusal.ts'
import { exampleOf } from './example.ts'
import type { Route } from './route.ts'
import { apiVersions, newestApiVersion } from './versions.ts'
import { ErrorBody } from './wire.ts'

type Json = Record<string, unknown>

/** What any operation may answer, beside what it declares itself. */
const commonRefusals: readonly RefusalCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
const credentialRefusals: readonly RefusalCode[] = ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN']
const bodyRefusals: readonly RefusalCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/** The OpenAPI 3.1 document, made from the same routes that are served. */
export function buildOpenapi(routes: readonly Route[], about: { version: string; baseUrl: string }): Json {
  const components = new Map<string, unknown>()
  const paths: Record<string, Json> = {}
  for (const each of routes) {
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: describeOperation(each, components) }
  }
  const tags = [...new Set(routes.map((each) => each.tag))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Svc',
      version: about.version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.baseUrl }],
    tags: tags.map((name) => ({ name })),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a token made from one' },
      },
      schemas: Object.fromEntries(components),
    },
  }
}

const introduction = [
  'Moves value between bank rails and crypto networks for the end customers of an integrator.',
  'Amounts are decimal strings. Times are ISO 8601 in UTC. Ids are opaque strings.',
  `Every answer carries \`x-request-id\`; \`x-api-version\` is optional and defaults to ${newestApiVersion}.`,
].join('\n\n')

function describeOperation(route: Route, components: Map<string, unknown>): Json {
  const { status, description, schema, mediaType = 'application/json' } = route.answer
  const isPublic = route.access === 'public'
  const codes = [
    ...(isPublic ? [] : credentialRefusals),
    ...(route.sandboxOnly ? (['SANDBOX_ONLY'] as const) : []),
    ...(Object.keys(route.params.properties).length > 0 && !isPublic ? (['NOT_FOUND'] as const) : []),
    ...(route.body ? bodyRefusals : []),
    ...route.refusals,
    ...commonRefusals,
  ]
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, isPublic ? undefined : `Needs the scope \`${route.access}\`.`]
      .filter(Boolean)
      .join('\n\n'),
    ...(isPublic ? { security: [] } : {}),
    parameters: [
      ...parametersOf(route.params, 'path', components),
      ...parametersOf(route.query, 'query', components),
      ...(isPublic ? [] : [versionHeader]),
    ],
    ...(route.body ? { requestBody: describeBody(route.body, components) } : {}),
    responses: {
      [status]: {
        description,
        headers: answerHeaders,
        content: {
          [mediaType]: { schema: named(schema, components), examples: { answer: { value: exampleOf(schema) } } },
        },
      },
      ...errorResponses(codes, components),
    },
  }
}

function describeBody(schema: TSchema & { required?: string[] }, components: Map<string, unknown>): Json {
  const content = { schema: named(schema, components), examples: { request: { value: exampleOf(schema) } } }
  return { required: (schema.required?.length ?? 0) > 0, content: { 'application/json': content } }
}

/** `GET /api-keys/{apiKeyId}` is getApiKeysByApiKeyId: stable, and unique because path and method are. */
function operationId({ method, path }: Route): string {
  const words = path
    .split('/')
    .filter(Boolean)
    .flatMap((part) => {
      const parameter = /^\{(\w+)\}$/.exec(part)?.[1]
      return parameter ? ['by', parameter] : part.replace(/^\./, '').split(/[-_.]/)
    })
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf(schema: Route['params'], place: 'path' | 'query', components: Map<string, unknown>): Json[] {
  const required = new Set((schema as { required?: string[] }).required ?? [])
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.has(name),
    schema: named(property as TSchema, components),
  }))
}

/** Replaces every schema that has a title by a reference to it, so that the document shows a name for each thing. */
function named(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => named(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, named(value, components)]))
  const title = (schema as { title?: string }).title
  if (title === undefined) return inside
  const known = components.get(title)
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inside))
    throw new Error(`two schemas are called ${title}`)
  components.set(title, inside)
  return { $ref: `#/components/schemas/${title}` }
}

function errorResponses(codes: readonly RefusalCode[], components: Map<string, unknown>): Json {
  const byStatus = new Map<number, Set<RefusalCode>>()
  for (const code of codes) byStatus.set(refusals[code], (byStatus.get(refusals[code]) ?? new Set()).add(code))
  const entries = [...byStatus].map(([status, here]) => {
    const examples = [...here].map((code) => [
      code,
      { value: { ...(exampleOf(ErrorBody) as Json), ...exampleError(code) } },
    ])
    const content = {
      'application/json': { schema: named(ErrorBody, components), examples: Object.fromEntries(examples) },
    }
    const headers = { ...answerHeaders, ...(status === 503 ? { 'retry-after': retryAfter } : {}) }
    return [String(status), { description: [...here].join(', '), headers, content }] as const
  })
  return Object.fromEntries(entries)
}

function exampleError(code: RefusalCode): Json {
  const isValidation = code === 'BAD_REQUEST'
  return {
    error: code,
    statusCode: refusals[code],
    message: isValidation ? 'name is required' : (exampleMessages[code] ?? 'Refused'),
    details: isValidation ? [{ field: 'name', message: 'is required' }] : undefined,
  }
}

const exampleMessages: Partial<Record<RefusalCode, string>> = {
  UNAUTHORIZED: 'A valid credential is needed: Authorization: Bearer <key or token>',
  FORBIDDEN: 'This credential lacks the scope customers:write',
  SANDBOX_ONLY: 'This operation exists in the sandbox only',
  NOT_FOUND: 'There is nothing here by that id or path',
  CONFLICT: 'The resource is in a state that does not allow this',
  PAYLOAD_TOO_LARGE: 'The body is larger than 104857600 bytes',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json in UTF-8, not compressed',
  INTERNAL_ERROR: 'Something went wrong on our side; the request id helps us find it',
  SERVICE_UNAVAILABLE: 'The database is away for a moment; try again',
}

const answerHeaders = {
  'x-request-id': { description: 'Names this request in our logs', schema: { type: 'string' } },
  'x-api-version': { description: 'The version that answered', schema: { type: 'string' } },
}
const retryAfter = { description: 'Seconds to wait before trying again', schema: { type: 'string' } }
const versionHeader = {
  name: 'x-api-version',
  in: 'header',
  required: false,
  schema: { type: 'string', enum: [...apiVersions], default: newestApiVersion },
}
