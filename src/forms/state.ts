import { type Requirement, statusesOpenToData } from '../customers/customer.ts'
import type { Identity } from '../customers/identity/identity.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import { showDraft, submissionOf, tidyUp } from './draft.ts'
import { type FormDeps, loadDraft } from './drafts.ts'
import { findOpenedPart, isShown } from './opened.ts'
import { parsePath, valueAt } from './paths.ts'
import { findRequired } from './required.ts'
import { type BrokenRule, ruleOf } from './rules.ts'
import { inspectSubmission } from './wire.ts'

/** `rule`: a broken rule, or the issue of what is due. `mayStay`: the customer may confirm the answer by leaving it. */
type Problem = BrokenRule & { field: string; kind: 'invalid' | 'due'; mayStay: boolean }

/** Doubts about a number or a name that may be right all the same: the customer is asked once. */
function mayStay(code: string, field: string): boolean {
  return code === 'ID_DATA_MISMATCH' || (code === 'INVALID_PARAMETERS' && field.endsWith('.phoneNumber'))
}

/** The number of an identity document stands for a national id, and the form asks for the document anyway. */
function isEmptyNationalId(field: string, identity: Identity): boolean {
  const [, owner] = /^(.*)\.nationalId\w+$/.exec(field) ?? []
  const names = ['nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry']
  const isGiven = (name: string) => valueAt(identity, parsePath(`${owner}.${name}`) ?? []) !== undefined
  return owner !== undefined && !names.some(isGiven)
}

/** Everything that the pages show. */
export async function readState(deps: FormDeps, opened: OpenCustomer) {
  const { customers } = deps
  const { customer } = opened
  const shown = customers.show(opened)
  const isOpen = statusesOpenToData.includes(customer.status)
  const about = {
    customerType: customer.customerType,
    status: customer.status,
    /** Answers that were typed for a former submission belong to no later one. */
    submission: customer.submission,
    name: shown.name,
    updatedAt: shown.updatedAt,
    isSandbox: deps.decideInSandbox !== undefined,
    ...(shown.review ? { reviewDueAt: shown.review.dueAt } : {}),
  }
  const { draft, revision, stored } = await loadDraft(deps, opened)
  const { moves = 0 } = draft
  if (!isOpen) {
    return { ...about, revision, moves, values: {}, given: [], files: {}, marks: {}, problems: [], required: [] }
  }
  // The checks judge the answers as they are now; the issues of the last outcome are shown as corrections.
  const unasked = { ...opened, customer: { ...customer, issues: [] } }
  const findDue = (identity: Identity): Requirement[] => customers.findDueOf(unasked, identity)
  const invalid = await customers.findProblems(opened, inspectSubmission(submissionOf(draft, stored)))
  const now = tidyUp(draft.identity)
  const due = findDue(now).filter(({ field }) => !isEmptyNationalId(field, now))
  const problems: Problem[] = [
    ...invalid.map(({ field, message }) => ({ field, ...ruleOf(message), kind: 'invalid' as const, mayStay: false })),
    ...due.map(({ code, field }) => ({ field, rule: code, kind: 'due' as const, mayStay: mayStay(code, field) })),
  ]
  const part = findOpenedPart(customers, opened, stored)
  return {
    ...about,
    revision,
    moves,
    ...showDraft(draft, stored, (steps) => isShown(part, steps)),
    problems,
    required: findRequired(draft.identity, findDue),
    ...(part ? { corrections: part.corrections } : {}),
  }
}

export type FormState = Awaited<ReturnType<typeof readState>>
