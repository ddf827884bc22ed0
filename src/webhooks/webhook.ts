import type { Scope } from '../lib/caller.ts'
import type { OwnData } from '../lib/resources/own-data.ts'
import type { Transitions } from '../lib/transitions.ts'
import { outcomes } from './delivery/outcome.ts'
import type { Subscription } from './subscription.ts'

/** PENDING: the endpoint has not answered a challenge yet; its events wait. */
export const webhookStatuses = ['PENDING', 'ENABLED', 'DISABLED'] as const
/** The statuses that a caller can ask for. */
export const requestableStatuses = ['ENABLED', 'DISABLED'] as const
export type RequestableStatus = (typeof requestableStatuses)[number]
export type WebhookStatus = (typeof webhookStatuses)[number] | 'DELETED'

/** The whole life of a webhook. A move that is not in this table cannot happen. */
export const webhookMoves = {
  prove: { from: ['PENDING'], to: 'ENABLED' },
  challenge: { from: ['ENABLED', 'DISABLED'], to: 'PENDING' },
  disable: { from: ['ENABLED', 'PENDING'], to: 'DISABLED' },
  enable: { from: ['DISABLED'], to: 'ENABLED' },
  delete: { from: ['PENDING', 'ENABLED', 'DISABLED'], to: 'DELETED' },
} as const satisfies Transitions<WebhookStatus>

/**
 * GONE: the endpoint answered 410. FAILING: only failures for five days. REQUESTED: disabled by PATCH. UNPROVEN: the
 * endpoint answered no challenge. KEY_REVOKED and KEY_EXPIRED: its maker ended. OPERATOR: disabled by the operator of
 * Svc, and enabled by no other.
 */
export const disabledReasons = [
  'GONE',
  'FAILING',
  'REQUESTED',
  'UNPROVEN',
  'KEY_REVOKED',
  'KEY_EXPIRED',
  'OPERATOR',
] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** The results of a challenge: those of an attempt, and a 2xx without the challenge. */
export const challengeOutcomes = [...outcomes, 'NOT_ECHOED'] as const
/** Two challenges of one webhook are at least this far apart. */
export const leastChallengeGapMs = 30_000
export type ChallengeOutcome = (typeof challengeOutcomes)[number]

/** The key that answers for a webhook, and its rights when it chose the address and the types. */
export type Maker = {
  organizationId: string
  apiKeyId: string
  /** Real time; null for a key without an end. */
  expiresAt: Date | null
  scopes: readonly Scope[]
}

export type Webhook = {
  organizationId: string
  webhookId: string
  url: string
  events: Subscription[]
  description: string | null
  status: WebhookStatus
  deletedAt: Date | null
  disabledAt: Date | null
  disabledReason: DisabledReason | null
  provenAt: Date | null
  challenges: number
  challengeOutcome: ChallengeOutcome | null
  dueAt: Date | null
  /** Null when its maker was revoked or has expired: the webhook then receives nothing. */
  makerApiKeyId: string | null
  makerExpiresAt: Date | null
  scopes: Scope[]
  dataKeyId: string
  version: number
  revision: number
  createdAt: Date
} & OwnData

/** Notices of an organization that have not ended. Bounded, because each takes a delivery slot like a webhook. */
export const maxOpenNotices = 1_000

/** The time for which the previous secret still signs after a rotation. */
export const oldSecretLifetimeHours = 24

/** A webhook with only failures for this long is disabled. */
export const failingDaysAllowed = 5

/** The failures in a row that open the circuit: then one delivery at a time probes the endpoint. */
export const failuresThatOpenCircuit = 10

/** The pause between two probes of an endpoint whose circuit is open. */
export const circuitPauseSeconds = 30
