import type { BankCoordinates } from '../payment-account.ts'

const hidden = '****'

/** Masks the account so that only its owner recognizes it. The mask also hides the length of the number. */
export function maskCoordinates({ accountNumber, iban, interacEmail }: BankCoordinates): string {
  if (interacEmail !== undefined) return maskEmail(interacEmail)
  return maskAccountNumber(iban ?? accountNumber ?? '')
}

/** Hides at least half of a number: three of four digits. */
export function maskAccountNumber(number: string): string {
  const shown = Math.min(4, Math.floor((number.length - 1) / 2))
  return hidden + number.slice(number.length - shown)
}

function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}${hidden}${email.slice(at)}`
}
