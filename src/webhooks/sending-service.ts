import { type TurnOptions, takeTurn } from './turn-service.ts'
import { type Circuit, claimWebhooks } from './turn-store.ts'

export type SendingOptions = TurnOptions & { onFailure(error: unknown): void }

/** How many webhooks one worker serves at the same time. Those that fail all the time get few of these places. */
const mostTurns: Record<Circuit, number> = { CLOSED: 112, OPEN: 16 }

/** While others wait for a place, a turn ends after this long. */
const longestTurnMs = 2_000

export type Sending = ReturnType<typeof makeSending>

/** Serves every webhook that has something due, each in a turn of its own, so that none waits for another's receiver. */
export function makeSending(options: SendingOptions) {
  const { database, leaseMs } = options
  const turns: Record<Circuit, Set<Promise<void>>> = { CLOSED: new Set(), OPEN: new Set() }
  let isStopping = false

  const claim = async (circuit: Circuit): Promise<number> => {
    const limit = mostTurns[circuit] - turns[circuit].size
    if (limit <= 0) return 0
    const claimed = await claimWebhooks(database, circuit, { limit, leaseMs })
    for (const webhook of claimed) {
      options.onPoint('claimed')
      const startedAt = performance.now()
      const isFull = () => turns[circuit].size >= mostTurns[circuit]
      const shouldStop = () => isStopping || (isFull() && performance.now() - startedAt > longestTurnMs)
      const turn = takeTurn(options, webhook, shouldStop)
        .catch(options.onFailure)
        .then(() => void turns[circuit].delete(turn))
      turns[circuit].add(turn)
    }
    return claimed.length
  }

  return {
    /** Starts a turn for each webhook that is due, and does not wait for it to end. */
    startTurns: async (): Promise<number> => {
      const started = (await claim('CLOSED')) + (await claim('OPEN'))
      // No place is free: then the next one that becomes free is worth more than the next tick.
      if (turns.CLOSED.size >= mostTurns.CLOSED) await Promise.race(turns.CLOSED)
      return started
    },

    /** Sends nothing new, and waits for what is under way. */
    stop: async (): Promise<void> => {
      isStopping = true
      await Promise.all([...turns.CLOSED, ...turns.OPEN])
    },
  }
}
