import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { ScreeningMatch } from '../../screening/screening.ts'

/** A receiver or sender of money, as far as known. */
export type Counterparty = {
  organizationId: string
  customerId: string
  method: PaymentMethod
  /** The registered account of a receiver; absent for a sender. */
  paymentAccountId?: string
  name?: string
  address?: string
}

/** A sender of money: its address on a chain, or its name at a bank. */
export type Sender = Pick<Counterparty, 'method' | 'name' | 'address'>

/** A watch-list entry that a sender matches, for reviewers. It holds no data of the sender. */
export type SenderMatch = { matchedBy: 'NAME' | 'ADDRESS'; watchList: Partial<Omit<ScreeningMatch, 'field'>> }

/**
 * A screener of customers and counterparties. An answer never includes the reason, and may change, so callers re-check.
 */
export type Screener<Connection> = {
  isBlocked(database: Connection, organizationId: string, customerId: string): Promise<boolean>
  /** Finds the blocked ones among these customers. */
  findBlocked(
    database: Connection,
    organizationId: string,
    customerIds: readonly string[],
  ): Promise<ReadonlySet<string>>
  /** The version of the watch list in force; undefined when none is imported. */
  listVersion(): Promise<number | undefined>
  /** Tells why nothing may be paid without a person: no current watch list; undefined when screening is as required. */
  findGap(): Promise<string | undefined>
  /** Finds the entries that name the sender of money, or list its address on any network that shares it. */
  screenSender(sender: Sender): Promise<SenderMatch[]>
  /** Must run outside a database transaction: a match may open a review in its own. */
  isCounterpartyBlocked(counterparty: Counterparty): Promise<boolean>
}
