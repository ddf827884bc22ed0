import { write } from './paths.ts'
import type { Change } from './types.ts'

/** Changes that are sent together, and the page that the customer was on. */
export type Batch = { changes: readonly Change[]; page: string | undefined }

/** Tells whether a change removes an item from its list, so that the items after it move. */
export function isRemovalOfItem({ field, value }: Change): boolean {
  return field.endsWith(']') && value === null
}

/** The changes of this window that the server does not have. They live in the memory of the page alone. */
export class UnsavedChanges {
  #waiting: Change[] = []
  /** Changes that are on their way: an answer to another request does not have them yet. */
  #sent: Change[] = []
  #page: string | undefined

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#page === undefined
  }

  /** Tells whether an answer would be lost with this window. The page that the customer is on is no answer. */
  get hasAnswers(): boolean {
    return this.#waiting.length + this.#sent.length > 0
  }

  /** Adds a change, in place of an older one of the same field. */
  add(change: Change): void {
    const isItem = change.field.endsWith(']')
    if (!isItem) this.#waiting = this.#waiting.filter(({ field }) => field !== change.field)
    this.#waiting.push(change)
  }

  turnTo(page: string): void {
    this.#page = page
  }

  /** Takes everything that waits, to be sent. */
  take(): Batch {
    const batch = { changes: this.#waiting, page: this.#page }
    this.#sent = [...this.#sent, ...batch.changes]
    this.#waiting = []
    this.#page = undefined
    return batch
  }

  /** Forgets changes that the server has. */
  arrived({ changes }: Batch): void {
    this.#sent = this.#sent.filter((change) => !changes.includes(change))
  }

  /** Takes changes back that did not reach the server. */
  returned(batch: Batch): void {
    this.arrived(batch)
    this.#waiting = [...batch.changes, ...this.#waiting]
    this.#page ??= batch.page
  }

  /** Gives up changes that wait, and returns them. */
  drop(isDropped: (change: Change) => boolean): Change[] {
    const dropped = this.#waiting.filter(isDropped)
    this.#waiting = this.#waiting.filter((change) => !dropped.includes(change))
    if (this.#waiting.length === 0) this.#page = undefined
    return dropped
  }

  /** Gives up the changes of these fields, or all if none of them waits, and returns them. */
  dropNamed(fields: readonly string[]): Change[] {
    const isNamed = ({ field }: Change) => fields.includes(field)
    return this.drop(this.#waiting.some(isNamed) ? isNamed : () => true)
  }

  /**
   * The answers that are on their way, for a page that closes before it knows that they have arrived, and how many items
   * they remove. Items that are added or removed on the way are not sent twice.
   */
  onTheirWay(): { answers: Change[]; removals: number } {
    const removals = this.#sent.filter(isRemovalOfItem).length
    return { removals, answers: removals > 0 ? [] : this.#sent.filter(({ field }) => !field.endsWith(']')) }
  }

  /** Adds the changes to what the server knows. */
  addTo<State extends { values: object; page?: string }>(state: State): State {
    let { values } = state
    for (const { field, value } of [...this.#sent, ...this.#waiting]) values = write(values, field, value ?? undefined)
    return { ...state, values, ...(this.#page === undefined ? {} : { page: this.#page }) }
  }
}
