import type { EventType } from '../../lib/event-types.ts'
import type { Transitions } from '../../lib/transitions.ts'
import type { Outcome } from './outcome.ts'

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The whole life of a delivery. A move that is not in this table cannot happen. */
export const deliveryMoves = {
  deliver: { from: ['PENDING'], to: 'DELIVERED' },
  giveUp: { from: ['PENDING'], to: 'FAILED' },
  retry: { from: ['PENDING', 'FAILED'], to: 'PENDING' },
} as const satisfies Transitions<DeliveryStatus>

export type Delivery = {
  organizationId: string
  deliveryId: string
  webhookId: string
  eventId: string
  eventType: EventType
  replay: number
  status: DeliveryStatus
  attempts: number
  createdAt: Date
  dueAt: Date | null
  /** The address that a notice goes to; null for a delivery to the webhook itself. */
  formerUrl: string | null
}

export type Attempt = {
  deliveryId: string
  attempt: number
  attemptedAt: Date
  outcome: Outcome
  statusCode: number | null
  durationMs: number
  error: string | null
  isResponseCut: boolean
}

/** An attempt with its response opened; undefined when there is none or its customer was erased. */
export type ShownAttempt = Attempt & { response: string | undefined }
export type ShownDelivery = Delivery & { shownAttempts: ShownAttempt[]; isWebhookEnabled: boolean }

export type DeliveryFilter = { status?: DeliveryStatus; eventId?: string }
