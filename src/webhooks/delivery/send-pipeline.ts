import { runSession, type SessionOptions } from './session.ts'
import { type ClaimedWebhook, claimWebhooks, dueWebhooks, type Lane, lanes } from './session-store.ts'

export type SendPipelineDeps = Omit<SessionOptions, 'slowAfterMs'> & {
  limits?: Partial<SendPipelineLimits>
  onFailure(error: unknown): void
}

/** The limits of one worker. */
export type SendPipelineLimits = typeof defaultLimits

const defaultLimits = {
  /** Slots per lane: each holds one session. */
  QUICK: 112,
  SLOW: 64,
  FAILING: 16,
  /** Sessions in all lanes, below the number of outbound connections. */
  total: 240,
  slowAfterMs: 2_000,
  /** While other webhooks wait for a slot, a session ends after this time. */
  longestSessionMs: 2_000,
}

/**
 * Runs one session for each due webhook, so that no webhook waits for another's endpoint. A webhook whose endpoint was
 * slow is claimed for a slow slot. A session whose endpoint falls silent moves from its quick slot to the slow lane and
 * continues. Quick slots therefore free up soon, no matter how many endpoints are slow.
 */
export function createSendPipeline(deps: SendPipelineDeps) {
  const { database, leaseMs } = deps
  const limits = { ...defaultLimits, ...deps.limits }
  const sessions: Record<Lane, Set<Promise<void>>> = { QUICK: new Set(), SLOW: new Set(), FAILING: new Set() }
  let isStopping = false
  let slotFreed = Promise.withResolvers<void>()

  const freeSlots = (lane: Lane) => {
    const running = sessions.QUICK.size + sessions.SLOW.size + sessions.FAILING.size
    return Math.min(limits[lane] - sessions[lane].size, limits.total - running)
  }

  const startSession = (webhook: ClaimedWebhook, claimedLane: Lane) => {
    let lane = claimedLane
    const startedAt = performance.now()
    const freeSlot = () => {
      sessions[lane].delete(session)
      slotFreed.resolve()
      slotFreed = Promise.withResolvers()
    }
    const session = runSession({ ...deps, slowAfterMs: limits.slowAfterMs }, webhook, {
      shouldStop: () => isStopping || (freeSlots(lane) <= 0 && performance.now() - startedAt > limits.longestSessionMs),
      onSilence: () => {
        if (lane !== 'QUICK') return
        freeSlot()
        lane = 'SLOW'
        sessions.SLOW.add(session)
      },
    })
      .catch(deps.onFailure)
      .then(freeSlot)
    sessions[lane].add(session)
  }

  const claim = async (lane: Lane): Promise<number> => {
    const limit = freeSlots(lane)
    if (limit <= 0) return 0
    const claimed = await claimWebhooks(database, lane, { limit, leaseMs })
    for (const webhook of claimed) {
      deps.onPoint('claimed')
      startSession(webhook, lane)
    }
    return claimed.length
  }

  return {
    due: dueWebhooks,

    /** Starts a session for each due webhook, and does not wait for its end. */
    startSessions: async (): Promise<number> => {
      let started = 0
      for (const lane of lanes) started += await claim(lane)
      // Without a free slot, wait for the next one instead of the next poll.
      if (freeSlots('QUICK') <= 0) await slotFreed.promise
      return started
    },

    /** Sends nothing new, and waits for the running sessions. */
    stop: async (): Promise<void> => {
      isStopping = true
      await Promise.all(lanes.flatMap((lane) => [...sessions[lane]]))
    },
  }
}
