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
      summary: 'Prove that the ledger is whole',
      description:
        'Adds up every posting, balance and reserve of your organizations, now. If something does not add up, payouts ' +
        'are halted until the people who run the service have looked.',
      answer: { status: 200, description: 'Each thing that must hold', schema: wire.LedgerCheckAnswer },
      handle: async ({ caller }) => wire.presentCheck(await ledger.check(caller)),
    }),
  ]
}
