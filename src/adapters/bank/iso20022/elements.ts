import { fiatCurrencies, isFiat } from '../../../catalog/currencies.ts'
import { isRealDay } from '../../../lib/calendar.ts'
import { parseAmount } from '../../../lib/money.ts'
import type { AccountName, Money, Reason } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import type { XmlElement } from './xml-reader.ts'

/** Finds the element at a path such as "Rsn/Cd". An element that stands twice where one may stand is an error. */
export function find(element: XmlElement | undefined, path: string): XmlElement | undefined {
  let found = element
  for (const name of path.split('/')) {
    if (!found) return undefined
    const [first, second] = all(found, name)
    if (second) throw new BankFileError('MALFORMED', `${found.name} has more than one ${name}`, second.line)
    found = first
  }
  return found
}

export function need(element: XmlElement, path: string): XmlElement {
  const found = find(element, path)
  if (!found) throw new BankFileError('MALFORMED', `${element.name} has no ${path}`, element.line)
  return found
}

export function all(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** The text at a path; undefined for an element that is missing or empty. */
export function textAt(element: XmlElement | undefined, path: string): string | undefined {
  const found = find(element, path)
  return found === undefined || found.text === '' ? undefined : identified(found)
}

/** ISO 20022 allows 35 characters for most identifiers and references; banks exceed that a little. */
const longestIdentifier = 140
/** A sequence or page number. */
const longestNumber = 35

function identified({ name, text, line }: XmlElement): string {
  const longest = name.endsWith('Nb') ? longestNumber : longestIdentifier
  if (text.length > longest && /(Id|Ref|UETR|IBAN|BIC|BICFI|Nb)$/.test(name))
    throw new BankFileError('MALFORMED', `${name} has more than ${longest} characters`, line)
  return text
}

export function needText(element: XmlElement, path: string): string {
  const found = need(element, path)
  if (found.text === '') throw new BankFileError('MALFORMED', `${path} of ${element.name} is empty`, found.line)
  return identified(found)
}

/** Reads an amount with its currency exactly. */
export function moneyOf(element: XmlElement): Money {
  const currency = element.attributes.Ccy ?? ''
  const wrong = (message: string) => new BankFileError('WRONG_AMOUNT', message, element.line)
  if (!isFiat(currency)) throw wrong(`${element.name} is in a currency that Svc does not know`)
  const parsed = parseAmount(plainDecimal(element), fiatCurrencies[currency].scale)
  if (!parsed.ok) throw wrong(`${element.name} ${parsed.problem}`)
  return { currency, units: parsed.units }
}

/** Reads an amount that decides nothing: undefined in a currency that Svc does not know. */
export function knownMoneyAt(element: XmlElement | undefined, path: string): Money | undefined {
  const found = find(element, path)
  return found && isFiat(found.attributes.Ccy ?? '') ? moneyOf(found) : undefined
}

export function moneyAt(element: XmlElement | undefined, path: string): Money | undefined {
  const found = find(element, path)
  return found && moneyOf(found)
}

/** Unifies the forms of a decimal of XML: "+01.50", ".5" and "5." are 1.50, 0.5 and 5. */
export function plainDecimal({ name, text, line }: XmlElement): string {
  const match = /^\+?(\d{0,30})(?:\.(\d{0,30}))?$/.exec(text)
  const [, whole = '', fraction = ''] = match ?? []
  if (!match || whole + fraction === '') throw new BankFileError('WRONG_AMOUNT', `${name} is not an amount`, line)
  return `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
}

/** Reads the day of a Dt or DtTm. */
export function dayAt(element: XmlElement | undefined, path: string): string | undefined {
  const choice = find(element, path)
  const text = textAt(choice, 'Dt') ?? textAt(choice, 'DtTm')
  return text === undefined ? undefined : dayOf(text, choice?.line)
}

/** No bank booked a payment of ours before; databases have no year 0. */
const firstDay = '1900-01-01'

export function dayOf(text: string, line: number | undefined): string {
  const day = text.slice(0, 10)
  if (!isRealDay(day) || day < firstDay)
    throw new BankFileError('MALFORMED', 'A date must be a day such as 2026-11-16', line)
  return day
}

export function directionAt(element: XmlElement, path: string): 'CREDIT' | 'DEBIT' | undefined {
  const text = textAt(element, path)
  if (text === undefined) return undefined
  if (text === 'CRDT') return 'CREDIT'
  if (text === 'DBIT') return 'DEBIT'
  throw new BankFileError('MALFORMED', `${path} must be CRDT or DBIT`, element.line)
}

/** Reads true, 1, false or 0. */
export function flagAt(element: XmlElement, path: string): boolean {
  const text = textAt(element, path)
  if (text === undefined || text === 'false' || text === '0') return false
  if (text === 'true' || text === '1') return true
  throw new BankFileError('MALFORMED', `${path} must be true or false`, element.line)
}

/** Reads an account: its IBAN or the bank's own number, its currency and its bank. */
export function accountAt(element: XmlElement | undefined, path: string): AccountName | undefined {
  const account = find(element, path)
  if (!account) return undefined
  const iban = find(account, 'Id/IBAN') && needText(account, 'Id/IBAN')
  const number = textAt(account, 'Id/Othr/Id')
  const currency = textAt(account, 'Ccy')
  const bankId = agentId(find(account, 'Svcr'))
  return {
    ...(iban === undefined ? {} : { iban: iban.replaceAll(' ', '').toUpperCase() }),
    ...(number === undefined ? {} : { number }),
    ...(currency === undefined ? {} : { currency }),
    ...(bankId === undefined ? {} : { bankId }),
  }
}

/** The BIC of a bank, or its number in a clearing system. BIC is the name of BICFI in older versions. */
export function agentId(agent: XmlElement | undefined): string | undefined {
  const institution = find(agent, 'FinInstnId')
  return textAt(institution, 'BICFI') ?? textAt(institution, 'BIC') ?? textAt(institution, 'ClrSysMmbId/MmbId')
}

/** The name of a party: directly, or inside the choice of newer versions. */
export function partyName(party: XmlElement | undefined): string | undefined {
  return textAt(party, 'Nm') ?? textAt(party, 'Pty/Nm') ?? textAt(party, 'Agt/FinInstnId/Nm')
}

/** Reads reasons: a code of ISO 20022 or of the bank's own, and further texts. */
export function reasonsOf(element: XmlElement, name: string): Reason[] {
  return all(element, name).map((information) => {
    const code = textAt(information, 'Rsn/Cd') ?? textAt(information, 'Rsn/Prtry') ?? ''
    const text = all(information, 'AddtlInf')
      .map((line) => line.text)
      .join(' ')
    return text === '' ? { code } : { code, text }
  })
}

/** Leaves out a property that has no value. */
export function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value }
}
