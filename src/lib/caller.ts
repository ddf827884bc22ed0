import { platformOrganizationId } from './ids.ts'

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
  'policies',
  'sandbox',
] as const

/** Permissions beside reading and writing an area. */
const specialScopes = [
  'reviews:documents',
  'approvals:read',
  'approvals:write',
  'api_keys:admin',
  'audit:read',
  'platform:write',
] as const

export type Scope = `${(typeof areas)[number]}:${'read' | 'write'}` | (typeof specialScopes)[number]

/** All permissions that a credential can have. */
export const scopes: readonly Scope[] = [
  ...areas.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`]),
  ...specialScopes,
]

/** The permission of the platform's own keys: to decide for every organization what is left to the platform. */
export const platformScope = 'platform:write' satisfies Scope

export type Tier = 'BUILDER' | 'STARTUP' | 'ENTERPRISE'

/** The authenticated caller of a request. Every query on tenant data is limited to its organizations. */
export type Caller = {
  organizationId: string
  /** The organization and its children: a parent reads and acts for its children, never the other way round. */
  organizationIds: readonly string[]
  /** The tier of each of these organizations. */
  tiers: ReadonlyMap<string, Tier>
  apiKeyId: string
  scopes: ReadonlySet<Scope>
  /** The rate limit of the organization; 0 means none. */
  requestsPerMinute: number
  /** True for a token, which cannot create another token. */
  isToken: boolean
  /** True for a key that the operator marked as a reviewer's: it submits no data, and may clear matches. */
  isReviewer: boolean
}

/** Tells whether a credential of the platform decides for organizations. The scope alone is not enough. */
export function isPlatform({ organizationId, scopes: own }: Caller): boolean {
  return organizationId === platformOrganizationId && own.has(platformScope)
}
