import { addressIssues, informationIssues } from './address.ts'
import { documentIssues } from './document.ts'
import { contactSupport, type IssueCategory, type IssueFacts, issueCategories } from './facts.ts'
import { reviewIssues } from './review.ts'
import { supportIssues } from './support.ts'

const issuesByCategory = {
  DOCUMENT: documentIssues,
  ADDRESS: addressIssues,
  INFORMATION: informationIssues,
  REVIEW: reviewIssues,
  SUPPORT: supportIssues,
} as const satisfies Record<IssueCategory, Record<string, IssueFacts>>

type CodesOf<Category> = Category extends IssueCategory ? keyof (typeof issuesByCategory)[Category] : never
export type IssueCode = CodesOf<IssueCategory>

export type IssueDescription = Omit<IssueFacts, 'resolution'> & {
  code: IssueCode
  category: IssueCategory
  resolution: string
}

/** Every issue of the contract, in its order. Codes are public: add freely, never rename or reuse one. */
export const verificationIssues: readonly IssueDescription[] = Object.entries(issuesByCategory).flatMap(
  ([category, issues]) => describeAll(category as IssueCategory, issues),
)

function describeAll(category: IssueCategory, issues: Readonly<Record<string, IssueFacts>>): IssueDescription[] {
  return Object.entries(issues).map(([code, facts]) => ({
    resolution: issueCategories[category],
    ...facts,
    code: code as IssueCode,
    category,
  }))
}

const issuesByCode: ReadonlyMap<string, IssueDescription> = new Map(verificationIssues.map((each) => [each.code, each]))

export const issueCodes: readonly IssueCode[] = verificationIssues.map(({ code }) => code)

export function isIssueCode(text: string): text is IssueCode {
  return issuesByCode.has(text)
}

export function describeIssue(code: IssueCode): IssueDescription {
  return issuesByCode.get(code)!
}

/** True for money laundering, fraud and identities seen before: a reviewer judges these before the customer is asked. */
export function isAlarm(code: IssueCode): boolean {
  return describeIssue(code).message === contactSupport
}

/** True for a code that our own checks raise, for some data. */
export function isRaisedByChecks(code: IssueCode): boolean {
  return describeIssue(code).raisedBy.includes('engine')
}

/** The message of an issue about one field. `what` names it in the customer's words: "the date of birth of person 2". */
export function messageAbout(code: IssueCode, what: string): string {
  const { message, about } = describeIssue(code)
  return about === undefined ? `${message} This concerns ${what}.` : about.replace('{what}', what)
}
