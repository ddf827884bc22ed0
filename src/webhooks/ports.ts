import type { EventType } from '../lib/event-types.ts'

/** What a request to an address that a tenant named came to. */
export type Posted =
  | { ok: true; status: number; headers: Readonly<Record<string, string>>; body: Buffer; truncated: boolean }
  | { ok: false; kind: string; message: string; mayHaveArrived: boolean }

/** The way out: follows no redirect, and calls no address that a tenant may not reach. */
export type Outbound = {
  /** Why an address can never be called; undefined when it may. */
  whyNot(url: string): string | undefined
  /** `lane`: calls of different lanes share no connection, so that none waits for another's. */
  post(request: { url: string; lane: string; headers: Record<string, string>; body: string }): Promise<Posted>
}

/** What the resource of an event type looks like, for test events. */
export type ExampleOf = (type: EventType) => object

/** Told when a delivery passes a point where a process may die; tests let it die there. */
export type OnPoint = (point: 'claimed' | 'sent' | 'recorded' | 'lease lost') => void
