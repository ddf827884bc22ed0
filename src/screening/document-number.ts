import { latinize } from './names/spelling/look-alikes.ts'

/**
 * Normalizes a document number for comparison: capitals, letters and digits only. Digits of every script become 0 to 9,
 * and letters that look like Latin ones become those: А123 in Cyrillic is the passport A123.
 */
export function normalizeDocumentNumber(number: string): string {
  return latinize(number.normalize('NFKC').toUpperCase())
    .replaceAll(/(?!\d)\p{Nd}/gu, plainDigit)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The digits of a script follow each other, from zero. */
function plainDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let zero = point
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String((point - zero) % 10)
}
