import type { Move, Transitions } from '../../lib/transitions.ts'
import type { PolicyOwner } from '../../policies/policy.ts'

export const approvalStatuses = ['OPEN', 'APPROVED', 'REFUSED', 'EXPIRED', 'CANCELLED'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** The whole life of an approval. A move that is not in this table cannot happen; every end is final. */
export const approvalMoves = {
  /** Enough keys have approved, for each rule. */
  approve: { from: ['OPEN'], to: 'APPROVED' },
  /** One key has refused. */
  refuse: { from: ['OPEN'], to: 'REFUSED' },
  expire: { from: ['OPEN'], to: 'EXPIRED' },
  /** The transaction ended first: cancelled, expired, underpaid or rejected. */
  cancel: { from: ['OPEN'], to: 'CANCELLED' },
} as const satisfies Transitions<ApprovalStatus>

export type ApprovalMove = Move<ApprovalStatus>

export const approvalDecisions = ['APPROVE', 'REFUSE'] as const
export type ApprovalDecision = (typeof approvalDecisions)[number]

/** A rule that demands approvals. Without approvers any key may decide. */
export type ApprovalRule = {
  /** Whose policy it belongs to: the platform may bind an organization by rules for its parent. */
  organizationId: string
  owner: PolicyOwner
  ruleId: string
  approvals: number
  approvers?: readonly string[]
}

export type Approval = {
  organizationId: string
  approvalId: string
  transactionId: string
  rules: readonly ApprovalRule[]
  makerApiKeyId: string | null
  status: ApprovalStatus
  version: number
  expiresAt: Date
  /** The customer of the transaction. */
  customerId: string
  /** JSON, as answers and events show it. */
  shown: string
}

/** The ids that name a key in a list of approvers: its own, and those of the keys that rolled themselves into it. */
export type KeyNames = readonly string[]

/** Tells whether a key may decide: one that each rule leaves out has no say. */
export function isApprover({ rules }: Pick<Approval, 'rules'>, names: KeyNames): boolean {
  return rules.some((rule) => counts(rule, names))
}

/** Tells whether the approvals of these keys are enough for every rule. */
export function isApproved({ rules }: Pick<Approval, 'rules'>, approving: readonly KeyNames[]): boolean {
  return rules.every((rule) => approving.filter((names) => counts(rule, names)).length >= rule.approvals)
}

/**
 * Lists the rules whose demand no earlier approval has met: as many approvals, by keys that may still approve. A rule
 * that was tightened since counts as a new one.
 */
export function unmetRules<Rule extends ApprovalRule>(demanded: readonly Rule[], met: readonly ApprovalRule[]): Rule[] {
  return demanded.filter((rule) => {
    const { approvals, approvers } = rule
    const isMet = met.some((earlier) => {
      const isNarrow = approvers === undefined || earlier.approvers?.every((each) => approvers.includes(each)) === true
      return isSameRule(earlier, rule) && earlier.approvals >= approvals && isNarrow
    })
    return !isMet
  })
}

/** Tells whether both are one rule of one policy. The organization and the platform choose their ids freely. */
function isSameRule(one: ApprovalRule, other: ApprovalRule): boolean {
  return one.organizationId === other.organizationId && one.owner === other.owner && one.ruleId === other.ruleId
}

function counts({ approvers }: ApprovalRule, names: KeyNames): boolean {
  return approvers === undefined || names.some((name) => approvers.includes(name))
}
