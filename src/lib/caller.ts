const areas = [
  'customers',
  'reviews',
  'payment_accounts',
  'quotes',
  'transactions',
  'automation_rules',
  'webhooks',
  'events',
  'api_keys',
  'organizations',
  'ledger',
  'sandbox',
] as const

export type Scope = `${(typeof areas)[number]}:${'read' | 'write'}`

/** Everything a credential can be allowed to do. */
export const scopes: readonly Scope[] = areas.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`])

export type Tier = 'BUILDER' | 'STARTUP' | 'ENTERPRISE'

/** Who is asking, as their credential says. Every query on tenant data starts from its organizations. */
export type Caller = {
  organizationId: string
  /** The organization itself and its children: a parent reads and acts for them, never the other way round. */
  organizationIds: readonly string[]
  /** Of each of them. */
  tiers: ReadonlyMap<string, Tier>
  apiKeyId: string
  scopes: ReadonlySet<Scope>
  /** How many requests a minute the organization may make; 0 is no limit. */
  requestsPerMinute: number
  /** A token cannot make another token. */
  isToken: boolean
}
