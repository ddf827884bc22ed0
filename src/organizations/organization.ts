export const tiers = ['BUILDER', 'STARTUP', 'ENTERPRISE'] as const
export type Tier = (typeof tiers)[number]

export type Branding = { displayName?: string; logoUrl?: string; primaryColor?: string; supportEmail?: string }

/** The limits that differ from the defaults of the tier and the deployment. */
export type OrganizationLimits = {
  requestsPerMinute?: number
  guaranteedUSDAmountPerTransaction?: string
  guaranteedUSDAmountPerOrganization?: string
  guaranteeWindowSeconds?: number
}

/** The terms that an operator sets. Omitted ones stay unchanged. */
export type OrganizationTerms = OrganizationLimits & {
  tier?: Tier
  allowedIps?: readonly string[]
  decidesReviews?: boolean
}

export type Organization = {
  organizationId: string
  parentOrganizationId: string | null
  name: string
  tier: Tier
  branding: Branding
  allowedOrigins: string[]
  /** The addresses from which its credentials may be used; empty allows any. */
  allowedIps: string[]
  limits: OrganizationLimits
  suspendedAt: Date | null
  /** Whether its own keys decide its reviews; null is the default of the environment. */
  decidesReviews: boolean | null
  createdAt: Date
}

export type Environment = 'sandbox' | 'production'

export function decidesReviews({ decidesReviews: set }: Organization, environment: Environment): boolean {
  return set ?? environment === 'sandbox'
}

export type OrganizationChange = {
  name?: string
  branding?: Branding
  allowedOrigins?: string[]
  allowedIps?: string[]
}
