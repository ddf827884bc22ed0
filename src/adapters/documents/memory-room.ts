/** Memory that several may use in turns. It is counted, not measured: everybody says beforehand what they need. */
export type MemoryRoom = {
  /** Resolves to the function that gives the room back, once there is room. Whoever asks first is served first. */
  take(bytes: number): Promise<() => void>
}

export function createMemoryRoom(totalBytes: number): MemoryRoom {
  const waiting: { bytes: number; enter(): void }[] = []
  let usedBytes = 0

  /** Alone, anybody may enter: the limits of a document bound what one can need. */
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
