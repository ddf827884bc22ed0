import { depositToWallet } from '../../src/ledger/postings.ts'
import { makeCustomer } from './customers.ts'
import { runLoad } from './load.ts'
import { startWholeService, type WholeService } from './whole-service.ts'

export type SettlingWorld = Awaited<ReturnType<typeof openSettlingWorld>>
export type Kind = 'bank to wallet' | 'wallet to bank'

/** At most so many requests at once while payments are prepared. */
const together = 16

/**
 * Starts Svc with customers. Bank and chains are the sandbox's counterparties in memory, which settle at once: nothing
 * but Svc takes time. No worker runs yet.
 */
export async function openSettlingWorld(customerCount: number) {
  const service = await startWholeService({
    SVC_SANDBOX_BANK: 'memory',
    SVC_SANDBOX_CHAINS: 'memory',
    SVC_SANDBOX_PAYOUT_DELAY: '0',
  })
  const { app, calls, stop } = service
  const customers: Customer[] = []
  for (let made = 0; made < customerCount; made += 1) customers.push(await makeCustomer(calls))
  const credits = customers.map(({ organizationId, wallet: paymentAccountId }) => ({
    organizationId,
    reference: `bench:${paymentAccountId}`,
    ...depositToWallet({ paymentAccountId, asset: 'USDC/BASE', amount: 10n ** 15n }),
  }))
  await app.database.inTx((tx) => app.ledger.post(tx, credits))
  return {
    app,
    prepare: async (kind: Kind, count: number): Promise<void> => {
      await app.rates.refresh()
      await app.rates.load()
      for (let made = 0; made < count; made += together) {
        const some = Array.from({ length: Math.min(together, count - made) }, (_, at) => made + at)
        await Promise.all(some.map((at) => prepareOne(service, customers[at % customers.length] as Customer, kind)))
      }
    },
    /** Lets the API create so many payments from wallets to banks, from another process; answers how many a second. */
    createUnderLoad: async (count: number): Promise<number> => {
      await app.rates.refresh()
      await app.rates.load()
      const bodies: string[] = []
      while (bodies.length < count) {
        const some = Array.from({ length: Math.min(together, count - bodies.length) }, (_, at) => bodies.length + at)
        const quote = (at: number) =>
          calls.send('POST', '/quotes', quoteOf(customers[at % customers.length] as Customer, 'wallet to bank'))
        for (const { quoteId } of await Promise.all(some.map(quote))) bodies.push(JSON.stringify({ quoteId }))
      }
      const load = { url: `${service.baseUrl}/transactions`, headers: calls.headers, bodies, connections: 64 }
      const { perSecond } = await runLoad({ ...load, seconds: 60, isOnce: true, expectStatus: 201, isKeyed: true })
      return perSecond
    },
    stop,
  }
}

type Customer = Awaited<ReturnType<typeof makeCustomer>>

/** Creates a payment, and the deposit that it awaits: the bank has reported it, and no worker has looked at it yet. */
async function prepareOne({ calls, pay }: WholeService, customer: Customer, kind: Kind): Promise<void> {
  const { transferInstructions } = await pay(quoteOf(customer, kind))
  if (kind !== 'bank to wallet') return
  const deposit = { amount: '20.00', currency: 'USD', rail: 'ACH', reference: transferInstructions?.transferMessage }
  await calls.send('POST', `/sandbox/payment-accounts/${customer.bank}/deposits`, deposit)
}

function quoteOf({ customerId, bank, wallet }: Customer, kind: Kind): object {
  const atBank = { account: bank, currency: 'USD', method: 'ACH' }
  const inWallet = { account: wallet, currency: 'USDC', method: 'BASE' }
  const [from, to] = kind === 'bank to wallet' ? [atBank, inWallet] : [inWallet, atBank]
  return {
    customerId,
    source: {
      sourcePaymentAccountId: from.account,
      sourceCurrency: from.currency,
      sourcePaymentMethod: from.method,
      sourceAmount: '20.00',
    },
    destination: {
      destinationPaymentAccountId: to.account,
      destinationCurrency: to.currency,
      destinationPaymentMethod: to.method,
    },
  }
}
