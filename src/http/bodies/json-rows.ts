import { Readable } from 'node:stream'

type Batches<Row> = AsyncIterator<readonly Row[]>

/**
 * A long list as JSON text, read and written batch by batch: a slow caller holds one batch in memory, and no connection
 * to the database.
 */
export class JsonRows {
  readonly #name: string
  readonly #first: readonly unknown[]
  readonly #batches: Batches<unknown>
  readonly #rest: object

  constructor(name: string, first: readonly unknown[], batches: Batches<unknown>, rest: object) {
    this.#name = name
    this.#first = first
    this.#batches = batches
    this.#rest = rest
  }

  /** `check` gets the whole text before its end is sent; what it throws breaks the answer off. */
  open(check?: (text: string) => void): Readable {
    return Readable.from(check ? checked(this.#pieces(), check) : this.#pieces())
  }

  async *#pieces(): AsyncGenerator<string> {
    yield `{${JSON.stringify(this.#name)}:[${this.#first.map((row) => JSON.stringify(row)).join()}`
    for (let next = await this.#batches.next(); !next.done; next = await this.#batches.next())
      for (const row of next.value) yield `,${JSON.stringify(row)}`
    yield `],${JSON.stringify(this.#rest).slice(1)}`
  }
}

/**
 * Makes the answer `{ [name]: rows, …rest }`. Its first batch is read here, so that a fault still gets an error answer.
 * A list of one batch is an ordinary answer.
 */
export async function answerRows<Row>(
  name: string,
  batches: AsyncGenerator<readonly Row[]>,
  rest: object,
): Promise<JsonRows | object> {
  const first = await batches.next()
  const second = await batches.next()
  const rows = first.done ? [] : first.value
  if (second.done) return { [name]: rows, ...rest }
  return new JsonRows(name, [...rows, ...second.value], batches, rest)
}

async function* checked(pieces: AsyncIterable<string>, check: (text: string) => void): AsyncGenerator<string> {
  let text = ''
  let last = ''
  for await (const piece of pieces) {
    if (last) yield last
    text += piece
    last = piece
  }
  check(text)
  yield last
}
