import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import { type DepositToQuote, quoteDeposit } from '../../quotes/deposit-quote.ts'
import type { QuoteOptions } from '../../quotes/price.ts'
import { createTransactions } from '../store.ts'
import type { Sighting } from './deposit.ts'
import { findAutoAccount } from './sighting-store.ts'
import { makeTransferMessage } from './transfer-message.ts'

/** Makes the transaction of money that came to an auto fiat account, in the transaction of its deposit. */
export type AutoTransaction = (
  transaction: Queryable,
  deposit: Pick<Sighting, 'method' | 'book' | 'externalId' | 'asset' | 'amount'> & {
    organizationId: string
    customerId: string
    paymentAccountId: string
  },
) => Promise<string | undefined>

/** Undefined when no such transaction is possible: the money waits for a person. */
export function makeAutoTransactions(options: QuoteOptions): AutoTransaction {
  return async (transaction, deposit) => {
    const { organizationId, customerId, paymentAccountId, method, asset } = deposit
    const account = await findAutoAccount(transaction, organizationId, paymentAccountId)
    if (account?.status !== 'ACTIVE' || account.currency !== asset) return undefined
    const wanted: DepositToQuote = {
      ...{ organizationId, customerId },
      source: { paymentAccountId, asset, method, amount: BigInt(deposit.amount) },
      destination: account.destination,
    }
    const quoteId = await quoteDeposit(options, transaction, wanted)
    if (!quoteId) return undefined
    const transactionId = newId()
    const key = `${method} ${deposit.book} ${deposit.externalId}`
    // The same deposit is the same request, whoever sees it again.
    const request = { organizationId, route: 'auto fiat account', key, fingerprint: Buffer.from(key) }
    const wantedTransaction = {
      ...{ request, organizationIds: [organizationId], quoteId, transactionId, correlationId: undefined },
      ...{ eventId: newId(), reserveId: newId(), transferMessage: makeTransferMessage(randomBytes(12)) },
    }
    const [made] = await createTransactions(transaction, [wantedTransaction])
    return made?.outcome === 'CREATED' ? transactionId : undefined
  }
}
