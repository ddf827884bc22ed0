import { type Route, route } from '../http/route.ts'
import type { LedgerService } from './service.ts'
import * as wire from './wire.ts'

export function ledgerRoutes(ledger: LedgerService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ledger/check',
      access: 'ledger:read',
      tag: 'Ledger',
      summary: 'Check the ledger',
      description:
        'Recomputes every posting, balance and reserve of your organizations. If an invariant is violated, all ' +
        'payouts are halted until an operator resumes them.',
      answer: { status: 200, description: 'The result of each check', schema: wire.LedgerCheckAnswer },
      handle: async ({ caller }) => {
        const report = await ledger.check(caller)
        await ledger.haltIfViolated(report.checks, `api_key:${caller.apiKeyId}`)
        return wire.presentCheck(report)
      },
    }),
  ]
}
