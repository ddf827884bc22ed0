import type { FileHeader, OutgoingPayment, OwnAccount } from './files.ts'

/** Accounts, files and payments for the examples of the formats' tests. */

export const dollarAccount: OwnAccount = {
  bankAccountId: 'usd-main',
  currency: 'USD',
  holderName: 'Svc Payments Inc.',
  holderAddress: { streetLine1: '1 Main Street', city: 'Springfield', stateRegionProvince: 'IL', countryCode: 'US' },
  coordinates: { routingNumber: '021000021', accountNumber: '900000000001' },
  dialect: {
    nacha: {
      immediateDestination: '021000021',
      immediateOrigin: '1234567890',
      destinationName: 'Sandbox Bank',
      originName: 'Svc Payments Inc.',
      companyId: '1234567890',
      companyName: 'Svc Payments Inc.',
      odfi: '02100002',
    },
    iso20022: { initiatingPartyId: 'SVC01', batchBooking: false },
  },
}

export const achFile: FileHeader = {
  fileId: 'SVC-ACH-20261116-A',
  rail: 'ACH',
  service: 'ACH',
  account: dollarAccount,
  createdAt: new Date('2026-11-16T15:04:05Z'),
  executionDate: '2026-11-17',
  fileIdModifier: 'A',
}

export function achPayment(reference: string, amount: bigint, changes: Partial<OutgoingPayment['receiver']> = {}) {
  return {
    reference,
    amount,
    receiver: {
      name: 'José Núñez',
      isBusiness: false,
      coordinates: { routingNumber: '122105155', accountNumber: '123456789' },
      bankAccountType: 'CHECKING',
      ...changes,
    },
    originator: { name: 'Ada Lovelace' },
    memo: reference,
  } satisfies OutgoingPayment
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
