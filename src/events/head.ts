export type HeadOptions = {
  readHeads(organizationIds: readonly string[]): Promise<Map<string, bigint>>
  everyMs: number
  onError(error: unknown): void
}

type Watched = { head: bigint; followers: number; waiting: Set<() => void> }

export type Heads = ReturnType<typeof watchHeads>

/**
 * The last number of each organization that somebody follows. One statement for all of them, however many follow, and
 * none while nobody does.
 */
export function watchHeads({ readHeads, everyMs, onError }: HeadOptions) {
  const watched = new Map<string, Watched>()
  let isLooking = false

  const look = async () => {
    isLooking = watched.size > 0
    if (!isLooking) return
    try {
      const heads = await readHeads([...watched.keys()])
      for (const [organizationId, head] of heads) raise(organizationId, head)
    } catch (error) {
      onError(error) // the next look may go better
    }
    setTimeout(look, everyMs)
  }

  const raise = (organizationId: string, head: bigint) => {
    const found = watched.get(organizationId)
    if (!found || head <= found.head) return
    found.head = head
    for (const wake of [...found.waiting]) wake()
  }

  return {
    headOf: (organizationId: string): bigint => watched.get(organizationId)?.head ?? 0n,

    /** Until the signal ends it. Answers the head as it is now. */
    follow: async (organizationId: string, signal: AbortSignal): Promise<bigint> => {
      const head = (await readHeads([organizationId])).get(organizationId) ?? 0n
      if (signal.aborted) return head
      const found = watched.get(organizationId) ?? { head, followers: 0, waiting: new Set() }
      found.followers += 1
      watched.set(organizationId, found)
      raise(organizationId, head)
      signal.addEventListener('abort', () => {
        found.followers -= 1
        if (found.followers === 0) watched.delete(organizationId)
      })
      if (!isLooking) void look()
      return head
    },

    /** Until the head has moved past a number, the time is over, or the signal says stop. */
    waitForNews: async (
      organizationId: string,
      above: bigint,
      timeoutMs: number,
      signal: AbortSignal,
    ): Promise<void> => {
      const found = watched.get(organizationId)
      if (!found || found.head <= above) await pause(timeoutMs, signal, found?.waiting)
    },
  }
}

/** Until the time is over, the signal says stop, or somebody wakes those who wait. */
export function pause(ms: number, signal: AbortSignal, waiting?: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      waiting?.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    waiting?.add(done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
