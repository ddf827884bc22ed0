import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import { type DepositToQuote, quoteDeposit } from '../../quotes/deposit-quote.ts'
import type { QuoteDeps } from '../../quotes/price.ts'
import { createOrUndo } from '../store.ts'
import type { Sighting } from './sightings/sighting.ts'
import { findAutoAccount } from './sightings/store.ts'
import { createTransferMessage } from './transfer-message.ts'

/** Creates the transaction of a deposit to an auto fiat account, in the deposit's database transaction. */
export type AutoTransaction = (
  tx: Tx,
  deposit: Pick<Sighting, 'method' | 'book' | 'externalId' | 'asset' | 'amount'> & {
    organizationId: string
    customerId: string
    paymentAccountId: string
  },
) => Promise<string | undefined>

/** Answers undefined when no transaction is possible; the deposit then waits for an operator. */
export function createAutoTransactionService(deps: QuoteDeps): AutoTransaction {
  return async (tx, deposit) => {
    const { organizationId, customerId, paymentAccountId, method, asset } = deposit
    const account = await findAutoAccount(tx, organizationId, paymentAccountId)
    if (account?.status !== 'ACTIVE' || account.currency !== asset) return undefined
    const deposited: DepositToQuote = {
      organizationId,
      customerId,
      source: { paymentAccountId, asset, method, amount: BigInt(deposit.amount) },
      destination: account.destination,
    }
    const quoteId = await quoteDeposit(deps, tx, deposited)
    if (!quoteId) return undefined
    const transactionId = newId()
    const key = `${method} ${deposit.book} ${deposit.externalId}`
    // The deposit identifies the request, so a second sighting of it creates no second transaction.
    const request = { organizationId, route: 'auto fiat account', key, fingerprint: Buffer.from(key) }
    const wantedTransaction = {
      request,
      organizationIds: [organizationId],
      apiKeyId: account.apiKeyId,
      quoteId,
      transactionId,
      correlationId: undefined,
      eventId: newId(),
      reserveId: newId(),
      approvalId: newId(),
      transferMessage: createTransferMessage(randomBytes(12)),
    }
    const created = await createOrUndo(tx, wantedTransaction)
    return created?.outcome === 'CREATED' ? transactionId : undefined
  }
}
