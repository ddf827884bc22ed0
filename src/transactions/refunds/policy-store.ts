import type { Queryable, Tx } from '../../db/database.ts'
import type { Payout } from '../payouts/payout.ts'

/** Money that leaves outside of a transaction, and the key that ordered it. */
export type OrderedPayout = {
  organizationId: string
  payoutId: string
  apiKeyId: string
  customerId: string
  paymentAccountId: string
  method: string
  /** Null while there is no price: then rules about amounts refuse it. */
  usdCents: bigint | null
}

/**
 * Records an ordered payout, and counts it towards the limits of its policy. Answers the rule that refuses it, or that
 * demands an approval, which such a payout cannot wait for. Must come before the rows of the ledger are locked.
 */
export async function orderPayout(tx: Tx, payout: OrderedPayout): Promise<string | undefined> {
  const [ordered] = await tx.query<{ rule: string | null }>({
    name: 'order payout',
    text: 'select svc.order_payout($1, $2, $3, $4, $5, $6, $7) as rule',
    values: [
      payout.organizationId,
      payout.payoutId,
      payout.apiKeyId,
      payout.customerId,
      payout.paymentAccountId,
      payout.method,
      payout.usdCents,
    ],
  })
  return ordered?.rule ?? undefined
}

/** Gives what ordered payouts took from the counters of policies back, when they end without leaving. */
export async function uncountPayouts(
  tx: Tx,
  payouts: readonly Pick<Payout, 'organizationId' | 'payoutId'>[],
): Promise<void> {
  for (const { organizationId, payoutId } of payouts) {
    await tx.query({
      name: 'uncount payout',
      text: 'select svc.uncount_payout($1, $2)',
      values: [organizationId, payoutId],
    })
  }
}

/** The money of a transaction, or of one deposit. */
export type ReceivedMoney = { organizationId: string; transactionId: string | null; depositId: string | null }

/** Tells whether received money goes back to the account that it came from. */
export async function isToPayer(
  tx: Tx,
  { organizationId, transactionId, depositId }: ReceivedMoney,
  paymentAccountId: string,
): Promise<boolean> {
  const [found] = await tx.query<{ isToPayer: boolean }>({
    name: 'is money back to its payer',
    text: 'select svc.is_to_payer($1, $2, $3, $4) as "isToPayer"',
    values: [organizationId, transactionId, depositId, paymentAccountId],
  })
  return found?.isToPayer ?? false
}

/** Tells whether a policy binds the organization. */
export async function hasPolicy(database: Queryable, organizationId: string): Promise<boolean> {
  const [found] = await database.query<{ hasRules: boolean }>({
    name: 'has organization a policy',
    text: 'select svc.has_rules(array[$1::uuid], null) as "hasRules"',
    values: [organizationId],
  })
  return found?.hasRules ?? false
}
