/** The changes of other devices while this window was open. */
export class ChangesElsewhere {
  /** How often another device changed the answers. */
  count = 0
  /** How often another device removed an item of a list, so that the items after it have other places. */
  moves = 0
  /** The fields whose answers and files were given up, because their place in a list is that of another item. */
  lost: readonly string[] = []
  readonly #tell: () => void

  constructor(tell: () => void) {
    this.#tell = tell
  }

  moved(lost: readonly string[]): void {
    this.moves += 1
    this.lost = [...new Set([...this.lost, ...lost])].filter((field) => !field.endsWith(']'))
  }

  /** The customer has read which fields were lost. */
  forgetLost(): void {
    this.lost = []
    this.#tell()
  }
}
