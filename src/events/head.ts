export type HeadOptions = {
  readHeads(organizationIds: readonly string[]): Promise<Map<string, bigint>>
  everyMs: number
  onError(error: unknown): void
}

type FollowedHead = { head: bigint; followers: number; waiters: Set<() => void> }

export type Heads = ReturnType<typeof createHeadPoller>

/**
 * Polls the head, the last sequence, of each followed organization. One statement serves all followers; without
 * followers there is no polling.
 */
export function createHeadPoller({ readHeads, everyMs, onError }: HeadOptions) {
  const followed = new Map<string, FollowedHead>()
  let isPolling = false

  const poll = async () => {
    isPolling = followed.size > 0
    if (!isPolling) return
    try {
      const heads = await readHeads([...followed.keys()])
      for (const [organizationId, head] of heads) advance(organizationId, head)
    } catch (error) {
      onError(error) // the next poll may succeed
    }
    setTimeout(poll, everyMs)
  }

  const advance = (organizationId: string, head: bigint) => {
    const found = followed.get(organizationId)
    if (!found || head <= found.head) return
    found.head = head
    for (const wake of [...found.waiters]) wake()
  }

  return {
    headOf: (organizationId: string): bigint => followed.get(organizationId)?.head ?? 0n,

    /** Follows an organization until the signal aborts. Returns the current head. */
    follow: async (organizationId: string, signal: AbortSignal): Promise<bigint> => {
      const head = (await readHeads([organizationId])).get(organizationId) ?? 0n
      if (signal.aborted) return head
      const found = followed.get(organizationId) ?? { head, followers: 0, waiters: new Set() }
      found.followers += 1
      followed.set(organizationId, found)
      advance(organizationId, head)
      signal.addEventListener('abort', () => {
        found.followers -= 1
        if (found.followers === 0) followed.delete(organizationId)
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
      const found = followed.get(organizationId)
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
