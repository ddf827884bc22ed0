import type { EventType } from '../lib/event-types.ts'

/** The result of a request to an address that an integrator named. */
export type Posted =
  | { ok: true; status: number; headers: Readonly<Record<string, string>>; body: Buffer; truncated: boolean }
  | { ok: false; kind: string; message: string; mayHaveArrived: boolean }

/**
 * Sends requests to integrators' endpoints. Follows no redirect, and calls only addresses that integrators may reach.
 */
export type Outbound = {
  /** The reason why an address can never be called; undefined when it can. */
  whyNot(url: string): string | undefined
  /** Requests of different lanes share no connection, so that none waits for another's. */
  post(request: { url: string; lane: string; headers: Record<string, string>; body: string }): Promise<Posted>
}

/** Returns an example resource of an event type, for test events. */
export type ExampleOf = (type: EventType) => object

/** Called at each point where a process may die during a delivery; tests let it die there. */
export type OnPoint = (point: 'claimed' | 'sent' | 'recorded' | 'lease lost') => void
