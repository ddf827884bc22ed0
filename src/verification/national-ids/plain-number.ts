/** Normalizes a number for comparison: capitals, letters and digits only. */
export function plainNumber(number: string): string {
  return number
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}
