import { assetOf } from '../catalog/currencies.ts'
import type { Check } from '../db/verify.ts'
import { openStored, type PaymentAccountDeps } from './access.ts'
import { hashBankAccount, hashWallet } from './account-hash.ts'
import { type OpenAccount, openBankDetails } from './sealed-account.ts'
import { readActiveAccounts } from './store.ts'

const accountsPerSlice = 500
const mostViolations = 20

/** Computes the hash of an account's coordinates anew; null for an account of ours, which has none. */
function computeHash(hashKey: Buffer, opened: OpenAccount): Buffer | null {
  const { paymentAccountType, currency, paymentMethod, address } = opened.account
  if (paymentAccountType === 'EXTERNAL_BANK_ACCOUNT') {
    const details = openBankDetails(opened)
    return details ? hashBankAccount(hashKey, details) : null
  }
  if (paymentAccountType !== 'EXTERNAL_CRYPTO_WALLET') return null
  const asset = currency && paymentMethod ? assetOf(currency, paymentMethod) : undefined
  return hashWallet(hashKey, { asset: asset ?? '', address: address ?? '' })
}

export function isHashRight(hashKey: Buffer, opened: OpenAccount): boolean {
  const computed = computeHash(hashKey, opened)
  const { accountHash } = opened.account
  return computed === null || accountHash === null ? computed === accountHash : computed.equals(accountHash)
}

/** Checks every ACTIVE account in slices, because a deployment may have millions. */
export function createAccountChecks(deps: PaymentAccountDeps): readonly Check[] {
  const { vault, hashKey, seals } = deps
  const findProblem = async (opened: OpenAccount): Promise<string | undefined> => {
    if (!isHashRight(hashKey, opened)) return 'has a hash of other coordinates'
    const { account } = opened
    if (account.seal !== null && !(await seals.isAccountSealed(account))) return 'was altered after it was sealed'
    return undefined
  }
  return [
    {
      name: 'every payment account has the hash of its coordinates, and is unaltered since it was sealed',
      find: async (database) => {
        const violations: string[] = []
        for (let after: string | undefined, isLast = false; !isLast && violations.length < mostViolations; ) {
          const slice = await readActiveAccounts(database, { after, limit: accountsPerSlice })
          for (const account of slice) {
            const { organizationId, paymentAccountId } = account
            const problem = await openStored(vault, account).then(findProblem, () => 'cannot be opened')
            if (problem)
              violations.push(`payment account ${paymentAccountId} of organization ${organizationId} ${problem}`)
          }
          isLast = slice.length < accountsPerSlice
          after = slice.at(-1)?.paymentAccountId
        }
        return violations
      },
    },
  ]
}
