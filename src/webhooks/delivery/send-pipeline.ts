import { runSession, type SessionOptions } from './session.ts'
import { type ClaimedWebhook, claimWebhooks, type Lane, lanes } from './session-store.ts'

export type SendPipelineDeps = Omit<SessionOptions, 'slowAfterMs'> & {
  limits?: Partial<SendPipelineLimits>
  onFailure(error: unknown): void
}

/** Numbers of one worker. */
export type SendPipelineLimits = typeof defaultLimits

const defaultLimits = {
  /** How many webhooks are served at the same time. In all not more than there are connections for. */
  ...{ QUICK: 112, SLOW: 64, FAILING: 16, inAll: 240 },
  slowAfterMs: 2_000,
  /** While others wait for a place, a turn ends after this long. */
  longestTurnMs: 2_000,
}

export type SendPipeline = ReturnType<typeof createSendPipeline>

/**
 * Serves every webhook that has something due, each in a turn of its own, so that none waits for another's receiver.
 * Whoever was slow the last time waits for a place among the slow ones; whoever turns out to be slow gives up its place
 * among the quick ones and goes on beside them. So a place among the quick is soon free, however many are slow.
 */
export function createSendPipeline(deps: SendPipelineDeps) {
  const { database, leaseMs } = deps
  const limits = { ...defaultLimits, ...deps.limits }
  const turns: Record<Lane, Set<Promise<void>>> = { QUICK: new Set(), SLOW: new Set(), FAILING: new Set() }
  let isStopping = false
  let placeFreed = Promise.withResolvers<void>()

  const roomIn = (lane: Lane) => {
    const inAll = turns.QUICK.size + turns.SLOW.size + turns.FAILING.size
    return Math.min(limits[lane] - turns[lane].size, limits.inAll - inAll)
  }

  const start = (webhook: ClaimedWebhook, claimedAs: Lane) => {
    let lane = claimedAs
    const startedAt = performance.now()
    const leave = () => {
      turns[lane].delete(turn)
      placeFreed.resolve()
      placeFreed = Promise.withResolvers()
    }
    const turn = runSession({ ...deps, slowAfterMs: limits.slowAfterMs }, webhook, {
      shouldStop: () => isStopping || (roomIn(lane) <= 0 && performance.now() - startedAt > limits.longestTurnMs),
      onSilence: () => {
        if (lane !== 'QUICK') return
        leave()
        lane = 'SLOW'
        turns.SLOW.add(turn)
      },
    })
      .catch(deps.onFailure)
      .then(leave)
    turns[lane].add(turn)
  }

  const claim = async (lane: Lane): Promise<number> => {
    const limit = roomIn(lane)
    if (limit <= 0) return 0
    const claimed = await claimWebhooks(database, lane, { limit, leaseMs })
    for (const webhook of claimed) {
      deps.onPoint('claimed')
      start(webhook, lane)
    }
    return claimed.length
  }

  return {
    /** Starts a turn for each webhook that is due, and does not wait for it to end. */
    startTurns: async (): Promise<number> => {
      let started = 0
      for (const lane of lanes) started += await claim(lane)
      // No place is free: then the next one that becomes free is worth more than the next tick.
      if (roomIn('QUICK') <= 0) await placeFreed.promise
      return started
    },

    /** Sends nothing new, and waits for what is under way. */
    stop: async (): Promise<void> => {
      isStopping = true
      await Promise.all(lanes.flatMap((lane) => [...turns[lane]]))
    },
  }
}
