export type Patience = { timeout?: number; interval?: number }

/** Long enough for a busy machine: how soon something happens is measured in `bench`, never in a test. */
export const patience = { timeout: 120_000, interval: 50 } as const satisfies Patience

/**
 * For what every process has to know within a second. A process caches a credential for a minute: without the new revision
 * it accepts one that was used right before for longer than this.
 */
export const prompt = { timeout: 20_000, interval: 50 } as const satisfies Patience
