export const tiers = ['BUILDER', 'STARTUP', 'ENTERPRISE'] as const
export type Tier = (typeof tiers)[number]

export type Organization = {
  organizationId: string
  parentOrganizationId: string | null
  name: string
  tier: Tier
  branding: Record<string, unknown>
  limits: Record<string, unknown>
  createdAt: Date
}
