export const tiers = ['BUILDER', 'STARTUP', 'ENTERPRISE'] as const
export type Tier = (typeof tiers)[number]

export type Branding = { displayName?: string; logoUrl?: string; primaryColor?: string; supportEmail?: string }

export type Organization = {
  organizationId: string
  parentOrganizationId: string | null
  name: string
  tier: Tier
  branding: Branding
  allowedOrigins: string[]
  /** The limits that differ from the defaults of the tier. */
  limits: { requestsPerMinute?: number }
  createdAt: Date
}

export type OrganizationChange = { name?: string; branding?: Branding; allowedOrigins?: string[] }
