import { setTimeout as pause } from 'node:timers/promises'

/** The same payment for each client: 100 USD by ACH from one account of a customer, by wire to another. */

export const customer = {
  customerType: 'INDIVIDUAL' as const,
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Example',
}

export const resident = {
  legalFirstName: 'Ada',
  legalLastName: 'Example',
  address: {
    countryCode: 'US',
    streetLine1: '548 Market Street',
    city: 'San Francisco',
    stateRegionProvince: 'CA',
    postalCode: '94104',
  },
}

export const bankAccount = {
  bankAccountType: 'CHECKING' as const,
  routingNumber: '021000021',
  accountNumber: '000123456789',
  bankName: 'First Example Bank',
  bankAddress: '1 Example Street, New York',
  bankAccountOwner: { type: 'INDIVIDUAL' as const, firstName: 'Ada', lastName: 'Example', address: resident.address },
}

export function payment(customerId: string, from: string, to: string) {
  return {
    customerId,
    source: {
      sourcePaymentAccountId: from,
      sourceCurrency: 'USD',
      sourcePaymentMethod: 'ACH' as const,
      sourceAmount: '100.00',
    },
    destination: {
      destinationPaymentAccountId: to,
      destinationCurrency: 'USD',
      destinationPaymentMethod: 'WIRE' as const,
    },
    developerFee: { developerFeeType: 'USD' as const, developerFeeAmount: '1.00' },
  }
}

/** The same amount into a wallet of the service, where it arrives as a token. */
export function paymentToWallet(customerId: string, from: string, wallet: string) {
  return {
    ...payment(customerId, from, wallet),
    destination: {
      destinationPaymentAccountId: wallet,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE' as const,
    },
  }
}

/** Reads the status until the payment is complete, at a pace that the rate limit allows. */
export async function untilCompleted(readStatus: () => Promise<string | undefined>): Promise<void> {
  for (let reads = 0; reads < 200; reads += 1) {
    const status = await readStatus()
    if (status === 'COMPLETED') return
    if (status === 'FAILED' || status === 'CANCELLED' || status === 'EXPIRED')
      throw new Error(`the payment is ${status}`)
    await pause(150)
  }
  throw new Error('the payment did not complete')
}
