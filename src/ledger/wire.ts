import Type from 'typebox'
import { resource, Timestamp } from '../http/wire.ts'
import type { LedgerService } from './service.ts'

export const LedgerCheckAnswer = resource('LedgerCheck', {
  ok: Type.Boolean({ description: 'Whether every check passed', examples: [true] }),
  checkedAt: Timestamp,
  checks: Type.Array(
    resource('LedgerCheckResult', {
      name: Type.String({ examples: ['postings sum to zero in each asset'] }),
      ok: Type.Boolean({ examples: [true] }),
      violations: Type.Array(Type.String(), { description: 'Up to 20 violations, named by id', examples: [[]] }),
    }),
  ),
})

export function presentCheck({ ok, checkedAt, checks }: Awaited<ReturnType<LedgerService['check']>>) {
  return {
    ok,
    checkedAt: checkedAt.toISOString(),
    checks: checks.map(({ name, ok: isOk, violations }) => ({ name, ok: isOk, violations })),
  }
}
