import { expect, test } from 'vitest'
import { answers } from '../support/runner/answers.ts'
import { startApi } from '../support/runner/api.ts'

const api = await startApi()

/** Operations whose answers tests read without a type: a probe, and the OpenAPI document, which is its own schema. */
const untyped = ['GET /livez', 'GET /openapi.json']

test('the types of answers in tests come from the schemas that the routes declare', () => {
  const declared = Object.fromEntries(
    api.routes.map(({ method, path, answer }) => [`${method} ${path}`, answer.schema]),
  )
  expect(Object.keys(declared).sort(), 'list each operation in test/support/runner/answers.ts').toEqual(
    [...Object.keys(answers), ...untyped].sort(),
  )
  for (const [operation, schema] of Object.entries(answers))
    expect([operation, declared[operation]]).toEqual([operation, schema])
})
