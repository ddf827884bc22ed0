import { concerns, read, write } from './paths.ts'
import type { Change, FormState, Tree } from './types.ts'

/**
 * A change, with its name, the answer of the server that it replaces, and the values that were sent for it without hearing
 * whether they arrived.
 */
export type Kept = Change & { label: string; base: unknown; tried: unknown[] }

/** Changes that are sent together, and the page that the customer was on. */
export type Batch = { changes: readonly Kept[]; page: string | undefined }

/** The service takes up to 200 changes; the last save of a page may hold two batches. */
const mostChanges = 100

/** Tells whether a change removes an item from its list, so that the items after it move. */
export function isRemovalOfItem({ field, value }: Change): boolean {
  return isItem(field) && value === null
}

function isItem(field: string): boolean {
  return field.endsWith(']')
}

export function isInList(field: string): boolean {
  return field.includes('[')
}

/** Tells whether a browser never gets to see an answer. */
function isHiddenNumber(field: string): boolean {
  return /\.(?:nationalIdNumber|documentIdNumber)$/.test(field)
}

/** The changes of this window that the server does not have. They live in the memory of the page alone. */
export class UnsavedChanges {
  #waiting: Kept[] = []
  /** Changes that are on their way: an answer to another request does not have them yet. */
  #sent: Kept[] = []
  #page: string | undefined
  #most = mostChanges

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#page === undefined
  }

  /** Tells whether an answer would be lost with this window. The page that the customer is on is no answer. */
  get hasAnswers(): boolean {
    return this.#waiting.length + this.#sent.length > 0
  }

  /** Adds a change, in place of an older one of the same field. `before`: the answer until now. */
  add({ field, value, label }: Change & { label: string }, before: unknown): void {
    // Before the removal of an item, the same field may be that of another item.
    const from = this.#waiting.findLastIndex(isRemovalOfItem) + 1
    const older = isItem(field) ? [] : this.#waiting.slice(from).filter((change) => change.field === field)
    const base = older[0] ? older[0].base : before
    this.#waiting = this.#waiting.filter((change) => !older.includes(change))
    this.#waiting.push({ field, value, label, base, tried: older.flatMap(({ tried }) => tried) })
  }

  turnTo(page: string): void {
    this.#page = page
  }

  /** Takes what waits, to be sent: the first changes of many. */
  take(): Batch {
    const changes = this.#waiting.slice(0, this.#most)
    this.#waiting = this.#waiting.slice(changes.length)
    this.#sent = [...this.#sent, ...changes]
    const page = this.#waiting.length === 0 ? this.#page : undefined
    if (this.#waiting.length === 0) this.#page = undefined
    return { changes, page }
  }

  /** Forgets changes that the server has, and those that they replace. */
  arrived({ changes }: Pick<Batch, 'changes'>): void {
    this.#most = mostChanges
    // Before the removal of an item, the same field may be that of another item.
    const from = this.#sent.findLastIndex(isRemovalOfItem) + 1
    const isOlder = (older: Kept, at: number) =>
      at >= from &&
      !isItem(older.field) &&
      this.#sent.slice(at).some((each) => each.field === older.field && changes.includes(each))
    this.#forget([...changes, ...this.#sent.filter(isOlder)])
  }

  #forget(changes: readonly Change[]): void {
    this.#sent = this.#sent.filter((change) => !changes.includes(change))
  }

  /**
   * Takes changes back that the server did not confirm, except those that it has, or has newer ones for, by now.
   * `isRefused`: it has answered, so that it does not have them.
   */
  returned({ changes, page }: Batch, isRefused: boolean): void {
    const back = changes.filter((change) => this.#sent.includes(change))
    if (!isRefused) for (const change of back) change.tried.push(change.value)
    this.#forget(changes)
    this.#waiting = [...back, ...this.#waiting]
    this.#page ??= page
  }

  /** Gives up changes that wait, and returns them. */
  drop(isDropped: (change: Change) => boolean): Kept[] {
    const dropped = this.#waiting.filter(isDropped)
    this.#waiting = this.#waiting.filter((change) => !dropped.includes(change))
    if (this.#waiting.length === 0) this.#page = undefined
    return dropped
  }

  /**
   * Gives up the changes of a save that names these fields in its refusal, and returns those that have no correction yet. If
   * it names none of them, fewer are sent together, until one alone is refused.
   */
  dropRefused({ changes }: Batch, fields: readonly string[]): Kept[] {
    const isSent = (change: Change) => changes.some((sent) => sent === change)
    const named = this.drop((change) => isSent(change) && fields.includes(change.field))
    const dropped = named.length === 0 && changes.length <= 1 ? this.drop(isSent) : named
    if (dropped.length === 0 && changes.length > 1) this.#most = Math.ceil(changes.length / 2)
    return dropped.filter((change) => {
      // The server still has the answer before the refused one.
      const newer = this.#waiting.find(({ field }) => field === change.field)
      if (newer) newer.base = change.base
      return !newer
    })
  }

  /**
   * The answers that are on their way, for a page that closes before it knows that they have arrived, and how many items
   * they remove. Items that are added or removed on the way are not sent twice.
   */
  onTheirWay(): { answers: Kept[]; removals: number } {
    const removals = this.#sent.filter(isRemovalOfItem).length
    return { removals, answers: removals > 0 ? [] : this.#sent.filter(({ field }) => !isItem(field)) }
  }

  get hasItemsOnTheirWay(): boolean {
    return this.#sent.some(({ field }) => isInList(field))
  }

  /**
   * The last save of a page has arrived, with `answers` of an earlier one that is still on its way. What it replaces is
   * forgotten, so that a late failure of the earlier one does not bring it back.
   */
  overtaken({ changes }: Batch, answers: readonly Change[], isMoved: boolean): void {
    const { removals } = this.onTheirWay()
    this.#forget(changes)
    // The service has removed these items, so it has everything that was sent with them.
    if (removals > 0 && !isMoved) this.#sent = []
    const isNewer = ({ field }: Change) => changes.some((change) => change.field === field)
    const isReplaced = (change: Change) => answers.includes(change) || isNewer(change)
    this.#sent = this.#sent.filter((change) => (isMoved && isInList(change.field)) || !isReplaced(change))
  }

  /**
   * Forgets removals of items whose save arrived unheard, and what was sent before them: the server has the lists that they
   * lead to. Returns false when another device has removed something.
   */
  forgetRemovals(before: FormState, now: FormState): boolean {
    const end = this.#waiting.findLastIndex((change) => isRemovalOfItem(change) && change.tried.length > 0) + 1
    const sent = this.#waiting.slice(0, end)
    const removals = sent.filter(isRemovalOfItem)
    const wanted = sent.filter(({ field }) => !isHiddenNumber(field)).reduce(apply, before.values)
    const isMade = ({ field }: Change) => {
      const [list = ''] = field.split('[')
      return textOf(read(wanted, list)) === textOf(read(now.values, list))
    }
    const isOwn = removals.length > 0 && now.moves === before.moves + removals.length && removals.every(isMade)
    if (!isOwn) return false
    this.#waiting = this.#waiting.slice(end)
    return true
  }

  /**
   * Compares the changes with what the server has now. Gives up those of answers that another device has changed since,
   * and returns them. `isOwn`: tells which answers of the server come from this window.
   */
  rebase(answers: Tree, isOwn: (field: string) => boolean): Kept[] {
    let now = this.#sent.reduce(apply, answers)
    const lost: Kept[] = []
    this.#waiting = this.#waiting.filter((change) => {
      const there = read(now, change.field)
      if (isOwn(change.field)) change.base = there
      const isInLost = lost.some(({ field }) => isItem(field) && concerns(field, change.field))
      const isKept = !isInLost && isBasedOn(change, there)
      if (isKept) now = apply(now, change)
      else lost.push(change)
      return isKept
    })
    return lost
  }

  /** Adds the changes to what the server has. */
  addTo(answers: Tree): Tree {
    return [...this.#sent, ...this.#waiting].reduce(apply, answers)
  }

  /** The page that the customer is on, unless the server knows it. */
  get page(): string | undefined {
    return this.#page
  }
}

function apply(values: Tree, { field, value }: Change): Tree {
  // An item that is added may be there already, with answers.
  if (isItem(field) && value !== null && read(values, field) !== undefined) return values
  return write(values, field, value ?? undefined)
}

/** Tells whether the server still has the answer that a change replaces. */
function isBasedOn(change: Kept, there: unknown): boolean {
  // The count of moves tells whether an item is still the same. A new one must not be that of another device.
  if (isRemovalOfItem(change)) return true
  if (isItem(change.field)) return there === undefined || change.tried.length > 0
  // The server has a mark in place of such a number: whether it is one of those that were sent cannot be told.
  if (isHiddenNumber(change.field) && change.tried.length > 0) return true
  return [change.base, change.value, ...change.tried].some((each) => textOf(each) === textOf(there))
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return ''
  const isTree = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  const sort = (_: string, each: unknown) =>
    isTree(each) ? Object.fromEntries(Object.entries(each as Tree).sort(([a], [b]) => (a < b ? -1 : 1))) : each
  return JSON.stringify(value, sort)
}
