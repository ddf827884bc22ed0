export type Patience = { timeout?: number; interval?: number }

/** Long enough for a busy machine: how soon something happens is measured in `bench`, never in a test. */
export const patience = { timeout: 120_000, interval: 50 } as const satisfies Patience
