/**
 * Why an answer was given up: its place in a list is that of another item, another device has changed it, or the form was
 * submitted.
 */
export type Reason = 'moved' | 'changed' | 'sent'

/** `label`: names the answer, or the removal of an item, as it was when the customer gave it. */
export type Lost = { field: string; label: string; reason: Reason }

/** The changes of other devices while this window was open. */
export class ChangesElsewhere {
  /** How often another device changed the answers. */
  count = 0
  /** How often another device removed an item of a list, so that the items after it have other places. */
  moves = 0
  /** How often answers or files of this window were given up. */
  losses = 0
  /** The answers and files of this window that were given up. */
  lost: readonly Lost[] = []
  readonly #tell: () => void

  constructor(tell: () => void) {
    this.#tell = tell
  }

  lose(reason: Reason, changes: readonly { field: string; label: string; value?: unknown }[]): void {
    // An item that is added without an answer is no loss: its answers are told.
    const told = changes.filter(({ field, value }) => value === null || !field.endsWith(']'))
    if (told.length === 0) return
    const lost = told.map(({ field, label }) => ({ field, label, reason }))
    const isAgain = (one: Lost) => lost.some(({ field, label }) => field === one.field && label === one.label)
    this.losses += 1
    this.lost = [...this.lost.filter((each) => !isAgain(each)), ...lost]
  }

  /** The customer has read which answers were lost. */
  forgetLost(): void {
    this.lost = []
    this.#tell()
  }
}
