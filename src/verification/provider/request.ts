import type { Transitions } from '../../lib/transitions.ts'
import { manualLateBefore } from '../promise.ts'

export type RequestState = 'SENDING' | 'WAITING' | 'DECIDED' | 'GIVEN_UP' | 'DROPPED'

const open = ['SENDING', 'WAITING'] as const

/** The lifecycle of a request to the provider. */
export const requestMoves = {
  accept: { from: open, to: 'WAITING' },
  /** The provider does not know the reference. */
  resend: { from: open, to: 'SENDING' },
  decide: { from: open, to: 'DECIDED' },
  giveUp: { from: open, to: 'GIVEN_UP' },
  drop: { from: open, to: 'DROPPED' },
} as const satisfies Transitions<RequestState>

const secondMs = 1_000
const dayMs = 86_400 * secondMs
const pauses = [2, 5, 15, 60, 300, 900, 3_600]

/** The pause before the next poll, by the number of claims so far. */
export function pauseMs(claims: number): number {
  return secondMs * (pauses[Math.min(claims, pauses.length) - 1] ?? 0)
}

/** A request is overdue after a day unsent, or after the three business days of a reviewer once it is sent. */
export function isOverdue({ state, requestedAt }: { state: RequestState; requestedAt: Date }, now: Date): boolean {
  if (state === 'SENDING') return now.getTime() - requestedAt.getTime() > dayMs
  return requestedAt < manualLateBefore(now)
}
