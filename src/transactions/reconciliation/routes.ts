import { type Route, route } from '../../http/route.ts'
import type { StatementExports } from './export.ts'
import type { ReconciliationService } from './service.ts'
import * as wire from './wire.ts'

const readers =
  'A bank account serves every organization, so its lines name payments of all of them: in production only keys of the ' +
  'platform’s organization read it, in the sandbox keys of every organization do.'
const exportReaders = `${readers} Other keys get NOT_FOUND.`

export function reconciliationRoutes(reconciliation: ReconciliationService, statements: StatementExports): Route[] {
  return [
    route({
      method: 'GET',
      path: '/reconciliation',
      access: 'ledger:read',
      tag: 'Reconciliation',
      summary: 'Compare the ledger with banks and networks',
      description:
        'At the end of a day (UTC), now by default: everything that only one side has, and what both sides of a bank account ' +
        'had on that day. Open items come first, 100 items on a page; each page has every account with its sums. ' +
        `The open items add up to the difference. ${readers} The answer to other keys has no accounts.`,
      query: wire.ReconciliationQuery,
      answer: { status: 200, description: 'The accounts with their items', schema: wire.ReconciliationAnswer },
      handle: async ({ caller, query: { date, pageToken, pageSize } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        return wire.presentReconciliation(await reconciliation.read(caller, date, page))
      },
    }),
    route({
      method: 'GET',
      path: '/reconciliation/statement.csv',
      access: 'ledger:read',
      tag: 'Reconciliation',
      summary: 'Export a bank account of the ledger as CSV',
      description: `The lines of one day: the opening balance and the lines make the closing balance. ${exportReaders}`,
      query: wire.StatementQuery,
      answer: { status: 200, description: 'The statement', schema: wire.StatementCsv, mediaType: 'text/csv' },
      refusals: ['NOT_FOUND'],
      handle: ({ caller, query: { account, date } }) => statements.export(caller, account, date, 'CSV'),
    }),
    route({
      method: 'GET',
      path: '/reconciliation/statement.xml',
      access: 'ledger:read',
      tag: 'Reconciliation',
      summary: 'Export a bank account of the ledger as camt.053',
      description: `The same lines as a camt.053.001.08, as a bank would state them. ${exportReaders}`,
      query: wire.StatementQuery,
      answer: { status: 200, description: 'The statement', schema: wire.StatementXml, mediaType: 'application/xml' },
      refusals: ['NOT_FOUND'],
      handle: ({ caller, query: { account, date } }) => statements.export(caller, account, date, 'CAMT053'),
    }),
  ]
}
