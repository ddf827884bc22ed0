/** A number as it is compared: capitals, and nothing but letters and digits. */
export function plainNumber(number: string): string {
  return number
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}
