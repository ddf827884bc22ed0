export type DispatchSteps<Item, Result> = {
  keyOf(item: Item): string
  /** Reads the next items, without those whose keys are in flight. */
  read(inFlight: readonly string[], limit: number): Promise<Item[]>
  /** Resolves to undefined when the item could not be tried; the dispatcher then stops. */
  send(item: Item): Promise<Result | undefined>
  /** Records the results since the last call; `false` stops the dispatcher. */
  record(results: readonly Result[]): Promise<boolean>
  /** Limits the concurrent sends; read before each send. */
  concurrency(): number
  shouldStop(): boolean
}

/** Limits the memory of one dispatcher: items that were read and are not recorded yet. */
const maxInFlight = 512

/**
 * One record costs about as much as forty sends. After a record, results therefore accumulate until the batch is full,
 * the pause ends, or no send is running.
 */
const fullBatch = 128
const pauseMs = 25

/**
 * Reads, sends and records concurrently: while some items are being sent it reads the next ones, and it records the
 * results in batches. Ends when no items are left or a step stops it; it then sends nothing new and records what was
 * sent.
 */
export function dispatch<Item, Result>(steps: DispatchSteps<Item, Result>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const queue: Item[] = []
  const inFlight = new Set<string>()
  const unrecorded: { key: string; result: Result }[] = []
  let sending = 0
  let isReading = false
  let isRecording = false
  let pauseTimer: NodeJS.Timeout | undefined
  let mayHaveMore = true
  let isStopping = false
  let failure: { error: unknown } | undefined

  const fail = (error: unknown) => {
    failure ??= { error }
    isStopping = true
  }
  const read = async () => {
    const limit = steps.concurrency() * 8
    const items = await steps.read([...inFlight], limit)
    mayHaveMore = items.length === limit
    queue.push(...items)
    for (const item of items) inFlight.add(steps.keyOf(item))
  }
  const send = async (item: Item) => {
    const result = await steps.send(item)
    if (result === undefined) isStopping = true
    else unrecorded.push({ key: steps.keyOf(item), result })
  }
  const record = async () => {
    const batch = unrecorded.splice(0)
    clearTimeout(pauseTimer)
    if (!(await steps.record(batch.map(({ result }) => result)))) isStopping = true
    for (const { key } of batch) inFlight.delete(key)
    // Items that had to wait for one of these may be due now.
    mayHaveMore = true
    pauseTimer = setTimeout(() => {
      pauseTimer = undefined
      advance()
    }, pauseMs)
  }
  const advance = () => {
    if (steps.shouldStop()) isStopping = true
    while (!isStopping && sending < steps.concurrency() && queue.length > 0) {
      sending += 1
      void run(send(queue.shift() as Item), () => (sending -= 1))
    }
    const isAccumulating = pauseTimer && sending > 0 && unrecorded.length < fullBatch && !isStopping
    if (!failure && !isRecording && unrecorded.length > 0 && !isAccumulating) {
      isRecording = true
      void run(record(), () => (isRecording = false))
    }
    const isQueueLow = queue.length < steps.concurrency() * 4 && inFlight.size < maxInFlight
    if (!isStopping && !isReading && mayHaveMore && isQueueLow) {
      isReading = true
      void run(read(), () => (isReading = false))
    }
    if (sending > 0 || isReading || isRecording) return
    clearTimeout(pauseTimer)
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
