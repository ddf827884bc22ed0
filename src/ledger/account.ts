/** An asset: `USD` for money at a bank, `USDC/BASE` for a token. One token on two networks is two assets. */
export type Asset = string

type Kind = {
  /** The normal side of its balance. Entries are signed: a credit is positive, a debit is negative. */
  side: 'credit' | 'debit'
  /** The entity that the account's holder identifies, within the organization. */
  per: 'payment account' | 'customer' | 'bank account' | 'organization'
  /** True when the account may run out: its row keeps an exact balance, which never falls below the reserved amount. */
  keepsBalance: boolean
  holds: string
}

/** Every kind of account. The database has the same list, and a test compares the two. */
// biome-ignore format: a table is read by column
export const accountKinds = {
  WALLET:           { side: 'credit', per: 'payment account', keepsBalance: true,  holds: 'the balance of a customer in a service wallet' },
  RETURNED_FUNDS:   { side: 'credit', per: 'customer',        keepsBalance: true,  holds: 'money of a customer that a bank returned, or that an operator credited' },
  DEVELOPER_FEES:   { side: 'credit', per: 'organization',    keepsBalance: false, holds: 'fees that we collected for the integrator' },
  CLEARING:         { side: 'credit', per: 'organization',    keepsBalance: false, holds: 'money of transactions on its way from source to destination' },
  SUSPENSE:         { side: 'credit', per: 'organization',    keepsBalance: false, holds: 'deposits until they are applied, credited or returned' },
  FEE_REVENUE:      { side: 'credit', per: 'organization',    keepsBalance: false, holds: 'fees that we earned' },
  FX_POSITION:      { side: 'credit', per: 'organization',    keepsBalance: false, holds: 'amounts that we took in one asset and gave in another' },
  ROUNDING:         { side: 'credit', per: 'organization',    keepsBalance: false, holds: 'remainders of amounts that were rounded down' },
  OWN_FUNDS:        { side: 'credit', per: 'organization',    keepsBalance: false, holds: 'money that the operator put in to pay out from, less what it took out' },
  BANK:             { side: 'debit',  per: 'bank account',    keepsBalance: false, holds: 'money at a bank account of ours' },
  TREASURY:         { side: 'debit',  per: 'organization',    keepsBalance: false, holds: 'tokens at our own addresses' },
  CUSTODY:          { side: 'debit',  per: 'organization',    keepsBalance: false, holds: 'tokens of customers, at the customers’ own addresses' },
  UNCOLLECTED_FEES: { side: 'debit',  per: 'payment account', keepsBalance: false, holds: 'tokens at a customer’s address that are our fees, until they are swept' },
  UNCOLLECTED_DEVELOPER_FEES: { side: 'debit', per: 'payment account', keepsBalance: false, holds: 'the same for fees of the integrator' },
  NETWORK_COSTS:    { side: 'debit',  per: 'organization',    keepsBalance: false, holds: 'fees that banks and networks charged' },
  RECEIVABLES:      { side: 'debit',  per: 'customer',        keepsBalance: false, holds: 'deposits that were reversed after the customer had the money, until the customer gives it back' },
  LOSSES:           { side: 'debit',  per: 'organization',    keepsBalance: false, holds: 'receivables that an operator wrote off' },
} as const satisfies Record<string, Kind>

export type AccountKind = keyof typeof accountKinds

/** An account of an organization, named by its kind, asset and holder. Its first posting opens it. */
export type AccountName = { kind: AccountKind; asset: Asset; holder: string }
