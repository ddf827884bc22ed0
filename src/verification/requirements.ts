import { isIssueCode, isRaisedByChecks } from '../catalog/issues/verification-issues.ts'
import type { CustomerType, Profile, Requirement, VerificationIssue } from '../customers/customer.ts'
import type { Identity } from '../customers/identity/identity.ts'
import { findProblems } from './engine.ts'
import { messageOf } from './issue-messages.ts'
import type { DocumentPolicy, Finding } from './submission.ts'

type About = {
  customerType: CustomerType
  profile: Profile
  identity: Identity
  /** The issues of the last outcome. */
  issues: readonly VerificationIssue[]
  /** Business time. */
  readAt: Date
}

/**
 * Lists what the customer still has to give or correct: what the checks would ask for now, and what a reviewer or a
 * provider asked for. Nothing here depends on other customers or on a watch list.
 */
export function findDue(
  { customerType, profile, identity, issues, readAt }: About,
  documentPolicy: DocumentPolicy,
): Requirement[] {
  const root = customerType === 'BUSINESS' ? 'kybData' : 'kycData'
  const found = findProblems({ customerType, profile, identity, now: readAt, documentPolicy })
    .filter(({ leadsTo }) => leadsTo === 'information')
    // Without an issue about it, the customer has confirmed the data or a reviewer has settled it.
    .filter((finding) => !finding.canBeConfirmed || issues.length === 0 || hasIssue(issues, finding))
    .map(({ code, field = root }) => ({ field, code, message: messageOf(code, field) }))
  const asked = issues
    // The checks judge the data as it is now.
    .filter(({ code, field }) => field === undefined || !isIssueCode(code) || !isRaisedByChecks(code))
    .map(({ code, field = root, message }) => ({ field, code, message }))
  return uniqueRequirements([...found, ...asked])
}

function hasIssue(issues: readonly VerificationIssue[], { code, field }: Finding): boolean {
  return issues.some((issue) => issue.code === code && issue.field === field)
}

function uniqueRequirements(all: readonly Requirement[]): Requirement[] {
  return [...new Map(all.map((each) => [`${each.code} ${each.field}`, each])).values()]
}
