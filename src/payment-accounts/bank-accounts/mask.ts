import type { BankCoordinates } from '../payment-account.ts'

const hidden = '****'

/** Enough for its owner to know which account it is. How long the number is stays hidden too. */
export function maskCoordinates({ accountNumber, iban, interacEmail }: BankCoordinates): string {
  if (interacEmail !== undefined) return maskEmail(interacEmail)
  return maskAccountNumber(iban ?? accountNumber ?? '')
}

/** At least half of a number is hidden: of four digits all but one. */
function maskAccountNumber(number: string): string {
  const shown = Math.min(4, Math.floor((number.length - 1) / 2))
  return hidden + number.slice(number.length - shown)
}

function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}${hidden}${email.slice(at)}`
}
