import type { BirthRange } from '../screening.ts'

// "circa 1961" is an estimate.
const estimateYears = 2

export function oneDay(day: string): BirthRange {
  return { from: day, to: day }
}

/** The days of whole years; undefined when these are no years. */
export function yearsFrom(first: string, last: string): BirthRange | undefined {
  if (!/^\d{4}$/.test(first) || !/^\d{4}$/.test(last)) return undefined
  return { from: `${first}-01-01`, to: `${last}-12-31` }
}

/** Widens an estimate by two years at both ends. */
export function widen({ from, to }: BirthRange): BirthRange {
  const year = (text: string, by: number) => String(Number(text.slice(0, 4)) + by)
  return { from: `${year(from, -estimateYears)}-01-01`, to: `${year(to, estimateYears)}-12-31` }
}
