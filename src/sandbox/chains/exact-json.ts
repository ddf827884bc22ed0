const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** A number of JSON with exactly these digits. */
export function rawNumber(digits: string): unknown {
  return rawJSON(digits)
}

/** Writes JSON in which big whole numbers have all their digits. */
export function toExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? rawNumber(String(each)) : each))
}
