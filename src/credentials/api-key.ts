import { hash, randomBytes } from 'node:crypto'
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
  /** The key that created this one, or that this one succeeds; null for a key of the command line. */
  parentApiKeyId: string | null
  /** When a successor was created. */
  rolledAt: Date | null
  isReviewer: boolean
}

export type Environment = 'sandbox' | 'production'

const prefixes: Record<Environment, string> = { sandbox: 'svc_test_', production: 'svc_live_' }

/** Creates 256 random bits behind a prefix that marks test and live keys. */
export function createApiKeyText(environment: Environment): string {
  return prefixes[environment] + randomBytes(32).toString('base64url')
}

/** Hashes a key. One plain hash is safe because keys have full entropy. */
export function hashApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

export function isApiKeyOf(environment: Environment, text: string): boolean {
  return text.startsWith(prefixes[environment]) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefixes[environment].length))
}

/** Reads the environment from a key's prefix; undefined for a text that is no key. */
export function environmentOf(text: string): Environment | undefined {
  return (['sandbox', 'production'] as const).find((environment) => isApiKeyOf(environment, text))
}
