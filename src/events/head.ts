export type HeadOptions = {
  readHeads(organizationIds: readonly string[]): Promise<Map<string, bigint>>
  everyMs: number
  onError(error: unknown): void
}

type WatchedHead = { head: bigint; followers: number; waiters: Set<() => void> }

export type Heads = ReturnType<typeof watchHeads>

/**
 * Polls the head, the last sequence, of each followed organization. One statement serves all followers; without
 * followers there is no polling.
 */
export function watchHeads({ readHeads, everyMs, onError }: HeadOptions) {
  const watched = new Map<string, WatchedHead>()
  let isPolling = false

  const poll = async () => {
    isPolling = watched.size > 0
    if (!isPolling) return
    try {
      const heads = await readHeads([...watched.keys()])
      for (const [organizationId, head] of heads) advance(organizationId, head)
    } catch (error) {
      onError(error) // the next poll may succeed
    }
    setTimeout(poll, everyMs)
  }

  const advance = (organizationId: string, head: bigint) => {
    const found = watched.get(organizationId)
    if (!found || head <= found.head) return
    found.head = head
    for (const wake of [...found.waiters]) wake()
  }

  return {
    headOf: (organizationId: string): bigint => watched.get(organizationId)?.head ?? 0n,

    /** Follows an organization until the signal aborts. Returns the current head. */
    follow: async (organizationId: string, signal: AbortSignal): Promise<bigint> => {
      const head = (await readHeads([organizationId])).get(organizationId) ?? 0n
      if (signal.aborted) return head
      const found = watched.get(organizationId) ?? { head, followers: 0, waiters: new Set() }
      found.followers += 1
      watched.set(organizationId, found)
      advance(organizationId, head)
      signal.addEventListener('abort', () => {
        found.followers -= 1
        if (found.followers === 0) watched.delete(organizationId)
      })
      if (!isPolling) void poll()
      return head
    },

    /** Waits until the head exceeds a sequence, the time-out ends, or the signal aborts. */
    waitForHead: async (
      organizationId: string,
      above: bigint,
      timeoutMs: number,
      signal: AbortSignal,
    ): Promise<void> => {
      const found = watched.get(organizationId)
      if (!found || found.head <= above) await pause(timeoutMs, signal, found?.waiters)
    },
  }
}

/** Waits until the time-out ends, the signal aborts, or the waiters are woken. */
export function pause(ms: number, signal: AbortSignal, waiters?: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      waiters?.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    waiters?.add(done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
