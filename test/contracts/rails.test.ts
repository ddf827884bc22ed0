import { readClock } from '../../src/db/business-clock.ts'
import { createSandboxRails } from '../../src/sandbox/rails.ts'
import type { PayoutOrder } from '../../src/transactions/payouts/rail.ts'
import { advance } from '../support/money/transactions.ts'
import { type RailWorld, testRail } from '../support/rails/rail-contract.ts'
import { startApi } from '../support/runner/api.ts'

/** The sandbox's bank and chains keep the promises of the port. */
const api = await startApi()
const { database } = api.app
const rails = createSandboxRails({ memory: database, delaySeconds: 0, sourceAmountsOf: async () => new Map() })

const originator = { customerId: '00000000-0000-7000-8000-000000000001', name: 'Ada' }
const common = { purpose: 'PAYOUT', attempt: 1, amount: 1_000n, originator, memo: 'a test' } as const
const orders: Record<string, ReturnType<RailWorld['makeOrder']>> = {
  'sandbox bank': {
    ...common,
    method: 'ACH',
    asset: 'USD',
    from: { type: 'BANK_ACCOUNT', bankAccountId: 'usd-main' },
    destination: { type: 'BANK', details: { coordinates: { accountNumber: '123456789' } } as Details },
  },
  'sandbox chains': {
    ...common,
    method: 'BASE',
    asset: 'USDC/BASE',
    from: { type: 'TREASURY' },
    destination: { type: 'ADDRESS', address: '0x000000000000000000000000000000000000dEaD' },
  },
}
type Details = Extract<PayoutOrder['destination'], { type: 'BANK' }>['details']

for (const rail of rails) {
  testRail(rail.name, () => ({
    rail,
    makeOrder: () => {
      const order = orders[rail.name]
      if (!order) throw new Error(`${rail.name} has no order`)
      return order
    },
    now: async () => (await readClock(database)).now,
    pass: (seconds) => advance(api, `PT${seconds}S`),
    countPayments: async (reference) => {
      const text = 'select from svc.sandbox_transfers where reference = $1 and has_arrived'
      return (await database.query({ text, values: [reference] })).length
    },
  }))
}
