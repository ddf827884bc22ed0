/** Letters and digits that nobody mistakes for each other, on paper or on the phone. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const length = 12

/**
 * What a customer writes as the message of a bank transfer: `SVC` and 12 signs with 59 bits of chance, then a check
 * sign, so that a slip of the pen is no other customer's message. Short enough for the 10 to 18 signs that rails keep.
 */
export function createTransferMessage(random: Uint8Array): string {
  if (random.length < length) throw new RangeError(`${length} random bytes are needed`)
  const signs = [...random.subarray(0, length)].map((byte) => alphabet[byte % alphabet.length]).join('')
  return `SVC${signs}${checkSign(signs)}`
}

/** The message inside a text that a bank passed on, however it was spaced or cased; undefined when there is none. */
export function findTransferMessage(text: string): string | undefined {
  const plain = text.toUpperCase().replace(/[^0-9A-Z]/g, '')
  for (const match of plain.matchAll(/(?=(SVC([2-9A-HJKMNP-Z]{12})([2-9A-HJKMNP-Z])))/g)) {
    const [, whole, signs = '', check] = match
    if (checkSign(signs) === check) return whole
  }
  return undefined
}

/**
 * The values of all signs, each times its own weight, sum to a multiple of 31. That is a prime and no two weights are
 * alike, so any one wrong sign shows, and any two that changed places.
 */
function checkSign(signs: string): string {
  const sum = [...signs].reduce((total, sign, place) => total + alphabet.indexOf(sign) * (length + 1 - place), 0)
  return alphabet[(alphabet.length - (sum % alphabet.length)) % alphabet.length] ?? ''
}
