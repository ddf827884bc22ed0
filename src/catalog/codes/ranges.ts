/** Amounts in dollars, as the contract writes them and as people do: 10K, 1M, 250000. */
const amount = '(?:USD_?)?\\d+(?:[KMB]|_?(?:THOUSAND|MILLION|BILLION))?(?:_?USD)?'

const shapes = [
  `(?:BETWEEN_|FROM_)?${amount}_(?:TO_|AND_|UNTIL_)?${amount}`,
  `(?:LESS|LOWER|FEWER|MORE|GREATER|HIGHER)_THAN_${amount}`,
  `(?:UNDER|BELOW|UP_TO|OVER|ABOVE|AT_LEAST|AT_MOST|FROM|LT|LTE|GT|GTE|MAX|MIN)_${amount}`,
  `${amount}_(?:PLUS|OR_MORE|OR_LESS|AND_ABOVE|AND_MORE|AND_BELOW|UP)`,
]
const range = new RegExp(`^(?:${shapes.join('|')})$`)

/** True for a range of amounts. The rule accepts any bounds, because no check depends on them. */
export function isRangeCode(code: string): boolean {
  return range.test(code.toUpperCase())
}
