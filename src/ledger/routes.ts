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
        'Shows the last proof of the ledgers of your organizations, and its age. A worker checks what recent postings ' +
        'touched each minute, and every posting, balance and reserve at least once a day. A violated invariant halts ' +
        'payouts until an operator resumes them.',
      answer: { status: 200, description: 'The result of each check', schema: wire.LedgerCheckAnswer },
      handle: async ({ caller }) => wire.presentProof(await ledger.readProof(caller)),
    }),
  ]
}
