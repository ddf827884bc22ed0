import type { FiatRail } from '../../catalog/currencies.ts'
import type { Queryable } from '../../db/database.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'
import type { QuoteDeps } from '../../quotes/price.ts'
import type { ReceivingAccount } from '../../quotes/transfer-instructions.ts'
import type { BankAccount } from './bank-account.ts'
import { listBankAccounts } from './bank-account-store.ts'

/** The field of transfer instructions for each coordinate of an account of ours. */
const fields: Readonly<Record<keyof BankCoordinates, keyof ReceivingAccount | undefined>> = {
  routingNumber: 'transferRoutingNumber',
  accountNumber: 'transferBankAccountNumber',
  iban: 'transferIban',
  bicSwift: 'transferBicSwift',
  ifscCode: 'transferIfscCode',
  institutionNumber: 'transferBankCode',
  transitNumber: 'transferTransitNumber',
  interacEmail: undefined,
}

/**
 * Creates the search for the connected account that receives transfers of a rail. A rail keeps its account, and the
 * coordinates of a connected account never change, so each account is read once.
 */
export function createReceivingAccounts(): QuoteDeps['findReceivingAccount'] {
  const found = new Map<FiatRail, ReceivingAccount>()
  return async (queryable: Queryable, rail: FiatRail) => {
    const known = found.get(rail)
    if (known) return known
    const account = (await listBankAccounts(queryable)).find(({ rails }) => rails.includes(rail))
    const receiving = account && toReceivingAccount(account)
    if (receiving) found.set(rail, receiving)
    return receiving
  }
}

/** Names an account of ours in the fields of transfer instructions; undefined when no transfer can be told to reach it. */
function toReceivingAccount({ bankName, files }: BankAccount): ReceivingAccount | undefined {
  if (!files) return undefined
  const coordinates: ReceivingAccount = {}
  for (const [name, value] of Object.entries(files.coordinates)) {
    const field = fields[name as keyof BankCoordinates]
    if (field) coordinates[field] = value
  }
  if (Object.keys(coordinates).length === 0) return undefined
  return { transferBankBeneficiaryName: files.holderName, transferBankName: bankName, ...coordinates }
}
