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

/** GONE: the endpoint answered 410. FAILING: only failures for five days. REQUESTED: disabled by PATCH. */
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

/** Webhooks per organization. Bounded, because each one multiplies the cost of every event. */
export const maxWebhooks = 100

/** The time for which the previous secret still signs after a rotation. */
export const oldSecretLifetimeHours = 24

/** A webhook with only failures for this long is disabled. */
export const failingDaysAllowed = 5

/** The failures in a row that open the circuit: then one delivery at a time probes the endpoint. */
export const failuresThatOpenCircuit = 10

/** The pause between two probes of an endpoint whose circuit is open. */
export const circuitPauseSeconds = 30
