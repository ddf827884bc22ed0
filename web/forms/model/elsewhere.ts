/**
 * Why an answer was given up: its place in a list is that of another item, another device has changed it, or the form was
 * submitted.
 */
export type Reason = 'moved' | 'changed' | 'sent'

/** `isRemoval`: an item of a list that was to be removed, and was not. */
export type Lost = { field: string; reason: Reason; isRemoval: boolean }

/** The changes of other devices while this window was open. */
export class ChangesElsewhere {
  /** How often another device changed the answers. */
  count = 0
  /** How often another device removed an item of a list, so that the items after it have other places. */
  moves = 0
  /** The answers and files of this window that were given up. */
  lost: readonly Lost[] = []
  readonly #tell: () => void

  constructor(tell: () => void) {
    this.#tell = tell
  }

  lose(reason: Reason, changes: readonly { field: string; value?: unknown }[]): void {
    const lost = changes.map(({ field, value }) => ({
      field,
      reason,
      isRemoval: field.endsWith(']') && value === null,
    }))
    // An item that is added without an answer is no loss: its answers are told.
    const told = lost.filter(({ field, isRemoval }) => isRemoval || !field.endsWith(']'))
    const isNew = ({ field }: Lost) => !this.lost.some((each) => each.field === field)
    this.lost = [...this.lost, ...told.filter(isNew)]
  }

  /** The customer has read which answers were lost. */
  forgetLost(): void {
    this.lost = []
    this.#tell()
  }
}
