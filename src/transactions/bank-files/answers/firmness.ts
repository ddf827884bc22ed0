/**
 * How much an answer says. RECEIPT: the bank has the file and could read it, which a rejection may follow. WAITING: the
 * bank has not decided. FIRM: any other word.
 */
export type Firmness = 'RECEIPT' | 'WAITING' | 'FIRM'

/** The firmness of a status code of ISO 20022. */
export function firmnessOf(statusCode: string): Firmness {
  if (statusCode === 'RCVD' || statusCode === 'ACTC') return 'RECEIPT'
  return statusCode === 'PDNG' ? 'WAITING' : 'FIRM'
}

/**
 * The time at which a bank made a message, in one notation that sorts: UTC with a Z, or the bank's local time without one. Null
 * for a text that is no time.
 */
export function bankTimeOf(text: string): string | null {
  const [, local, offset] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  const time = local === undefined ? Number.NaN : Date.parse(`${local}${offset ?? 'Z'}`)
  if (Number.isNaN(time)) return null
  const utc = new Date(time).toISOString()
  return offset === undefined ? utc.slice(0, -1) : utc
}
