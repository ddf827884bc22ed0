/** Builds an IBAN. ISO 13616: with the check digits, and letters counted from A = 10, the number is 1 modulo 97. */
export function createIban(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('')
  const check = 98n - (BigInt(digits) % 97n)
  return `${country}${check.toString().padStart(2, '0')}${account}`
}
