export type DispatchSteps<Item, Result> = {
  keyOf(item: Item): string
  /** The next items that are not in hand, at most this many. */
  read(inHand: readonly string[], most: number): Promise<Item[]>
  /** Undefined: it was not tried, and the pump stops. */
  send(item: Item): Promise<Result | undefined>
  /** Records results, all that came since the last ones were; `false` stops the pump. */
  write(results: readonly Result[]): Promise<boolean>
  /** How many may be sent at the same time; asked each time. */
  width(): number
  shouldStop(): boolean
}

/** As much as one pump holds in memory. */
const mostInHand = 512

/**
 * One record costs about as much as sending forty. So after one, outcomes gather until there are enough of them, or the
 * pause is over, or nothing more is on its way.
 */
const enoughToWrite = 128
const pauseMs = 25

/**
 * Reads, sends and records at the same time: while some are on their way the next are read, and the outcomes that come
 * meanwhile are recorded together. Ends when there is nothing more to read, or somebody says stop; then nothing new is
 * sent, and what was sent is recorded.
 */
export function dispatch<Item, Result>(steps: DispatchSteps<Item, Result>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const ready: Item[] = []
  const inHand = new Set<string>()
  let sent: { key: string; result: Result }[] = []
  let running = 0
  let isReading = false
  let isWriting = false
  let pausing: NodeJS.Timeout | undefined
  let mayHaveMore = true
  let isOver = false
  let failure: { error: unknown } | undefined

  const fail = (error: unknown) => {
    failure ??= { error }
    isOver = true
  }
  const read = async () => {
    const most = steps.width() * 8
    const items = await steps.read([...inHand], most)
    mayHaveMore = items.length === most
    ready.push(...items)
    for (const item of items) inHand.add(steps.keyOf(item))
  }
  const send = async (item: Item) => {
    const result = await steps.send(item)
    if (result === undefined) isOver = true
    else sent.push({ key: steps.keyOf(item), result })
  }
  const write = async () => {
    const batch = sent
    sent = []
    clearTimeout(pausing)
    if (!(await steps.write(batch.map(({ result }) => result)))) isOver = true
    for (const { key } of batch) inHand.delete(key)
    // What waited for one of these may be sent now.
    mayHaveMore = true
    pausing = setTimeout(() => {
      pausing = undefined
      advance()
    }, pauseMs)
  }
  const advance = () => {
    if (steps.shouldStop()) isOver = true
    while (!isOver && running < steps.width() && ready.length > 0) {
      running += 1
      void run(send(ready.shift() as Item), () => (running -= 1))
    }
    const isWorthWaiting = pausing && running > 0 && sent.length < enoughToWrite && !isOver
    if (!failure && !isWriting && sent.length > 0 && !isWorthWaiting) {
      isWriting = true
      void run(write(), () => (isWriting = false))
    }
    if (!isOver && !isReading && mayHaveMore && ready.length < steps.width() * 4 && inHand.size < mostInHand) {
      isReading = true
      void run(read(), () => (isReading = false))
    }
    if (running > 0 || isReading || isWriting) return
    clearTimeout(pausing)
    if (failure) reject(failure.error)
    else resolve()
  }
  const run = (step: Promise<void>, ended: () => unknown) =>
    step.catch(fail).then(() => {
      ended()
      advance()
    })
  advance()
  return promise
}
