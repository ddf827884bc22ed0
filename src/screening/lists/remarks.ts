import type { BirthRange, ListedAddress } from '../screening.ts'
import { oneDay, widen, yearsFrom } from './birth-range.ts'

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const birth = /^(?:alt\.? )?DOB\b:?\s*(.+)$/i
const day = /^(?:(\d{1,2}) )?(?:([A-Za-z]{3})[a-z]* )?(\d{4})$/

/** Reads the birth dates in remarks: "DOB 12 Mar 1961; alt. DOB 1962; DOB circa 1958; DOB 1950 to 1955". */
export function readBirths(remarks: string): BirthRange[] {
  return remarks.split(';').flatMap((part) => {
    const text = birth.exec(part.trim())?.[1]?.trim().replace(/\.$/, '') ?? ''
    const isEstimate = /^(?:circa|approximately|approx\.?|c\.)\s+/i.test(text)
    const plain = text.replace(/^(?:circa|approximately|approx\.?|c\.)\s+/i, '')
    const [from, to = from] = plain.split(/\s+to\s+|\s*-\s*/).map(readDay)
    if (!from || !to) return []
    return isEstimate ? [widen({ from: from.from, to: to.to })] : [{ from: from.from, to: to.to }]
  })
}

function readDay(text: string): BirthRange | undefined {
  const [, date, monthName, year] = day.exec(text.trim()) ?? []
  if (!year) return undefined
  const month = monthName ? months.indexOf(monthName.toLowerCase()) + 1 : undefined
  if (month === 0 || (date && !month)) return undefined
  if (!month) return yearsFrom(year, year)
  const first = `${year}-${String(month).padStart(2, '0')}`
  return date ? oneDay(`${first}-${date.padStart(2, '0')}`) : { from: `${first}-01`, to: `${first}-31` }
}

const address = /\bDigital Currency Address - ([A-Z0-9]{2,10})\s+([A-Za-z0-9:]{20,128})(?![A-Za-z0-9])/g

/** Reads "Digital Currency Address - XBT 1Boat…; alt. Digital Currency Address - ETH 0x…". */
export function readAddresses(remarks: string): ListedAddress[] {
  return [...remarks.matchAll(address)].map(([, currency = '', text = '']) => ({ currency, address: text }))
}

const otherName = /^(?:alt\.? )?[afn]\.k\.a\.\s+(['"])(.+)\1\.?$/i

/**
 * Reads "a.k.a. 'EL EJEMPLO'; f.k.a. 'EXAMPLE HOUSE'." The list has its weak names here and not in alt.csv. A name that
 * is cut off has no closing quote and is left out.
 */
export function readWeakNames(remarks: string): string[] {
  return remarks.split(';').flatMap((part) => otherName.exec(part.trim())?.[2]?.trim() || [])
}

type UnreadRemark = { part: 'birth date' | 'crypto address'; text: string }

/** Lists the parts of remarks that name a birth date or a crypto address which cannot be read. */
export function findUnreadRemarks(remarks: string): UnreadRemark[] {
  return remarks.split(';').flatMap((each): UnreadRemark[] => {
    const text = each.trim()
    if (birth.test(text) && readBirths(text).length === 0) return [{ part: 'birth date', text }]
    if (/\bDigital Currency Address\b/i.test(text) && readAddresses(text).length === 0)
      return [{ part: 'crypto address', text }]
    return []
  })
}
