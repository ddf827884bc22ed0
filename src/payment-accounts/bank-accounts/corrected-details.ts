import type { AccountProfile, BankCoordinates, BankDetails } from '../payment-account.ts'
import { readCoordinates } from './bank-coordinates.ts'
import { maskCoordinates } from './mask.ts'

/** The fields of a bank account that its bank asks us to correct. */
export type BankCorrection = Pick<BankCoordinates, 'routingNumber' | 'accountNumber'> & { bankAccountType?: string }

/** Applies a correction. Answers the fields that are not valid on the rail instead. */
export function correctDetails(
  details: BankDetails,
  { bankAccountType = details.bankAccountType, ...corrected }: BankCorrection,
): { details: BankDetails } | { problems: string[] } {
  const { coordinates, problems } = readCoordinates(details.paymentMethod, { ...details.coordinates, ...corrected })
  if (problems.length > 0) return { problems: problems.map(({ field, message }) => `${field} ${message}`) }
  if (coordinates.routingNumber === details.coordinates.routingNumber) {
    return { details: { ...details, bankAccountType, coordinates } }
  }
  // Another bank: what the customer wrote about the former one no longer holds.
  const { bankName: _, bankAddress: __, ...rest } = details
  return { details: { ...rest, bankAccountType, coordinates } }
}

export function isSameAccount(one: BankDetails, other: BankDetails): boolean {
  const [first, second] = [one, other].map(({ coordinates, bankAccountType }) =>
    JSON.stringify([bankAccountType, ...Object.entries(coordinates).sort()]),
  )
  return first === second
}

/** Builds the part of the corrected account that answers show. */
export function correctProfile(
  { bankName: _, ...profile }: AccountProfile,
  { bankAccountType, bankName, coordinates }: BankDetails,
): AccountProfile {
  const mask = maskCoordinates(coordinates)
  return { ...profile, bankAccountType, mask, ...(bankName ? { bankName } : {}) }
}
