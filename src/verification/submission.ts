import { describeIssue, type IssueCode, isAlarm } from '../catalog/issues/verification-issues.ts'
import type { CustomerType, Profile } from '../customers/customer.ts'
import type { Identity, KycData } from '../customers/identity/identity.ts'
import type { ScreeningMatch } from '../screening/screening.ts'

/** Earlier use, by other customers of the organization, of a number that identity-hash.ts lists. */
export type SeenBefore = {
  /** One of these customers is active or deactivated. */
  sameOrganizationActive: boolean
  /** At least one customer submitted it, with any outcome. */
  attempted: boolean
}

/** A name of the submission that matches a watch-list entry; without an entry, a name that could not be compared. */
export type WatchListMatch = Pick<ScreeningMatch, 'field' | 'strength'> & Partial<ScreeningMatch>

/** The rights of our own checks of documents. Without one, files are not judged and the checks may approve. */
export type DocumentPolicy = {
  /** The customer must replace a file that shows no readable page. */
  mustBePlausible: boolean
  /** A submission without findings is approved; otherwise a reviewer looks at the documents. */
  mayApprove: boolean
}

/** The input of the checks. Lookups are done before, so that checks are pure functions. */
export type Submission = {
  organizationId: string
  customerId: string
  customerType: CustomerType
  version: number
  identity: Identity
  profile: Profile
  now: Date
  seenBefore: SeenBefore
  /** Undefined when no list is loaded. */
  watchListMatches?: readonly WatchListMatch[]
  /** Warnings of earlier submissions that no reviewer has judged. */
  keptWarnings?: readonly Finding[]
  /** Questions of a reviewer whose answers no reviewer has judged. */
  openQuestions?: readonly IssueCode[]
  documentPolicy?: DocumentPolicy
}

/** `information`: the customer can correct it. `review`: a doubt or an alarm, which a reviewer has to judge. */
export type Finding = {
  code: IssueCode
  /** A path such as kycData.address.postalCode or kybData.associatedPersons[0].dateOfBirth. */
  field?: string
  leadsTo: 'information' | 'review'
  /** True when a reviewer judges it before the customer is asked, as with an alarm. */
  comesFirst?: true
  /** True when a reviewer judges it once the customer has sent the same data again. */
  canBeConfirmed?: true
  /** A keyed hash of the data of such a finding, as the customer was asked about it. */
  dataHash?: string
  /** True when a reviewer asked the customer for it: a reviewer judges the answer. */
  wasAsked?: true
  /** The watch-list entry, for the reviewer. It holds no data of the customer. */
  watchList?: Partial<Omit<ScreeningMatch, 'field'>>
}

export type Verdict =
  | { outcome: 'approve' }
  | { outcome: 'information'; findings: Finding[] }
  | { outcome: 'review'; findings: Finding[] }

/** A verdict as the sandbox can force it. The checks themselves never reject. */
export type SandboxVerdict = Verdict | { outcome: 'reject'; findings: Finding[] }

export type SubmissionCheck = (submission: Submission) => Finding[]

/** The fields that an individual and an associated person of a business share. */
export type Person = Pick<
  KycData,
  | 'legalFirstName'
  | 'legalMiddleName'
  | 'legalLastName'
  | 'phoneNumber'
  | 'dateOfBirth'
  | 'address'
  | 'nationality'
  | 'nationalIdIssuingCountry'
  | 'nationalIdType'
  | 'nationalIdNumber'
  | 'documents'
>

/** `path` is the person's place in the submission: kycData or kybData.associatedPersons[2]. */
export type PersonCheck = (person: Person, path: string, now: Date) => Finding[]

export function needsInformation(code: IssueCode, field?: string): Finding {
  return { code, ...(field === undefined ? {} : { field }), leadsTo: 'information' }
}

export function needsReview(code: IssueCode, field?: string): Finding {
  return { code, ...(field === undefined ? {} : { field }), leadsTo: 'review' }
}

/** Makes a finding that leads where the catalog says the code leads. */
export function findingOfIssue(code: IssueCode, field?: string): Finding {
  return describeIssue(code).leadsTo === 'review' ? needsReview(code, field) : needsInformation(code, field)
}

export function isBlank(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === ''
}

/** True for a finding that a reviewer judges once nothing is left to correct. */
export function isDoubt({ code, leadsTo, comesFirst }: Finding): boolean {
  return leadsTo === 'review' && !comesFirst && !isAlarm(code)
}

/**
 * Makes a verdict of findings, in the order of decision: an alarm waits for a reviewer; else the customer corrects what
 * can be corrected; else a doubt waits for a reviewer. A verdict keeps all findings, doubts included.
 */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const byContent = new Map(findings.map((finding) => [JSON.stringify(finding), finding]))
  const unique = [...byContent.values()]
  if (unique.length === 0) return { outcome: 'approve' }
  const [doubts, others] = [unique.filter(isDoubt), unique.filter((finding) => !isDoubt(finding))]
  const isForReviewer = others.some(({ leadsTo }) => leadsTo === 'review') || doubts.length === unique.length
  return { outcome: isForReviewer ? 'review' : 'information', findings: unique }
}
