import type { FileHeader, OutgoingPayment, OwnAccount } from '../../transactions/bank-files/formats.ts'
import type { IsoService } from './iso20022/services.ts'

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

export const euroAccount: OwnAccount = {
  bankAccountId: 'eur-main',
  currency: 'EUR',
  holderName: 'Svc Zahlungen GmbH',
  coordinates: { iban: 'DE75512108001245126199', bicSwift: 'SOGEDEFF' },
  dialect: { iso20022: { batchBooking: true } },
}

const isoFile = { createdAt: new Date('2026-11-16T15:04:05.678Z'), executionDate: '2026-11-17' }
const payment = { originator: { name: 'Ada Lovelace' }, memo: 'Rechnung 7 & Dank' }

/** A file and a payment of each service that uses ISO 20022. */
export const isoExamples: Readonly<Record<IsoService, { file: FileHeader; payment: OutgoingPayment }>> = {
  SEPA: {
    file: { ...isoFile, fileId: 'SVC-SEPA-1', rail: 'SEPA', service: 'SEPA', account: euroAccount },
    payment: {
      ...payment,
      reference: 'ABCDEFGH1234567',
      amount: 123_456n,
      receiver: {
        name: 'François Łuczak',
        isBusiness: false,
        address: { streetLine1: 'Rue de la Paix 1', city: 'Orléans', postalCode: '45000', countryCode: 'FR' },
        coordinates: { iban: 'FR1420041010050500013M02606', bicSwift: 'PSSTFRPPPAR' },
        bankAccountType: 'CHECKING',
      },
    },
  },
  WIRE: {
    file: { ...isoFile, fileId: 'SVC-WIRE-1', rail: 'WIRE', service: 'WIRE', account: dollarAccount },
    payment: {
      ...payment,
      reference: 'ABCDEFGH1234568',
      amount: 9_999_999_999_99n,
      receiver: {
        name: 'Acme Inc.',
        isBusiness: true,
        coordinates: { routingNumber: '122105155', accountNumber: '123456789', bicSwift: 'USBKUS44' },
        bankAccountType: 'CHECKING',
        bankName: 'U.S. Bank',
      },
    },
  },
  INTERAC: {
    file: {
      ...isoFile,
      fileId: 'SVC-INTERAC-1',
      rail: 'CA_INTERAC',
      service: 'INTERAC',
      account: {
        bankAccountId: 'cad-main',
        currency: 'CAD',
        holderName: 'Svc Canada Ltd.',
        coordinates: { institutionNumber: '003', transitNumber: '12345', accountNumber: '9000003' },
        dialect: { iso20022: { batchBooking: false } },
      },
    },
    payment: {
      ...payment,
      reference: 'ABCDEFGH1234569',
      amount: 25_000_00n,
      receiver: {
        name: 'Émile Tremblay',
        isBusiness: false,
        coordinates: { interacEmail: 'emile_tremblay+svc@a-rather-long-domain.example.ca' },
        bankAccountType: 'CHECKING',
      },
    },
  },
  NEFT: indianExample('NEFT', 100_00n),
  RTGS: indianExample('RTGS', 200_000_00n),
  IMPS: indianExample('IMPS', 99_99n),
}

function indianExample(
  service: 'NEFT' | 'RTGS' | 'IMPS',
  amount: bigint,
): { file: FileHeader; payment: OutgoingPayment } {
  const account: OwnAccount = {
    bankAccountId: 'inr-main',
    currency: 'INR',
    holderName: 'Svc India Pvt Ltd',
    coordinates: { ifscCode: 'HDFC0000001', accountNumber: '900000000004' },
    dialect: { iso20022: { batchBooking: false } },
  }
  return {
    file: { ...isoFile, fileId: `SVC-${service}-1`, rail: 'IN_NEFT_RTGS_IMPS', service, account },
    payment: {
      ...payment,
      reference: 'ABCDEFGH123456A',
      amount,
      receiver: {
        name: 'Asha Rao',
        isBusiness: false,
        coordinates: { ifscCode: 'SBIN0001234', accountNumber: '12345678901' },
        bankAccountType: 'SAVINGS',
      },
    },
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
