import type { Database } from '../../../db/database.ts'
import { NodeError } from '../../../lib/chains/node-error.ts'
import type { Held } from '../../scanner/store.ts'
import type { Slots } from '../node.ts'
import * as store from './store.ts'

export type Pulse = ReturnType<typeof createPulse>

/** A step within which slots are believed without a question, the most in a second, and a margin. Real ones are 2.5. */
const [smallStep, mostPerSecond, margin] = [1_000n, 20n, 100_000n]

/**
 * Watches the final slot, which moves all the time. One that rests for minutes belongs to nodes that are frozen. One that
 * jumps further than time allows is not believed: once recorded, it would let every true slot look old.
 */
export function createPulse({ database, frozenMs }: { database: Database; frozenMs: number }) {
  let highest = { slot: -1n, atMs: performance.now() }
  return async (held: Held, recorded: bigint, { finalized }: Slots): Promise<void> => {
    if (finalized > recorded + smallStep) {
      const most = recorded + (await store.readIdleSeconds(database, held)) * mostPerSecond + margin
      if (finalized > most) throw new NodeError('incomplete', `the nodes report slot ${finalized} after ${recorded}`)
    }
    const nowMs = performance.now()
    if (finalized > highest.slot) highest = { slot: finalized, atMs: nowMs }
    if (nowMs - highest.atMs <= frozenMs) return
    throw new NodeError('unavailable', `the nodes are frozen: ${highest.slot} is their newest final slot since long`)
  }
}
