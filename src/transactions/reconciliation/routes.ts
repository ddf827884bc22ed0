import { type Route, route } from '../../http/route.ts'
import type { ReconciliationService } from './service.ts'
import * as wire from './wire.ts'

export function reconciliationRoutes(reconciliation: ReconciliationService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/reconciliation',
      access: 'ledger:read',
      tag: 'Reconciliation',
      summary: 'Compare the ledger with banks and networks',
      description:
        'At the end of a day (UTC), now by default: everything that only one side has, and what both sides had on that day. ' +
        'The open items add up to the difference. A bank serves every organization: in production only keys of the ' +
        'platform’s organization see accounts.',
      query: wire.ReconciliationQuery,
      answer: { status: 200, description: 'The accounts with their items', schema: wire.ReconciliationAnswer },
      handle: async ({ caller, query: { date } }) =>
        wire.presentReconciliation(await reconciliation.read(caller, date)),
    }),
  ]
}
