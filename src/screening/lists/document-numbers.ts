import { normalizeDocumentNumber } from '../document-number.ts'
import type { ListedDocument } from '../screening.ts'
import { findCountryCode } from './country-names.ts'

// A shorter number belongs to too many people.
const minLength = 5

/** Reads a document number and the name of its country; undefined when the text holds no comparable number. */
export function readDocument(text: string, country: string): ListedDocument | undefined {
  // "123456, issued 27 Dec 1981" and "A123456 (expired)" name more than the number.
  const [before = ''] = text.split(/[,;(]|\b(?:issued|expires|expired|valid)\b/i)
  const number = normalizeDocumentNumber(before)
  const isNumber = number.length >= minLength && number.length <= 40 && /\d{3}/.test(number) && !/[A-Z]{8}/.test(number)
  if (!isNumber) return undefined
  const code = findCountryCode(country)
  return { number, ...(code ? { country: code } : {}) }
}

/** The words by which OFAC's remarks call a number that one person or business has. */
const kinds = `
  passport, national id, identification, identity, personal id, id card, id no, id number
  cedula, driver's license, drivers license, travel document, residency, birth certificate, ssn
  c.u.r.p, curp, r.f.c, rfc, d.n.i, dni, i.f.e, l.e. number, nit #, ruc #, rif #, rtn
  tax id, fiscal code, v.a.t, us fein, registration, registry, company number, trade license
  folio mercantil, matricula mercantil, c.r. no, enterprise number
  unified social credit, organization code, legal entity, economic register, chamber of commerce
`
  .split(/[,\n]/)
  .map((kind) => kind.trim())
  .filter(Boolean)
const label = new RegExp(
  `^(?:alt\\.? )?[^\\d;]*?(?:${kinds.map((kind) => kind.replaceAll('.', '\\.')).join('|')})`,
  'i',
)
// Numbers of things, not of a person or business.
const others = /\b(?:IMO|MMSI|vessel|aircraft|phone|SWIFT|section|commercial code)\b/i

export type RemarkDocument = { text: string; document: ListedDocument | undefined }

/** Reads "Passport A123456 (Iran) expires 12 Dec 2018; National ID No. 1234-5678 (Iran); Tax ID No. 77…". */
export function readRemarkDocuments(remarks: string): RemarkDocument[] {
  return remarks.split(';').flatMap((part) => {
    const text = part.trim()
    if (!label.test(text) || others.test(text) || !/\d/.test(text)) return []
    const [said = ''] = text.split(/\s+(?:issued|expires)\b/i)
    const [, named = said, country = ''] = /^(.*?)\s*\(([^)]*)\)\.?$/.exec(said) ?? []
    return [{ text, document: readDocument(numberAtEnd(named), country) }]
  })
}

/** Takes the number after its label: from the first word with a digit on, with a letter or two before it, as in A 123. */
function numberAtEnd(text: string): string {
  const words = text.replace(/\.$/, '').split(/\s+/)
  const at = words.findIndex((word) => /\d/.test(word))
  if (at === -1) return ''
  const before = words[at - 1] ?? ''
  const series = at > 1 && /^[A-Z]{1,2}$/.test(before) && before !== 'ID' ? [before] : []
  return [...series, ...words.slice(at)].join('')
}
