import type { TSchema } from 'typebox'
import { type RefusalCode, refusals } from '../../lib/refusal.ts'
import { signatureScheme } from '../bodies/signed-body.ts'
import { exampleOperations } from '../examples/operations.ts'
import { anyId, idExamples } from '../examples/story.ts'
import { honoursIdempotencyKey, type Route } from '../route.ts'
import { apiVersions, newestApiVersion } from '../versions.ts'
import { ErrorBody } from '../wire.ts'
import { exampleOf } from './example.ts'
import { guideTags, introduction } from './introduction.ts'
import { operationId } from './operation-id.ts'
import { type Components, type Json, named } from './schemas.ts'
import { groupTags, rankOf } from './tag-groups.ts'
import { exampleMessages, tagDescriptions } from './texts.ts'
import { describeWebhooks, type Webhook } from './webhooks.ts'

export type About = { version: string; baseUrl: string; webhooks?: readonly Webhook[] }

/** Builds the OpenAPI 3.1 document from the served routes. */
export function buildOpenapi(routes: readonly Route[], about: About): Json {
  const components: Components = { schemas: new Map(), responses: new Map() }
  const paths: Record<string, Json> = {}
  const ordered = routes.toSorted((a, b) => rankOf(a.tag) - rankOf(b.tag))
  for (const each of ordered) {
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: describeOperation(each, components) }
  }
  const tags = [...new Set(ordered.map((each) => each.tag))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Svc',
      version: about.version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.baseUrl }],
    tags: [...guideTags, ...tags.map((name) => ({ name, description: tagDescriptions[name] }))],
    'x-tagGroups': [{ name: 'Guides', tags: guideTags.map(({ name }) => name) }, ...groupTags(tags)],
    paths,
    webhooks: describeWebhooks(about.webhooks ?? [], components),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a token created from one' },
        client: {
          type: 'http',
          scheme: 'basic',
          description: 'The id of an API key as the user name, and the key as the password',
        },
        signature: signatureScheme,
      },
      parameters: {
        apiVersion: versionHeader,
        idempotencyKey: idempotencyHeader,
        neededIdempotencyKey: { ...idempotencyHeader, required: true },
      },
      headers: answerHeaders,
      schemas: Object.fromEntries(components.schemas),
      responses: Object.fromEntries(components.responses),
    },
  }
}

function describeOperation(route: Route, components: Components): Json {
  const { status, description, schema, mediaType = 'application/json', fileTypes = [mediaType] } = route.answer
  const needs = route.access.includes(':') ? describeScope(route) : undefined
  const words = [route.description, needs].filter((each) => each !== undefined).join('\n\n')
  const id = operationId(route)
  const example = exampleOperations[id]?.answer ?? exampleOf(schema)
  const content = { schema: named(schema, components), examples: { answer: { value: example } } }
  return {
    operationId: id,
    tags: [route.tag],
    summary: route.summary,
    ...(words ? { description: words } : {}),
    security: securityOf(route),
    parameters: [
      ...parametersOf(route.params, 'path', components),
      ...parametersOf(route.query, 'query', components),
      ...parametersOf(route.headers, 'header', components),
      { $ref: '#/components/parameters/apiVersion' },
      ...(honoursIdempotencyKey(route)
        ? [{ $ref: `#/components/parameters/${route.needsIdempotencyKey ? 'neededIdempotencyKey' : 'idempotencyKey'}` }]
        : []),
    ],
    ...(route.body ? { requestBody: describeBody(route, route.body, components) } : {}),
    ...(route.access === 'secret address' ? { requestBody: anyBody } : {}),
    responses: {
      [status]: {
        description,
        headers: headersOf(status, route),
        content: Object.fromEntries(fileTypes.map((type) => [type, content])),
      },
      ...(route.answer.isKept ? { 304: notModified } : {}),
      ...errorResponses(refusalsOf(route), components),
    },
  }
}

/** Adds the refusals of admission (admit.ts) and of reading the body to those that the operation declares. */
function refusalsOf(route: Route): RefusalCode[] {
  const isPublic = route.access === 'public'
  // A signed body that does not match its signature is refused as a bad credential, regardless of its size and type.
  const readsBody = route.method !== 'GET' && route.access !== 'signature'
  // In production the metrics are hidden: most addresses get 404, and without a credential 401.
  const isHidden = route.probe === 'metrics'
  const isSecret = route.access === 'secret address'
  const hasParams = Object.keys(route.params.properties).length > 0
  return [
    'BAD_REQUEST',
    ...(isPublic && !isHidden ? [] : (['UNAUTHORIZED'] as const)),
    // Probes have no limit.
    ...(isPublic && route.probe === 'health' ? [] : (['RATE_LIMITED'] as const)),
    ...(isPublic && route.probe ? [] : (['FORBIDDEN'] as const)),
    ...(route.sandboxOnly ? (['SANDBOX_ONLY'] as const) : []),
    ...(isHidden || (hasParams && !isSecret) ? (['NOT_FOUND'] as const) : []),
    // An unexpected body is read too, and refused field by field.
    ...(readsBody ? (['PAYLOAD_TOO_LARGE'] as const) : []),
    ...(readsBody && !isSecret ? (['UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(honoursIdempotencyKey(route) ? (['IDEMPOTENCY_REQUEST_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...route.refusals,
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ]
}

function describeScope({ access, reviewerAccess }: Route): string {
  if (!reviewerAccess) return `Needs the scope \`${access}\`.`
  return `Needs the scope \`${access}\`, or of a reviewer's key or one of the platform \`${reviewerAccess}\`.`
}

function securityOf({ access, reviewerAccess }: Route): Json[] {
  if (access === 'client credentials') return [{ bearer: [] }, { client: [] }, {}]
  if (access === 'signature') return [{ signature: [] }]
  return access === 'public' || access === 'secret address'
    ? []
    : [access, ...(reviewerAccess ? [reviewerAccess] : [])].map((scope) => ({ bearer: [scope] }))
}

function describeBody(route: Route, schema: TSchema & { required?: string[] }, components: Components): Json {
  const example = exampleOperations[operationId(route)]?.request ?? exampleOf(schema)
  const content = { schema: named(schema, components), examples: { request: { value: example } } }
  const form = route.access === 'client credentials' ? { 'application/x-www-form-urlencoded': content } : {}
  return { required: (schema.required?.length ?? 0) > 0, content: { 'application/json': content, ...form } }
}

const anyBody = {
  content: {
    '*/*': { schema: { description: 'Any content up to 1 MB' }, examples: { request: { value: 'anything' } } },
  },
}

function parametersOf(schema: Route['params'], place: 'path' | 'query' | 'header', components: Components): Json[] {
  const required = new Set((schema as { required?: string[] }).required ?? [])
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = property as TSchema & { description?: string }
    return {
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(description ? { description } : {}),
      schema: named(withStoryId(name, rest), components),
    }
  })
}

/** An id in a path or query is that of the story, so that examples of several operations agree. */
function withStoryId(name: string, schema: TSchema): TSchema {
  const { examples } = schema as { examples?: unknown[] }
  const id = idExamples[name]
  return examples?.[0] === anyId && id ? { ...schema, examples: [id] } : schema
}

function errorResponses(codes: readonly RefusalCode[], components: Components): Json {
  const byStatus = new Map<number, Set<RefusalCode>>()
  for (const code of codes) byStatus.set(refusals[code], (byStatus.get(refusals[code]) ?? new Set()).add(code))
  const entries = [...byStatus].map(([status, here]) => {
    const name = [...here].sort().join('_or_')
    components.responses.set(name, describeRefusals(status, [...here].sort(), components))
    return [String(status), { $ref: `#/components/responses/${name}` }] as const
  })
  return Object.fromEntries(entries)
}

function describeRefusals(status: number, codes: readonly RefusalCode[], components: Components): Json {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleError(code) }]))
  const content = { 'application/json': { schema: named(ErrorBody, components), examples } }
  return { description: codes.join(', '), headers: headersOf(status), content }
}

function exampleError(code: RefusalCode): Json {
  const { details: _, ...common } = exampleOf(ErrorBody) as Json
  const message = exampleMessages[code]
  if (code !== 'BAD_REQUEST') return { ...common, error: code, message, statusCode: refusals[code] }
  // Every operation has this field.
  const field = versionHeader.name
  return { ...common, error: code, message: `${field} ${message}`, details: [{ field, message }] }
}

/** A required header is present in every answer that lists it. */
const answerHeaders = {
  'x-request-id': {
    description: 'Identifies this request in the logs of the service',
    required: true,
    schema: { type: 'string' },
  },
  'x-api-version': { description: 'The API version of the answer', schema: { type: 'string' } },
  'www-authenticate': {
    description: 'The authentication scheme. For a key that Svc issued, also why it does not work any more',
    required: true,
    schema: { type: 'string', pattern: '^Bearer( error="invalid_token", error_description="[^"]+")?$' },
  },
  ratelimit: {
    description: 'Remaining small requests, and seconds until the full quota is restored',
    schema: { type: 'string' },
  },
  'ratelimit-policy': {
    description: 'The quota of small requests per minute: long pages, searches and large bodies count as several',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    description: 'true: the answer repeats the first answer to this idempotency key',
    schema: { const: 'true' },
  },
  etag: { description: 'The version of the content, for `If-None-Match`', required: true, schema: { type: 'string' } },
  'retry-after': { description: 'Seconds to wait before a retry', required: true, schema: { type: 'integer' } },
}

const notModified = {
  description: 'The content still has the version that `If-None-Match` names',
  headers: Object.fromEntries(
    ['x-request-id', 'x-api-version', 'etag'].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
}

function headersOf(status: number, route?: Route): Json {
  const names: (keyof typeof answerHeaders)[] = ['x-request-id', 'x-api-version']
  if (route?.access !== 'public') names.push('ratelimit', 'ratelimit-policy')
  if (route && honoursIdempotencyKey(route)) names.push('idempotent-replayed')
  if (route?.answer.isKept) names.push('etag')
  if (status === 401) names.push('www-authenticate')
  if (status === 503 || status === 429) names.push('retry-after')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const idempotencyHeader = {
  name: 'x-idempotency-key',
  in: 'header',
  required: false,
  description:
    'Makes retries of this request safe: requests with the same key and body have one effect and get the same ' +
    'answer, without a time limit. The header `Idempotency-Key` means the same.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
}

const versionHeader = {
  name: 'x-api-version',
  in: 'header',
  required: false,
  description: 'A version date from the changelog. So far all versions behave alike.',
  schema: { type: 'string', enum: [...apiVersions], default: newestApiVersion },
}
