import { createHash, randomBytes } from 'node:crypto'
import type { Scope } from '../lib/caller.ts'

export type ApiKey = {
  organizationId: string
  apiKeyId: string
  name: string
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date | null
  allowedIps: string[] | null
  lastUsedAt: Date | null
}

export type Environment = 'sandbox' | 'production'

const prefixes: Record<Environment, string> = { sandbox: 'svc_test_', production: 'svc_live_' }

/** 256 random bits behind a prefix that tells a test key from a live one at a glance. */
export function createApiKeyText(environment: Environment): string {
  return prefixes[environment] + randomBytes(32).toString('base64url')
}

/** Keys have full entropy, so one plain hash is enough to store them safely. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function isApiKeyOf(environment: Environment, text: string): boolean {
  return text.startsWith(prefixes[environment]) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefixes[environment].length))
}

/** Which kind of deployment a key says it is for, if it has the shape of one. */
export function environmentOf(text: string): Environment | undefined {
  return (['sandbox', 'production'] as const).find((environment) => isApiKeyOf(environment, text))
}
