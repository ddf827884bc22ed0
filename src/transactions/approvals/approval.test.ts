import { expect, test } from 'vitest'
import { type ApprovalRule, isApproved, isApprover, unmetRules } from './approval.ts'

const ours = { organizationId: 'org', owner: 'ORGANIZATION' } as const
const open: ApprovalRule = { ...ours, ruleId: 'open', approvals: 2 }
const listed: ApprovalRule = { ...ours, ruleId: 'listed', approvals: 1, approvers: ['a', 'b'] }

// biome-ignore format: a table is read by column
test.each([
  [[open],         [],              false],
  [[open],         ['a'],           false],
  [[open],         ['a', 'c'],      true],
  [[listed],       ['c', 'd'],      false],
  [[listed],       ['b'],           true],
  [[open, listed], ['c', 'd'],      false],
  [[open, listed], ['a'],           false],
  [[open, listed], ['a', 'c'],      true],
] as const)('%j is approved by %j: %s', (rules, approving, expected) => {
  const names = approving.map((key) => [key, `${key} before its roll`])
  expect(isApproved({ rules }, names)).toBe(expected)
})

// biome-ignore format: a table is read by column
test.each([
  [[open],         'z', true],
  [[listed],       'a', true],
  [[listed],       'z', false],
  [[open, listed], 'z', true],
] as const)('in %j the key %s may decide: %s', (rules, key, expected) => {
  expect(isApprover({ rules }, [key])).toBe(expected)
  expect(isApprover({ rules }, ['successor', key])).toBe(expected)
})

const rule = (more: Partial<ApprovalRule> = {}): ApprovalRule => ({ ...ours, ruleId: 'r', approvals: 1, ...more })

// biome-ignore format: a table is read by column
test.each([
  // demanded now                  met before                            still unmet
  [rule(),                         [],                                   true],
  [rule(),                         [rule()],                             false],
  [rule({ approvals: 2 }),         [rule()],                             true],
  [rule(),                         [rule({ ruleId: 's' })],              true],
  [rule({ owner: 'PLATFORM' }),    [rule()],                             true],
  [rule({ owner: 'PLATFORM' }),    [rule(), rule({ owner: 'PLATFORM', organizationId: 'parent' })], true],
  [rule({ owner: 'PLATFORM' }),    [rule(), rule({ owner: 'PLATFORM' })], false],
  [rule({ approvers: ['a'] }),     [rule()],                             true],
  [rule({ approvers: ['a'] }),     [rule({ approvers: ['a', 'b'] })],    true],
  [rule({ approvers: ['a', 'b'] }), [rule({ approvers: ['a'] })],        false],
] as const)('%j after %j is unmet: %s', (demanded, met, expected) => {
  expect(unmetRules([demanded], met)).toEqual(expected ? [demanded] : [])
})
