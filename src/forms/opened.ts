import type { Identity } from '../customers/identity/identity.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import { badField } from '../lib/refusal.ts'
import { parsePath, type Steps, valueAt, writePath } from './paths.ts'
import { type Correction, findCorrections } from './refill.ts'

/** The part of a form that a refill opens: corrections, and the fields that they name. */
export type OpenedPart = { corrections: Correction[]; fields: ReadonlySet<string>; stored: Identity }

/** Finds the part that a refill opens; undefined for a form that is open as a whole. */
export function findOpenedPart(
  customers: Pick<CustomerService, 'show'>,
  opened: OpenCustomer,
  stored: Identity,
): OpenedPart | undefined {
  const { status, customerType } = opened.customer
  if (status !== 'NEEDS_ADDITIONAL_INFORMATION') return undefined
  const corrections = findCorrections(customers.show(opened).requirements?.due ?? [], customerType, stored)
  return { corrections, fields: new Set(corrections.flatMap(({ opens }) => opens)), stored }
}

/** Refuses to change a field that no issue names. */
export function requireOpened(part: OpenedPart | undefined, field: string): void {
  const steps = parsePath(field)
  if (!part || !steps || isOpened(part, steps) || isTypeOfNewDocument(part, steps)) return
  throw badField(field, 'is not open for corrections')
}

/** Answers that decide how the fields beside them are asked for. They are shown with these fields. */
const deciding = new Set(['countryCode', 'registrationCountry', 'type', 'subtype'])

/** Tells whether the form shows a field to the browser. */
export function isShown(part: OpenedPart | undefined, steps: Steps): boolean {
  if (!part || isOpened(part, steps)) return true
  return deciding.has(String(steps.at(-1))) && hasOpenedNeighbour(part, steps)
}

/** A list of people or of papers opens everything in it. */
function isOpened({ fields }: OpenedPart, steps: Steps): boolean {
  return steps.some((_, at) => fields.has(writePath(steps.slice(0, at + 1))))
}

/** The type of a document is set with its first answer, and never afterwards. */
function isTypeOfNewDocument(part: OpenedPart, steps: Steps): boolean {
  const isType = steps.at(-1) === 'type' && steps.at(-3) === 'documents'
  return isType && valueAt(part.stored, steps) === undefined && hasOpenedNeighbour(part, steps)
}

function hasOpenedNeighbour({ fields }: OpenedPart, steps: Steps): boolean {
  const inside = `${writePath(steps.slice(0, -1))}.`
  return [...fields].some((field) => field.startsWith(inside) && !/[.[]/.test(field.slice(inside.length)))
}
