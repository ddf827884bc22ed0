import { withoutSource } from './audit/request-source.ts'
import { isRolledBack, isTimeout } from './database.ts'

export type BatcherOptions<Request, Answer> = {
  /** Runs one statement for all requests, all or nothing. Returns one answer per request, in order. */
  run(requests: readonly Request[]): Promise<Answer[]>
  /** The most requests in one statement. */
  batchSize: number
  /** The most statements at the same time. */
  concurrency: number
  /** Collects the requests of one iteration of the event loop before it starts a statement. */
  collects?: boolean
  /**
   * While a statement runs, the next one waits until it has this many requests, or the running one has taken this long:
   * a few large statements cost less than many small ones, and no request waits long for a slow one. Default: no waiting.
   */
  gathers?: { requests: number; ms: number }
  /** Names what two requests must not use at the same time, such as an idempotency key. */
  nameOf?(request: Request): string | undefined
}

type Waiting<Request, Answer> = {
  request: Request
  name: string | undefined
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Batches concurrent requests into one statement. A request runs at once while fewer than `concurrency` statements run;
 * later requests queue and run together as soon as a statement ends. A batcher that collects lets the requests of one
 * iteration of the event loop go together, and one that gathers lets a full batch wait for a running statement.
 *
 * A request with the name of one that runs waits until that has its answer. The others of the queue pass it.
 *
 * A request that PostgreSQL rejects, or that waits too long for a lock, does not fail the others of its batch:
 * PostgreSQL has rolled the whole statement back, so the batcher retries each half, down to the request alone. Its
 * neighbours then cost a few statements, not one each. After a time-out it retries each request alone at once, because
 * every half with the slow one would take as long again. When two requests time out alone, the database itself is slow,
 * and the rest fails. While the database is unavailable the outcome of the statement is unknown, so the batcher retries
 * nothing: each caller gets the error, and retries with its idempotency key.
 */
export function createBatcher<Request, Answer>({
  run,
  batchSize,
  concurrency,
  collects = false,
  gathers,
  nameOf = () => undefined,
}: BatcherOptions<Request, Answer>) {
  let waiting: Waiting<Request, Answer>[] = []
  const used = new Set<string>()
  let running = 0

  const takeBatch = (): Waiting<Request, Answer>[] => {
    const batch: Waiting<Request, Answer>[] = []
    const passed: Waiting<Request, Answer>[] = []
    let seen = 0
    for (; seen < waiting.length && batch.length < batchSize; seen += 1) {
      const each = waiting[seen] as Waiting<Request, Answer>
      const { name } = each
      if (name !== undefined && used.has(name)) passed.push(each)
      else batch.push(each)
      if (name !== undefined) used.add(name)
    }
    waiting = [...passed, ...waiting.slice(seen)]
    return batch
  }

  const gathering = createGathering(gathers, () => start())

  const start = (): void => {
    while (running < concurrency && !gathering.holds(waiting.length)) {
      const batch = takeBatch()
      if (batch.length === 0) return
      running += 1
      const end = gathering.begin()
      // A batch belongs to several requests, so it must not pass for one of them.
      void withoutSource(() => runBatch(run, batch, { timeouts: 0 })).finally(() => {
        running -= 1
        end()
        for (const { name } of batch) if (name !== undefined) used.delete(name)
        start()
      })
    }
  }

  let isCollecting = false
  const collect = (): void => {
    if (isCollecting) return
    isCollecting = true
    setImmediate(() => {
      isCollecting = false
      start()
    })
  }

  return (request: Request): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, name: nameOf(request), resolve, reject })
      if (collects) collect()
      else start()
    })
}

/** Holds requests back while a statement is young: one that began a moment ago. Calls `onOver` when a statement ages. */
function createGathering(gathers: BatcherOptions<unknown, unknown>['gathers'], onOver: () => void) {
  const young = new Set<NodeJS.Timeout>()
  return {
    holds: (waiting: number): boolean => gathers !== undefined && young.size > 0 && waiting < gathers.requests,

    /** Counts a statement that begins; answers the function to call at its end. */
    begin: (): (() => void) => {
      if (!gathers) return () => {}
      const timer = setTimeout(() => {
        young.delete(timer)
        onOver()
      }, gathers.ms)
      young.add(timer)
      return () => {
        young.delete(timer)
        clearTimeout(timer)
      }
    },
  }
}

type Run<Request, Answer> = BatcherOptions<Request, Answer>['run']
type Batch<Request, Answer> = readonly Waiting<Request, Answer>[]

/** How many requests of a batch have timed out alone. */
type Tally = { timeouts: number }

/**
 * Gives every request of the batch its answer or its error. Never rejects. Returns the error of a database that is
 * unavailable or slow.
 */
async function runBatch<Request, Answer>(
  run: Run<Request, Answer>,
  batch: Batch<Request, Answer>,
  tally: Tally,
): Promise<unknown> {
  try {
    answerAll(batch, await run(batch.map(({ request }) => request)))
    return undefined
  } catch (error) {
    const isKnown = isRolledBack(error)
    if (batch.length > 1 && isKnown)
      return runParts(run, batch, isTimeout(error) ? 1 : Math.ceil(batch.length / 2), tally)
    failAll(batch, error)
    if (isTimeout(error)) tally.timeouts += 1
    return isKnown && tally.timeouts < 2 ? undefined : error
  }
}

async function runParts<Request, Answer>(
  run: Run<Request, Answer>,
  batch: Batch<Request, Answer>,
  size: number,
  tally: Tally,
): Promise<unknown> {
  for (let end = size; end - size < batch.length; end += size) {
    const outage = await runBatch(run, batch.slice(end - size, end), tally)
    if (outage === undefined) continue
    // The remaining requests would each wait for the same time-out.
    failAll(batch.slice(end), outage)
    return outage
  }
  return undefined
}

function answerAll<Request, Answer>(batch: Batch<Request, Answer>, answers: readonly Answer[]): void {
  if (answers.length === batch.length) {
    for (const [place, { resolve }] of batch.entries()) resolve(answers[place] as Answer)
  } else {
    // The answers cannot be matched to the requests, and the statement has committed: nothing is answered or retried.
    failAll(batch, new Error(`a statement for ${batch.length} requests returned ${answers.length} answers`))
  }
}

function failAll<Request, Answer>(batch: Batch<Request, Answer>, error: unknown): void {
  for (const { reject } of batch) reject(error)
}
