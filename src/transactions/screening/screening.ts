import type { PaymentMethod } from '../../catalog/payment-methods.ts'

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
  /** True when the address is on the list, on any network that shares it. */
  isAddressListed(network: PaymentMethod, address: string): Promise<boolean>
  /** Must run outside a database transaction: a match may open a review in its own. */
  isCounterpartyBlocked(counterparty: Counterparty): Promise<boolean>
}
