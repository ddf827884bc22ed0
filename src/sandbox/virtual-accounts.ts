import type { VirtualAccount, VirtualAccounts } from '../payment-accounts/ports.ts'

const bankName = 'Svc Sandbox Bank'
/** No Federal Reserve district uses these first digits. The check digit is valid. */
const routingNumber = '010000003'

/** A bank that exists only in the sandbox. Its coordinates are well formed, and each number is assigned once. */
export const sandboxVirtualAccounts: VirtualAccounts = {
  open: async ({ currency, number }): Promise<VirtualAccount> => ({
    bankName,
    coordinates: coordinatesOf(currency, number),
  }),
}

function coordinatesOf(currency: string, number: bigint) {
  const padded = number.toString().padStart(8, '0')
  switch (currency) {
    case 'USD':
      return { routingNumber, accountNumber: `88${padded}` }
    case 'EUR':
      return { iban: createIban('IE', `SVCS990000${padded}`), bicSwift: 'SVCSIE2DXXX' }
    case 'CAD':
      return { institutionNumber: '999', transitNumber: '00001', accountNumber: `88${padded}` }
    case 'INR':
      return { ifscCode: 'SVCS0000001', accountNumber: `88${padded}` }
    default:
      throw new Error(`the sandbox bank has no accounts in ${currency}`)
  }
}

/** ISO 13616: with the check digits, and letters counted from A = 10, the number is 1 modulo 97. */
function createIban(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('')
  const check = 98n - (BigInt(digits) % 97n)
  return `${country}${check.toString().padStart(2, '0')}${account}`
}
