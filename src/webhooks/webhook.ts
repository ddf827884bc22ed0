import type { Transitions } from '../lib/transitions.ts'
import type { Subscription } from './subscription.ts'

export const webhookStatuses = ['ENABLED', 'DISABLED'] as const
export type WebhookStatus = (typeof webhookStatuses)[number] | 'DELETED'

/** The whole life of a webhook. A move that is not in this table cannot happen. */
export const webhookMoves = {
  disable: { from: ['ENABLED'], to: 'DISABLED' },
  enable: { from: ['DISABLED'], to: 'ENABLED' },
  delete: { from: ['ENABLED', 'DISABLED'], to: 'DELETED' },
} as const satisfies Transitions<WebhookStatus>

/** Gone: it answered 410. Failing: nothing but failures for days. Requested: by its owner. */
export const disabledReasons = ['GONE', 'FAILING', 'REQUESTED'] as const
export type DisabledReason = (typeof disabledReasons)[number]

export type Webhook = {
  organizationId: string
  webhookId: string
  url: string
  events: Subscription[]
  description: string | null
  status: WebhookStatus
  disabledAt: Date | null
  disabledReason: DisabledReason | null
  dataKeyId: string
  version: number
  revision: number
  createdAt: Date
}

/** As many as one organization may have: each of them multiplies what every event costs. */
export const mostWebhooks = 100

/** How long the secret before the newest one still signs. */
export const oldSecretLivesHours = 24

/** An address that fails for so long is told nothing any more. */
export const failingDaysAllowed = 5

/** After so many failures in a row one delivery at a time tries whether the address is back. */
export const failuresThatOpenCircuit = 10

/** How long an address that failed so often is left alone before the next try. */
export const circuitPauseSeconds = 30
