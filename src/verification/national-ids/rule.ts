import { isRealDay } from '../../lib/calendar.ts'

/** The rule of one kind of national number. Numbers are passed in capitals and without separators. */
export type NationalIdRule = {
  /** The values of nationalIdType that mean this number, in capitals. TIN and NATIONAL_ID mean several. */
  types: readonly string[]
  isValid(number: string): boolean
  /** The birth date that a valid number tells: 1990-05-17, or 90-05-17 without a century, or '' if it tells none. */
  birthDay?(number: string): string
}

/** The rules by country. A country or type without a rule is not checked. */
export type NationalIdRules = Readonly<Record<string, readonly NationalIdRule[]>>

/** Removes spaces, dots, dashes, slashes and brackets, and the plus of Finns and Swedes past a hundred years. */
export function withoutSeparators(number: string): string {
  return number
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s.\-–—/_+()]/gu, '')
}

/**
 * Applies a rule of the stdnum package, for the kinds where it gives the same verdicts as the official rule (decision
 * 0036). The package also accepts Arabic digits, which the identity hash takes for another id: they are refused here.
 */
export function followStdnum(validate: (number: string) => { isValid: boolean }): (number: string) => boolean {
  return (number) => /^[0-9A-Z]+$/.test(number) && validate(number).isValid
}

/** Puts the parts of a birth date together; '' when there is no such day. A year may lack its century. */
export function birthDay(year: string, month: string | number, day: string | number): string {
  const rest = `-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  // Year 00 counts as 2000, which has a February 29.
  return isRealDay(`${year.padStart(4, '20')}${rest}`) ? `${year}${rest}` : ''
}
