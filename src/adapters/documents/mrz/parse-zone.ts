import { type FieldName, parse } from 'mrz'
import type { MachineZone } from '../../../verification/checks/documents/machine-zone.ts'

/** The lines of a zone and the characters in each: passports; older cards; cards (ICAO Doc 9303, parts 4 to 6). */
const forms = [
  { count: 2, length: 44 },
  { count: 2, length: 36 },
  { count: 3, length: 30 },
]
// Readers lose or double some of the many fillers at the end of a line. Check digits guard the fields before them.
const mostOff = 2

/** Parses a zone as a reader wrote it. A date or number is returned only when its own check digit is right. */
export function parseZone(text: string): MachineZone | undefined {
  const lines = text.split('\n').map((line) => line.replace(/\s/g, ''))
  for (const { count, length } of forms) {
    const fitting = lines.filter((line) => Math.abs(line.length - length) <= mostOff)
    if (fitting.length < count) continue
    return readFields(fitting.slice(-count).map((line) => line.padEnd(length, '<').slice(0, length)))
  }
  return undefined
}

function readFields(lines: string[]): MachineZone | undefined {
  const { fields } = parse(lines, { autocorrect: true })
  const read = (name: FieldName) => fields[name] ?? undefined
  const checked = (name: FieldName, digit: FieldName) => (read(digit) === undefined ? undefined : read(name))
  const dateOfBirth = checked('birthDate', 'birthDateCheckDigit')
  const documentIdNumber = checked('documentNumber', 'documentNumberCheckDigit')
  const expirationDate = checked('expirationDate', 'expirationDateCheckDigit')
  if (!dateOfBirth && !documentIdNumber && !expirationDate) return undefined
  const others = [read('personalNumber'), read('optional'), read('optional1'), read('optional2')]
  return {
    dateOfBirth,
    documentIdNumber,
    expirationDate,
    issuingState: read('issuingState'),
    otherNumbers: others.flatMap((number) => number ?? []),
    names: [read('lastName') ?? '', read('firstName') ?? ''],
  }
}
