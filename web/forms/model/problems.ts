import { byPath, nameOf, patternOf, texts } from '../texts/words.ts'
import { concerns, readText } from './paths.ts'
import type { FormState, Problem } from './types.ts'

/**
 * A problem in the customer's words, at the field where it is corrected. `isRefused`: the service did not take the answer,
 * and the form lacks it.
 */
export type ShownProblem = { place: string; text: string; mayStay: boolean; isRefused?: boolean }

const countryNames = ['countryCode', 'nationality', 'registrationCountry', 'nationalIdIssuingCountry']

/** The label of a field in words. Regions and postal codes are named as in their country. */
export function labelOf(path: string, values: unknown = {}): string {
  const name = nameOf(path)
  const parent = path.slice(0, -(name.length + 1))
  if (readText(values, `${parent}.type`) === 'PROOF_OF_ADDRESS' && texts.proofLabels[name])
    return texts.proofLabels[name]
  const country = readText(values, `${parent}.countryCode`)
  if (name === 'stateRegionProvince' && texts.regionLabels[country]) return texts.regionLabels[country]
  if (name === 'postalCode' && texts.postalLabels[country]) return texts.postalLabels[country]
  return byPath(texts.labels, path) ?? name
}

/** Lists the problems that belong to some fields, one for each field, in the order of the page. */
export function problemsAt({ problems, values }: FormState, fields: readonly string[]): ShownProblem[] {
  return fields.flatMap((place) => {
    const own = problems.find(({ field }) => isAt(field, place)) ?? findAround(problems, fields, place)
    if (!own) return []
    const { mayStay, kind } = own
    return [{ place, text: sayProblem(own, place, values), mayStay, isRefused: kind === 'refused' }]
  })
}

/** Lists of items have pages of their own; a list of texts is one field. */
function isAt(field: string, place: string): boolean {
  const isItems = place.endsWith('.associatedPersons') || place.endsWith('.businessDocuments')
  return field === place || (!isItems && field.startsWith(`${place}[`))
}

/** Problems that no page of the form can mend, because the field came by the API and no page asks for it. */
export function problemsBeside({ problems, values }: FormState, fields: readonly string[]): string[] {
  const isShown = ({ field }: Problem) => fields.some((place) => isAt(field, place) || concerns(field, place))
  return problems
    .filter((problem) => !problem.mayStay && !isShown(problem))
    .map((problem) => sayProblem(problem, problem.field, values))
}

/** A problem of a whole object or list is shown at the first of its fields on the page. */
function findAround(problems: readonly Problem[], fields: readonly string[], place: string): Problem | undefined {
  return problems.find(
    ({ field }) => field !== place && concerns(field, place) && fields.find((each) => concerns(field, each)) === place,
  )
}

function sayProblem({ kind, message, field }: Problem, place: string, values: unknown): string {
  if (kind === 'due') return message
  const label = labelOf(place, values)
  const name = nameOf(field)
  const say = (text: string) => text.replace('{field}', label)
  if (kind === 'refused') return say(texts.problems.refused)
  if (name === 'phoneNumber') return texts.problems.phoneNumber
  if (name === 'website') return texts.problems.website
  if (name === 'email') return texts.problems.email
  if (/date/i.test(message)) return say(texts.problems.date)
  if (/together|as well/.test(message)) return say(texts.problems.nationalId)
  if (name === 'ownershipPercentage') return say(texts.problems.number)
  if (countryNames.includes(name)) return say(texts.problems.country)
  return `${label} ${message}`
}

/** Tells whether a page marks a field as required. */
export function isRequired({ required }: FormState, path: string): boolean {
  return required.includes(path) || required.includes(patternOf(path))
}
