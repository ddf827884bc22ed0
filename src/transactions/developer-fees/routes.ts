import { type Route, route } from '../../http/route.ts'
import type { DeveloperFeeService } from './service.ts'
import { DeveloperFeesAnswer } from './wire.ts'

export function developerFeeRoutes(developerFees: DeveloperFeeService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/developer-fees',
      access: 'ledger:read',
      tag: 'Ledger',
      summary: 'Read the developer fees',
      description:
        'The fees that Svc collected for your organization and its children, by organization and currency. A fee counts ' +
        'once its transaction converts the money, or a direct transfer is confirmed; a refused payout takes it back.',
      answer: { status: 200, description: 'The balances', schema: DeveloperFeesAnswer },
      handle: ({ caller }) => developerFees.list(caller),
    }),
  ]
}
