/** Who set a policy: the organization, or the platform, whose policy binds the organization in addition. */
export const policyOwners = ['ORGANIZATION', 'PLATFORM'] as const
export type PolicyOwner = (typeof policyOwners)[number]

export const ruleKinds = ['LIMIT', 'DESTINATIONS', 'APPROVAL', 'QUIET_HOURS', 'KILL_SWITCH'] as const
export type RuleKind = (typeof ruleKinds)[number]

/** Whose payments a limit adds up. */
export const limitSubjects = ['ORGANIZATION', 'API_KEY', 'CUSTOMER', 'DESTINATION'] as const

export const limitWindows = ['TRANSACTION', 'HOUR', 'DAY', 'MONTH'] as const

/** In the order of ISO 8601, from Monday. */
export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

/** The payments that a rule applies to. An absent list means any. */
export type AppliesTo = {
  apiKeyIds?: string[]
  customerIds?: string[]
  paymentAccountIds?: string[]
  rails?: string[]
  networks?: string[]
}

/** A rule as its author wrote it. Each kind has fields of its own: see rule-fields.ts. Amounts are in USD. */
export type WrittenRule = {
  ruleId: string
  kind: RuleKind
  appliesTo?: AppliesTo
  per?: (typeof limitSubjects)[number]
  transactionMax?: string
  hourMax?: string
  dayMax?: string
  monthMax?: string
  allowed?: string[]
  coolingHours?: number
  above?: string
  approvals?: number
  approvers?: string[]
  expiresInHours?: number
  from?: string
  to?: string
  timeZone?: string
  days?: (typeof weekdays)[number][]
}

/** A rule in the form that is evaluated. Amounts are in cents. */
export type CompiledRule = {
  ruleId: string
  kind: RuleKind
  apiKeyIds: string[] | null
  customerIds: string[] | null
  destinationIds: string[] | null
  methods: string[] | null
  per: string | null
  transactionMax: string | null
  hourMax: string | null
  dayMax: string | null
  monthMax: string | null
  allowedIds: string[] | null
  coolingHours: number | null
  approvalAbove: string | null
  approvalsNeeded: number | null
  approverIds: string[] | null
  approvalHours: number | null
  quietFrom: string | null
  quietTo: string | null
  timeZone: string | null
  quietDays: number[] | null
}

export type Policy = { organizationId: string; version: number; rules: WrittenRule[]; updatedAt: Date }
