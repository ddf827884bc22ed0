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

export const quotaNames = ['fileBytes', 'webhooks', 'webhookAttempts', 'automationRules', 'sandboxInboxes'] as const
export type QuotaName = (typeof quotaNames)[number]

/** A limit of what is stored for an organization. Organizations without any may lack in what `readUse` answers. */
export type Quota = {
  name: QuotaName
  allowed: number
  readUse(organizationIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type UsedQuotas = { [Name in QuotaName]?: { used: number; allowed: number } }

/** Reads what each organization uses of its quotas, one after the other. */
export async function readQuotas(
  quotas: readonly Quota[],
  organizationIds: readonly string[],
): Promise<(organizationId: string) => UsedQuotas> {
  const read: { name: QuotaName; allowed: number; use: ReadonlyMap<string, number> }[] = []
  for (const { name, allowed, readUse } of quotas) read.push({ name, allowed, use: await readUse(organizationIds) })
  return (organizationId) =>
    Object.fromEntries(read.map(({ name, allowed, use }) => [name, { used: use.get(organizationId) ?? 0, allowed }]))
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
