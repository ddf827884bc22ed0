import { createIban } from '../lib/addresses/iban.ts'
import type { VirtualAccount, VirtualAccounts } from '../payment-accounts/ports.ts'

const bankName = 'Svc Sandbox Bank'
/** No Federal Reserve district uses these first digits. The check digit is valid. */
const routingNumber = '010000003'

/** A bank that exists only in the sandbox. Its coordinates are well formed, and each number is assigned once. */
export const sandboxVirtualAccounts = {
  seriesOf: async () => [{ name: 'sandbox', size: 99_999_999n }],
  open: async ({ currency, number }: { currency: string; number: bigint }): Promise<VirtualAccount> => ({
    bankName,
    coordinates: coordinatesOf(currency, number),
  }),
} satisfies VirtualAccounts

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
