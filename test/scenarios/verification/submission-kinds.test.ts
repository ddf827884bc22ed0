import { beforeAll, describe, expect, test } from 'vitest'
import { businesses } from '../../support/customers/kinds/businesses.ts'
import { afterwards, individuals } from '../../support/customers/kinds/individuals.ts'
import { type Ended, type Kind, submit, submitAll } from '../../support/customers/kinds/kind.ts'
import { pictures } from '../../support/customers/kinds/pictures.ts'
import { startVerifying } from '../../support/customers/verifying-api.ts'

// The whole table at once, each kind through POST, PATCH and the checks.
const api = await startVerifying()

const ended = new Map<Kind, Ended>()

beforeAll(async () => {
  const persons = [...individuals, ...pictures]
  const first = await submitAll([...persons, ...businesses], (kind) =>
    submit(api, businesses.includes(kind) ? 'BUSINESS' : 'INDIVIDUAL', kind),
  )
  const last = await submitAll(afterwards, (kind) => submit(api, 'INDIVIDUAL', kind))
  for (const [kind, each] of [...first, ...last]) ended.set(kind, each)
}, 300_000)

describe.each([
  ['an individual', [...individuals, ...pictures, ...afterwards]],
  ['a business', businesses],
])('%s', (_who, kinds) => {
  test.each(kinds.map((kind) => [kind.kind, kind.ends, kind] as const))('%s: ends %s', (_name, ends, kind) => {
    expect(ended.get(kind)).toEqual({ ends, codes: kind.codes.toSorted() })
  })
})
