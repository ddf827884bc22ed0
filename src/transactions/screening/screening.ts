import type { PaymentMethod } from '../../catalog/payment-methods.ts'

/** Whom the money goes to or comes from, as far as we know. */
export type Counterparty = {
  organizationId: string
  customerId: string
  method: PaymentMethod
  /** The registered account that it goes to; of a sender nothing is registered. */
  paymentAccountId?: string
  name?: string
  /** What the owner of the account says to be; of a sender nobody knows. */
  kind?: 'INDIVIDUAL' | 'BUSINESS'
  address?: string
}

/** Says whether a party must not get or send money now. It is asked again, and never says why. */
export type Screening<Connection> = {
  isBlocked(database: Connection, organizationId: string, customerId: string): Promise<boolean>
  /** Those of them who are blocked. */
  findBlocked(
    database: Connection,
    organizationId: string,
    customerIds: readonly string[],
  ): Promise<ReadonlySet<string>>
  /** Not inside a transaction: what is found may be told to a person, in one of its own. */
  isCounterpartyBlocked(counterparty: Counterparty): Promise<boolean>
}
