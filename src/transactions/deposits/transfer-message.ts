/** Letters and digits that are not mistaken for each other, on paper or on the phone. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const length = 12

/**
 * Creates the message of a bank transfer: `SVC`, 12 random characters (59 bits) and a check character, so that a typing
 * error never yields another customer's message. It fits the 10 to 18 characters that rails keep.
 */
export function createTransferMessage(random: Uint8Array): string {
  if (random.length < length) throw new RangeError(`at least ${length} random bytes are needed`)
  const characters = [...random.subarray(0, length)].map((byte) => alphabet[byte % alphabet.length]).join('')
  return `SVC${characters}${checkCharacterOf(characters)}`
}

/** Finds the first message in a text from a bank; undefined when there is none. */
export function findTransferMessage(text: string): string | undefined {
  return findTransferMessages(text)[0]
}

/** Finds the messages in a text from a bank, in any case and spacing. */
export function findTransferMessages(text: string): string[] {
  const plain = text.toUpperCase().replace(/[^0-9A-Z]/g, '')
  const matches = plain.matchAll(/(?=(SVC([2-9A-HJKMNP-Z]{12})([2-9A-HJKMNP-Z])))/g)
  return [...matches].flatMap(([, whole = '', characters = '', check]) =>
    checkCharacterOf(characters) === check ? [whole] : [],
  )
}

/**
 * Computes the check character: the weighted sum of all characters is a multiple of 31. Because 31 is prime and the
 * weights differ, any single wrong character and any swap of two is detected.
 */
function checkCharacterOf(characters: string): string {
  const sum = [...characters].reduce(
    (total, character, place) => total + alphabet.indexOf(character) * (length + 1 - place),
    0,
  )
  return alphabet[(alphabet.length - (sum % alphabet.length)) % alphabet.length] ?? ''
}
