import { setTimeout } from 'node:timers/promises'

const pollMs = 10

/** Reads again and again until the answer is there; throws when the signal aborts first. */
export async function waitFor<Answer>(signal: AbortSignal, read: () => Promise<Answer | undefined>): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted()
    const answer = await read()
    if (answer !== undefined) return answer
    await setTimeout(pollMs, undefined, { signal })
  }
}
