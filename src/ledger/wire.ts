import Type from 'typebox'
import { oneOf, resource, Timestamp } from '../http/wire.ts'
import type { LedgerProof } from './checks.ts'

const seconds = { minimum: 0, examples: [42] }

export const LedgerCheckAnswer = resource('LedgerCheck', {
  ok: Type.Boolean({ description: 'Whether every check passed', examples: [true] }),
  checkedAt: Type.Optional({
    ...Timestamp,
    description: 'When the check that was run longest ago last ran, in ISO 8601 in UTC. Absent before the first proof',
  }),
  ageSeconds: Type.Optional(Type.Integer({ description: 'The age of the proof', ...seconds })),
  checks: Type.Array(
    resource('LedgerCheckResult', {
      name: Type.String({ examples: ['postings sum to zero in each asset'] }),
      ok: Type.Boolean({ examples: [true] }),
      state: oneOf(
        ['OK', 'VIOLATED', 'NOT_CHECKED'],
        'NOT_CHECKED: the check has not run, or could not run to its end',
      ),
      checkedAt: Type.Optional({ ...Timestamp, description: 'The last check of recent postings or of all' }),
      fullyCheckedAt: Type.Optional({ ...Timestamp, description: 'The last check of all postings' }),
      violations: Type.Array(Type.String(), { description: 'Up to 20 violations, named by id', examples: [[]] }),
    }),
  ),
})

export function presentProof({ checkedAt, ageSeconds, checks }: LedgerProof) {
  return {
    ok: checks.every(({ state }) => state === 'OK'),
    ...(checkedAt ? { checkedAt: checkedAt.toISOString() } : {}),
    ...(ageSeconds === null ? {} : { ageSeconds }),
    checks: checks.map((check) => ({
      name: check.name,
      ok: check.state === 'OK',
      state: check.state,
      ...(check.checkedAt ? { checkedAt: check.checkedAt.toISOString() } : {}),
      ...(check.fullyCheckedAt ? { fullyCheckedAt: check.fullyCheckedAt.toISOString() } : {}),
      violations: check.violations,
    })),
  }
}
