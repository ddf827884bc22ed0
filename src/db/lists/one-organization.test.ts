import { expect, test } from 'vitest'
import { forOneOrganization } from './one-organization.ts'

const text = 'select name from svc.customers where organization_id = any($1) and customer_id = $2'

test('a prepared read of one organization compares with it alone', () => {
  const read = { name: 'find one', text, values: [['o'], 'c'] }
  expect(forOneOrganization(read)).toEqual({
    name: 'find one, one',
    text: 'select name from svc.customers where organization_id = $1 and customer_id = $2',
    values: ['o', 'c'],
  })
})

// biome-ignore format: a table is read by column
test.each([
  ['of several organizations', { name: 'several', text, values: [['o', 'p'], 'c'] }],
  ['of none',                  { name: 'none', text, values: [[], 'c'] }],
  ['that is not prepared',     { text, values: [['o'], 'c'] }],
  ['without values',           { name: 'bare', text: 'select 1' }],
  ['that uses the list twice', { name: 'twice', text: `${text} or tenant = any($1)`, values: [['o'], 'c'] }],
  ['of other ids',             { name: 'ids', text: 'select 1 where payout_id = any($1)', values: [['o']] }],
  ['with ten parameters',      { name: 'ten', text: 'select $10 where organization_id = any($10)', values: [['o']] }],
])('a read %s stays as it is', (_kind, statement) => {
  expect(forOneOrganization(statement)).toBe(statement)
})
