import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import type { CustomerType, Profile } from '../customers/customer.ts'
import type { Identity, KycData } from '../customers/identity/identity.ts'
import type { ScreeningMatch } from '../screening/screening.ts'

/** Whether other customers of the organization showed one of the numbers that identity-hash.ts lists. */
export type SeenBefore = {
  /** One of them is, or was, served. */
  sameOrganizationActive: boolean
  /** Some did, whatever became of them. */
  attempted: boolean
}

/** A name of the submission that resembles one on a watch list. Without an entry: a name that could not be compared. */
export type WatchListMatch = Pick<ScreeningMatch, 'field' | 'strength'> & Partial<ScreeningMatch>

/** All that the checks may look at. What has to be asked of others comes in as an answer. */
export type Submission = {
  organizationId: string
  customerId: string
  customerType: CustomerType
  version: number
  identity: Identity
  profile: Profile
  now: Date
  seenBefore: SeenBefore
  /** None when no list is loaded. */
  watchListMatches?: readonly WatchListMatch[]
}

/** `information`: the customer can mend it. `review`: a person of ours has to look at it. */
export type Finding = {
  code: IssueCode
  /** Such as kycData.address.postalCode or kybData.associatedPersons[0].dateOfBirth. */
  field?: string
  leadsTo: 'information' | 'review'
  /** For whoever decides: what a watch list has. It holds nothing of the customer's own. */
  watchList?: Partial<Omit<ScreeningMatch, 'field'>>
}

export type Verdict =
  | { outcome: 'approve' }
  | { outcome: 'information'; findings: Finding[] }
  | { outcome: 'review'; findings: Finding[] }

export type Check = (submission: Submission) => Finding[]

/** What an individual and an associated person of a business have in common. */
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

/** `path` is where the person stands: kycData or kybData.associatedPersons[2]. */
export type PersonCheck = (person: Person, path: string, now: Date) => Finding[]

export function needsInformation(code: IssueCode, field?: string): Finding {
  return { code, ...(field === undefined ? {} : { field }), leadsTo: 'information' }
}

export function needsReview(code: IssueCode, field?: string): Finding {
  return { code, ...(field === undefined ? {} : { field }), leadsTo: 'review' }
}

export function isBlank(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === ''
}

/** One doubt that a person has to look at holds everything up; the rest is told along with it. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const byContent = new Map(findings.map((finding) => [JSON.stringify(finding), finding]))
  const unique = [...byContent.values()]
  if (unique.length === 0) return { outcome: 'approve' }
  return { outcome: unique.some(({ leadsTo }) => leadsTo === 'review') ? 'review' : 'information', findings: unique }
}
