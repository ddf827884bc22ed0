import { createTurns, createUse } from '../../lib/shares/turns.ts'

/** A shared memory budget. It counts the bytes that each check declares beforehand; it measures nothing. */
export type MemoryBudget = {
  /** Resolves, once the bytes are free, to the function that releases them. Organizations take turns. */
  take(organizationId: string, bytes: number): Promise<() => void>
}

/** Each organization uses at most half of the budget, or runs one check of any size. */
export function createMemoryBudget(totalBytes: number): MemoryBudget {
  const waiting = createTurns<{ bytes: number; enter(): void }>()
  const use = createUse()
  let usedBytes = 0

  const isWithinShare = (organizationId: string, bytes: number) =>
    use.of(organizationId) === 0 || use.of(organizationId) + bytes <= totalBytes / 2

  /**
   * Admits waiting checks. None overtakes the next one that waits for room alone: otherwise small checks would keep a
   * large one out. A check runs alone at any size: the document limits bound it.
   */
  function admit(): void {
    let isFull = false
    while (!isFull) {
      const next = waiting.next((organizationId, { bytes }) => {
        if (isFull || !isWithinShare(organizationId, bytes)) return false
        isFull = usedBytes > 0 && usedBytes + bytes > totalBytes
        return !isFull
      })
      if (!next) return
      usedBytes += next.taken.bytes
      use.add(next.organizationId, next.taken.bytes)
      next.taken.enter()
    }
  }

  return {
    take: (organizationId, bytes) =>
      new Promise((resolve) => {
        const release = () => {
          usedBytes -= bytes
          use.add(organizationId, -bytes)
          admit()
        }
        waiting.add(organizationId, { bytes, enter: () => resolve(release) })
        admit()
      }),
  }
}
