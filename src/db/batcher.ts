import { withoutSource } from './audit/request-source.ts'
import { isDatabaseUnavailable, isDeadlock } from './database.ts'

export type BatcherOptions<Request, Answer> = {
  /** Runs one statement for all requests, all or nothing. Returns one answer per request, in order. */
  run(requests: readonly Request[]): Promise<Answer[]>
  /** The most requests in one statement. */
  batchSize: number
  /** The most statements at the same time. */
  concurrency: number
  /** Collects the requests of one iteration of the event loop before it starts a statement. */
  collects?: boolean
}

type Waiting<Request, Answer> = {
  request: Request
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Batches concurrent requests into one statement. A request runs at once while fewer than `concurrency`
 * statements run; later requests queue and run together as soon as a statement ends. No timer delays a request. A
 * batcher that collects lets the requests of one iteration of the event loop go together.
 *
 * A request that PostgreSQL rejects does not fail the others of its batch: PostgreSQL has rolled the whole statement
 * back, so the batcher retries each request alone. While the database is unavailable the outcome of the statement is
 * unknown, so the batcher retries nothing: each caller gets the error, and retries with its idempotency key.
 */
export function createBatcher<Request, Answer>({
  run,
  batchSize,
  concurrency,
  collects = false,
}: BatcherOptions<Request, Answer>) {
  const waiting: Waiting<Request, Answer>[] = []
  let running = 0

  const start = (): void => {
    while (running < concurrency && waiting.length > 0) {
      running += 1
      // A batch belongs to several requests, so it must not pass for one of them.
      void withoutSource(() => runBatch(run, waiting.splice(0, batchSize))).finally(() => {
        running -= 1
        start()
      })
    }
  }

  return (request: Request): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      if (collects) setImmediate(start)
      else start()
    })
}

type Run<Request, Answer> = BatcherOptions<Request, Answer>['run']
type Batch<Request, Answer> = readonly Waiting<Request, Answer>[]

/** Gives every request of the batch its answer or its error. Never rejects. */
async function runBatch<Request, Answer>(run: Run<Request, Answer>, batch: Batch<Request, Answer>): Promise<void> {
  try {
    answerAll(batch, await run(batch.map(({ request }) => request)))
  } catch (error) {
    const isRolledBack = isDeadlock(error) || !isDatabaseUnavailable(error)
    if (batch.length > 1 && isRolledBack) await runEachAlone(run, batch)
    else failAll(batch, error)
  }
}

async function runEachAlone<Request, Answer>(run: Run<Request, Answer>, batch: Batch<Request, Answer>): Promise<void> {
  for (const [place, each] of batch.entries()) {
    try {
      answerAll([each], await run([each.request]))
    } catch (error) {
      // The remaining requests would each wait for the same time-out.
      if (isDatabaseUnavailable(error)) return failAll(batch.slice(place), error)
      each.reject(error)
    }
  }
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
