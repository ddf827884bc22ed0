import { formatCount } from '../texts/format.ts'
import { nameOf, patternOf, textAt, texts } from '../texts/words.ts'
import { labelOf, ownerOf } from './labels.ts'
import { concerns, listAt, read } from './paths.ts'
import type { Answered, Correction, FormState, Problem } from './types.ts'

/**
 * A problem in the customer's words, at the field where it is corrected. `isRefused`: the service did not take the answer,
 * and the form lacks it.
 */
export type ShownProblem = { place: string; text: string; mayStay: boolean; isRefused?: boolean }

/** Fields whose answer is chosen, not typed. */
const chosenNames = [
  'countryCode',
  'nationality',
  'registrationCountry',
  'nationalIdIssuingCountry',
  'subtype',
  'type',
  'bankCountry',
  'bankAccountPaymentMethod',
]

type Waiting = ReadonlyMap<string, 'looking' | 'failed'>

const nothing: Waiting = new Map()

/**
 * Lists the problems that belong to some fields, one for each field, in the order of the page. `waiting`: fields whose new
 * file is not sent yet.
 */
export function problemsAt(state: Answered, fields: readonly string[], waiting = nothing): ShownProblem[] {
  return fields.flatMap((place): ShownProblem[] => {
    const unsent = findUnsent(state, fields, place, waiting)
    if (unsent.length > 0) return unsent
    const own = state.problems.find(({ field }) => isAt(field, place)) ?? findAround(state, fields, place)
    if (!own) return []
    const { mayStay, kind } = own
    const text = isMissing(state, own, place) ? sayMissing(place, state.values) : sayProblem(own, place, state.values)
    return [{ place, text, mayStay, isRefused: kind === 'refused' }]
  })
}

/** A list of people or papers stands for the files inside of it that no other field of the page is about. */
function findUnsent(state: Answered, fields: readonly string[], place: string, waiting: Waiting): ShownProblem[] {
  const isHere = (path: string) => path === place || (isList(place) && concerns(place, path) && !fields.includes(path))
  return [...waiting]
    .filter(([path]) => isHere(path))
    .map(([path, at]) => {
      const text = texts.files.unsent[at].replace('{field}', labelOf(path, state.values))
      return { place: path, text, mayStay: false }
    })
}

/** Tells whether a required field has no answer at all. */
function isMissing(state: Answered, { kind }: Problem, place: string): boolean {
  const isEmpty = read(state.values, place) === undefined && !state.given.includes(place) && !state.files[place]
  return kind === 'due' && isEmpty && isRequired(state, place) && !isList(place)
}

function sayMissing(place: string, values: unknown): string {
  const name = nameOf(place)
  const { add, choose, fill } = texts.problems.missing
  const text = name.endsWith('Image') ? add : chosenNames.includes(name) ? choose : fill
  return text.replace('{field}', labelOf(place, values))
}

/** Lists of items have pages of their own; a list of texts is one field. */
function isAt(field: string, place: string): boolean {
  return field === place || (!isList(place) && field.startsWith(`${place}[`))
}

function isList(place: string): boolean {
  return place.endsWith('.associatedPersons') || place.endsWith('.businessDocuments')
}

/** Problems that no page of the form can mend, because the field came by the API and no page asks for it. */
export function problemsBeside({ problems, values }: FormState, fields: readonly string[]): string[] {
  const isShown = ({ field }: Problem) => fields.some((place) => isAt(field, place) || concerns(field, place))
  return problems
    .filter((problem) => !problem.mayStay && !isShown(problem))
    .map((problem) => withOwner(problem.field, sayProblem(problem, problem.field, values), values))
}

/**
 * Finds a problem of a whole address or document. It is shown at each field that is missing, or else at the first of its
 * fields on the page.
 */
function findAround(state: Answered, fields: readonly string[], place: string): Problem | undefined {
  return state.problems.find((problem) => {
    const { field } = problem
    if (field === place || isList(field) || !concerns(field, place)) return false
    const inside = fields.filter((each) => concerns(field, each))
    const missing = inside.filter((each) => isMissing(state, problem, each))
    return missing.length > 0 ? missing.includes(place) : inside[0] === place
  })
}

function sayProblem({ kind, rule, demand, field }: Problem, place: string, values: unknown): string {
  const label = labelOf(place, values)
  const say = (text: string) => text.replace('{field}', label)
  if (kind === 'refused') return say(texts.problems.refused)
  if (kind === 'due') {
    if (hasNoControlPerson(place, values)) return texts.problems.noControlPerson
    if (rule === 'INVALID_PARAMETERS' && nameOf(field) === 'dateOfBirth') return say(texts.problems.impossibleDate)
    return sayIssue(rule, field, labelOf(field, values))
  }
  const { byName, invalid } = texts.problems
  const byRule: Readonly<Record<string, string>> = { ...texts.problems.byRule, ...texts.bank.rules }
  if (demand !== undefined)
    return say(textAt(byRule, `${rule}: {demand}`) ?? textAt(byRule, rule) ?? invalid)
      .replace('{demand}', demand)
      .replace('{characters}', formatCount(texts.characters, Number(demand)))
  return say(textAt(byName, nameOf(field)) ?? textAt(byRule, rule) ?? invalid)
}

/** Says what an issue asks for: in general, or about one field with this label. */
function sayIssue(issue: string, field?: string, label?: string): string {
  const { issues, issuesAbout, exactIssues } = texts
  const general = textAt(issues, issue) ?? texts.issueOther
  if (field === undefined || label === undefined) return general
  const exact = textAt(exactIssues, `${issue} ${nameOf(field)}`) ?? textAt(issuesAbout, issue)
  return exact ? exact.replace('{field}', label) : general
}

/** Says what a correction asks for, and of which person or document. */
export function sayCorrection({ issue, about, opens }: Correction, values: unknown): string {
  if (issue === undefined) return opens.length > 0 ? texts.issueOther : texts.contactSupport
  if (about === undefined) return sayIssue(issue)
  return withOwner(about, sayIssue(issue, about, labelOf(about, values)), values)
}

/**
 * Once an item was removed from a list that is open as a whole, a place inside of it may be that of another item. What names
 * such a place is then about the list, and names no person.
 */
export function withoutMoved(corrections: readonly Correction[], moves: number): Correction[] {
  const lists = moves === 0 ? [] : corrections.flatMap(({ opens }) => opens).filter(isList)
  const listOf = (path: string) => lists.find((list) => path.startsWith(`${list}[`))
  return corrections.map((correction) => {
    const { about, ...rest } = correction
    if (!correction.opens.some(listOf)) return correction
    const opens = [...new Set(correction.opens.map((path) => listOf(path) ?? path))]
    return { ...rest, ...(about === undefined || listOf(about) ? {} : { about }), opens }
  })
}

/** Says of which person or document a text is. */
export function withOwner(field: string, text: string, values: unknown): string {
  const owner = ownerOf(field, values)
  return owner === '' ? text : texts.about(owner, text)
}

/** Tells whether a page marks a field as required. */
export function isRequired({ required }: Answered, path: string): boolean {
  return required.includes(path) || required.includes(patternOf(path))
}

/** The people are there, and none of them is said to control the business. */
function hasNoControlPerson(place: string, values: unknown): boolean {
  const people = listAt(values, place)
  return (
    place.endsWith('.associatedPersons') &&
    people.length > 0 &&
    people.every((person) => person.isControlPerson !== true)
  )
}
