import { type Route, route } from '../../http/route.ts'
import type { BankFileService } from './service.ts'
import * as wire from './wire.ts'

export function bankFileRoutes(files: BankFileService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/bank-files',
      access: 'ledger:read',
      tag: 'Bank files',
      summary: 'List bank files',
      description:
        'Newest first: the payment files that leave, and the status, statement and return files of banks, with the ' +
        'reason of those in quarantine. A bank serves every organization: in production only keys of the platform’s ' +
        'organization see files.',
      query: wire.BankFileQuery,
      answer: { status: 200, description: 'A page of bank files', schema: wire.BankFilePage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await files.list(caller, filter, page)
        return { bankFiles: items.map(wire.presentFile), nextPageToken }
      },
    }),
  ]
}
