/** A shared memory budget. It counts the bytes that each check declares beforehand; it measures nothing. */
export type MemoryBudget = {
  /** Resolves, once the bytes are free, to the function that releases them. First come, first served. */
  take(bytes: number): Promise<() => void>
}

export function createMemoryBudget(totalBytes: number): MemoryBudget {
  const waiting: { bytes: number; enter(): void }[] = []
  let usedBytes = 0

  /** Admits waiting checks in order. A check runs alone at any size: the document limits bound it. */
  function admit(): void {
    for (let next = waiting[0]; next && (usedBytes === 0 || usedBytes + next.bytes <= totalBytes); next = waiting[0]) {
      waiting.shift()
      usedBytes += next.bytes
      next.enter()
    }
  }

  return {
    take: (bytes) =>
      new Promise((resolve) => {
        const release = () => {
          usedBytes -= bytes
          admit()
        }
        waiting.push({ bytes, enter: () => resolve(release) })
        admit()
      }),
  }
}
