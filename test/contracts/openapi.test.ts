import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { Compile } from 'typebox/compile'
import { expect, onTestFinished, test } from 'vitest'
import { newestApiVersion } from '../../src/http/versions.ts'
import { startApi } from '../support/runner/api.ts'
import { makeFolder } from '../support/runner/folder.ts'

type Content = Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>
type Answer = { description: string; content?: Content }
type Operation = { requestBody?: { content: Content }; responses: Record<string, Answer | { $ref: string }> }
type Shape = { additionalProperties?: unknown; properties?: Record<string, { description?: string }> }
type Document = {
  info: object
  servers: unknown
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Answer>; schemas: Record<string, Shape> }
}

const api = await startApi()
const document = (await api.get('/openapi.json', { apiKey: null })).body as Document

const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${route}`, operation })),
)

test('Redocly reports no error and no warning', async () => {
  const { folder, remove } = await makeFolder()
  onTestFinished(remove)
  const file = path.join(folder, 'openapi.json')
  await writeFile(file, asText(document))
  const program = createRequire(import.meta.url)
    .resolve('@redocly/cli/package.json')
    .replace('package.json', 'bin/cli.js')
  // A test run calls no outside host: no usage report, no check for a newer version.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const lint = promisify(execFile)(process.execPath, [program, 'lint', file, '--config=redocly.yaml'], { env })
  const { stdout, stderr } = await lint.catch((error: { stdout: string; stderr: string }) => error)
  expect(stdout + stderr).toContain('Your API description is valid')
  expect(stdout + stderr).not.toMatch(/\b(warning|error)s?\b/i)
})

test('a resource with an id or a status also has it by its own name', () => {
  const lacksOwn = ({ properties = {} }: Shape, name: string) =>
    name in properties &&
    !Object.entries(properties).some(
      ([other, { description = '' }]) =>
        other.toLowerCase().endsWith(name) && other !== name && description.includes(`same as ${name}`),
    )
  // Bodies of requests refuse further fields.
  const shown = Object.entries(document.components.schemas).filter(([, shape]) => shape.additionalProperties !== false)
  const lacking = shown.filter(([, shape]) => lacksOwn(shape, 'id') || lacksOwn(shape, 'status'))
  // An entry of a history, and the answers of probes.
  expect(lacking.map(([name]) => name).sort()).toEqual(['Alive', 'Ready', 'StatusChange'])
})

test.each(operations)('$name: every body and answer has examples that fit its schema', ({ operation }) => {
  const bodies = operation.requestBody ? [operation.requestBody.content] : []
  const withContent = Object.entries(operation.responses).filter(([status]) => status !== '304')
  const answers = withContent.map(([status, answer]) => {
    const { content, description } = resolve(answer)
    // An error answer has one example for each code that it may carry.
    const codes = Number(status) < 400 ? [] : description.split(', ')
    expect(Object.keys(content?.['application/json']?.examples ?? {})).toEqual(expect.arrayContaining(codes))
    return content ?? {}
  })
  for (const content of [...bodies, ...answers]) {
    expect(Object.keys(content)).not.toEqual([])
    for (const { schema, examples = {} } of Object.values(content)) {
      expect(Object.keys(examples)).not.toEqual([])
      // The schema's references point into the document around it.
      const compiled = Compile({ ...schema, components: document.components })
      for (const { value } of Object.values(examples)) expect([value, compiled.Errors(value)]).toEqual([value, []])
    }
  }
})

test('an answer that a caller has already is declared as 304', async () => {
  const packed = await fetch(`${api.baseUrl}/openapi.json`, { headers: { 'accept-encoding': 'br' } })
  const again = await fetch(`${api.baseUrl}/openapi.json`, {
    headers: { 'accept-encoding': 'br', 'if-none-match': packed.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
  const declared = document.paths['/openapi.json']?.get?.responses[again.status] as { headers?: object } | undefined
  expect(Object.keys(declared?.headers ?? {}).filter((name) => !again.headers.has(name))).toEqual([])
  expect(declared?.headers).toHaveProperty('etag')
})

test('an example that breaks its schema is detected, also behind a reference', () => {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Error' }, components: document.components }
  const compiled = Compile(schema)
  expect(compiled.Check([{ error: 'NOT_FOUND', message: 'no', statusCode: 404, requestId: 'r' }])).toBe(true)
  expect(compiled.Check([{ error: 'NOT_FOUND', message: 'no', statusCode: '404', requestId: 'r' }])).toBe(false)
})

test('the documented operations are exactly the served ones', () => {
  const documented = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'))
  // HTTP adds HEAD to every GET; the pages at / and /docs, the icon and the hosted forms are not part of the interface.
  const served = servedRoutes(api.server.printRoutes({ commonPrefix: false })).filter(
    (name) => !name.startsWith('HEAD ') && !/^GET \/($|docs(\/|$)|favicon\.ico$)|^\w+ (\/forms\b|\/?\*$)/.test(name),
  )
  expect(served.sort()).toEqual(documented.sort())
})

test('docs/openapi.json equals the served document (npm test -- -u updates it)', async () => {
  // Replaces values that differ between deployments and releases.
  const info = { ...document.info, version: newestApiVersion }
  const servers = [{ url: 'http://127.0.0.1:8080' }]
  await expect(asText({ ...document, info, servers })).toMatchFileSnapshot('../../docs/openapi.json')
})

function resolve(answer: Answer | { $ref: string }): Answer {
  if (!('$ref' in answer)) return answer
  const found = document.components.responses[answer.$ref.replace('#/components/responses/', '')]
  if (!found) throw new Error(`${answer.$ref} leads nowhere`)
  return found
}

function asText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Parses the framework's route tree: each line is one path segment, indented four columns below its parent. */
function servedRoutes(drawing: string): string[] {
  const parents: string[] = []
  return drawing.split('\n').flatMap((line) => {
    const [, indent = '', piece = '', methods = ''] = /^([│\s]*)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    const depth = indent.length / 4
    parents.splice(depth, Infinity, piece)
    return methods ? methods.split(', ').map((method) => `${method} ${parents.join('')}`) : []
  })
}
