import type { Transitions } from '../../lib/transitions.ts'
import { manualPromise } from '../promise.ts'

export type RequestState = 'SENDING' | 'WAITING' | 'DECIDED' | 'GIVEN_UP' | 'DROPPED'

const open = ['SENDING', 'WAITING'] as const

/** The whole life of what a provider is asked. */
export const requestMoves = {
  accept: { from: open, to: 'WAITING' },
  /** The provider says that it has never heard of it. */
  resend: { from: open, to: 'SENDING' },
  decide: { from: open, to: 'DECIDED' },
  giveUp: { from: open, to: 'GIVEN_UP' },
  drop: { from: open, to: 'DROPPED' },
} as const satisfies Transitions<RequestState>

const secondMs = 1_000
const dayMs = 86_400 * secondMs
const pauses = [2, 5, 15, 60, 300, 900, 3_600]

/** How long to wait before the provider is asked again, by how often this has been worked on. */
export function pauseMs(claims: number): number {
  return secondMs * (pauses[Math.min(claims, pauses.length) - 1] ?? 0)
}

/** A provider that cannot be reached has a day; one that has the submission, the three business days of a person. */
export function isOverdue({ state, requestedAt }: { state: RequestState; requestedAt: Date }, now: Date): boolean {
  if (state === 'SENDING') return now.getTime() - requestedAt.getTime() > dayMs
  return requestedAt < manualPromise(now)
}
