import { describeIssue, type IssueCode } from '../catalog/issues/verification-issues.ts'
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
}

/** `information`: the customer can correct it. `review`: a reviewer has to judge it. */
export type Finding = {
  code: IssueCode
  /** A path such as kycData.address.postalCode or kybData.associatedPersons[0].dateOfBirth. */
  field?: string
  leadsTo: 'information' | 'review'
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

/** Makes a verdict of findings. One finding for a reviewer sends the whole submission, with all findings, to review. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const byContent = new Map(findings.map((finding) => [JSON.stringify(finding), finding]))
  const unique = [...byContent.values()]
  if (unique.length === 0) return { outcome: 'approve' }
  return { outcome: unique.some(({ leadsTo }) => leadsTo === 'review') ? 'review' : 'information', findings: unique }
}
