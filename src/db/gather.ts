import { isDatabaseAway, isDeadlock } from './database.ts'

export type GatherOptions<Request, Answer> = {
  /** One statement for all of them, and so all or nothing; an answer for each, in their order. */
  run(requests: readonly Request[]): Promise<Answer[]>
  /** In one statement. */
  most: number
  /** Statements at the same time. */
  inFlight: number
}

type Waiting<Request, Answer> = {
  request: Request
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Makes one statement of requests that come at the same time. Nobody waits for company: a request goes at once, and only
 * those that come while others are in flight go together, as soon as one of those is back.
 *
 * A request that PostgreSQL chokes on fails the statement and not its neighbours: what failed was undone as a whole, so
 * each is run again, alone. When the database is away nobody knows what became of the statement, and nothing is run
 * again here: each caller is told what it would be told had it come alone, and comes again with its key.
 */
export function gather<Request, Answer>({ run, most, inFlight }: GatherOptions<Request, Answer>) {
  const waiting: Waiting<Request, Answer>[] = []
  let running = 0

  const start = (): void => {
    while (running < inFlight && waiting.length > 0) {
      running += 1
      void settle(run, waiting.splice(0, most)).finally(() => {
        running -= 1
        start()
      })
    }
  }

  return (request: Request): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      start()
    })
}

type Run<Request, Answer> = GatherOptions<Request, Answer>['run']
type Batch<Request, Answer> = readonly Waiting<Request, Answer>[]

/** Afterwards every one of them has its answer or its error. */
async function settle<Request, Answer>(run: Run<Request, Answer>, batch: Batch<Request, Answer>): Promise<void> {
  try {
    answerAll(batch, await run(batch.map(({ request }) => request)))
  } catch (error) {
    const isUndone = isDeadlock(error) || !isDatabaseAway(error)
    if (batch.length > 1 && isUndone) await settleAlone(run, batch)
    else failAll(batch, error)
  }
}

async function settleAlone<Request, Answer>(run: Run<Request, Answer>, batch: Batch<Request, Answer>): Promise<void> {
  for (const [place, each] of batch.entries()) {
    try {
      answerAll([each], await run([each.request]))
    } catch (error) {
      // The others would only wait for the same, one after the other.
      if (isDatabaseAway(error)) return failAll(batch.slice(place), error)
      each.reject(error)
    }
  }
}

function answerAll<Request, Answer>(batch: Batch<Request, Answer>, answers: readonly Answer[]): void {
  if (answers.length === batch.length) {
    for (const [place, { resolve }] of batch.entries()) resolve(answers[place] as Answer)
  } else {
    // Whose answers these are is anybody's guess, and what was asked is done: nothing is told, and nothing repeated.
    failAll(batch, new Error(`${batch.length} requests were run together and ${answers.length} answered`))
  }
}

function failAll<Request, Answer>(batch: Batch<Request, Answer>, error: unknown): void {
  for (const { reject } of batch) reject(error)
}
