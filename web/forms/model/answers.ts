import { ChangesElsewhere } from './elsewhere.ts'
import { answersThatFollow } from './following-answers.ts'
import { fullLabelOf, labelOfChange } from './labels.ts'
import { listAt, read, write } from './paths.ts'
import { PendingFiles } from './pending-files.ts'
import type { FormState, Problem, Tree } from './types.ts'
import { type Batch, isInList, isRemovalOfItem, type Kept, UnsavedChanges } from './unsaved.ts'

/** The changes of this window that a state holds for the first time. */
type Own = { isOwn(field: string): boolean; removals: number }

const nothing: Own = { isOwn: () => false, removals: 0 }

/** The answers of this window: what the server has, and what is not saved yet. */
export class Answers {
  state: FormState
  readonly files: PendingFiles
  readonly elsewhere: ChangesElsewhere
  readonly unsaved = new UnsavedChanges()
  /** The state of the server, without what is not saved yet. */
  #known: FormState
  /** The answers as shown, with the marks of what is hidden. */
  #marked: Tree
  #refused: Problem[] = []

  constructor(state: FormState, tell: () => void) {
    this.state = state
    this.#known = state
    this.#marked = markedAnswers(state)
    this.files = new PendingFiles(tell)
    this.elsewhere = new ChangesElsewhere(tell)
  }

  set(field: string, value: unknown): void {
    const [, document] = /^(.*\.documents\[\d+\])\.(?!type$)/.exec(field) ?? []
    if (document) this.ensureType(document, 'GOVERNMENT_ID')
    const following = answersThatFollow(this.state.values, field, value)
    const isRemoval = value === undefined || value === ''
    this.#refused = this.#refused.filter((problem) => problem.field !== field)
    const before = this.state.values
    const values = write(before, field, isRemoval ? undefined : value)
    const change = { field, value: isRemoval ? null : value }
    const label = labelOfChange(change, isRemoval ? before : values)
    this.unsaved.add({ ...change, label }, read(this.#marked, field))
    this.#marked = write(this.#marked, field, isRemoval ? undefined : value)
    this.state = { ...this.state, values }
    if (isRemoval && field.endsWith(']')) this.files.removeItem(field)
    for (const next of following) this.set(next.field, next.value)
  }

  /** Sets what kind of document this is, before its first answer. Returns false when it is known. */
  ensureType(document: string, type: string): boolean {
    if (read(this.state.values, `${document}.type`) !== undefined) return false
    this.set(`${document}.type`, type)
    return true
  }

  setPage(page: string): void {
    this.unsaved.turnTo(page)
    this.state = { ...this.state, page }
  }

  /**
   * Takes over a state of the server. Changes that are not saved yet are kept, except those that it makes wrong, which are
   * told.
   */
  take(state: FormState, own: Own = nothing): void {
    const { status, submission, revision, moves } = this.#known
    const isSameForm = state.status === status && state.submission === submission
    // A later answer has overtaken this one.
    if (state.submission < submission || (isSameForm && state.revision < revision)) return
    const isOther = isSameForm && state.moves !== moves + own.removals
    // A save of items is on its way: its answer tells whether they still have their places.
    if (isOther && this.unsaved.hasItemsOnTheirWay) return
    const isMoved = isOther && !this.unsaved.forgetRemovals(this.#known, state)
    if (!isSameForm) this.giveUp()
    else if (isMoved) this.moved(state)
    this.elsewhere.lose('changed', this.unsaved.rebase(markedAnswers(state), own.isOwn))
    this.#show(state)
  }

  #show(state: FormState): void {
    const { page = state.page } = this.unsaved
    const values = this.unsaved.addTo(state.values)
    const problems = [...this.#refused, ...state.problems]
    this.#known = state
    this.#marked = this.unsaved.addTo(markedAnswers(state))
    this.state = { ...state, values, problems, ...(page === undefined ? {} : { page }) }
  }

  /** Takes over the answer to a save. `revision`: the one that the save was based on. */
  saved(batch: Batch, state: FormState, revision: number, removals: number): void {
    const fields = batch.changes.map(({ field }) => field)
    // No other device has changed anything.
    const isOurs = state.revision === revision + 1
    this.unsaved.arrived(batch)
    this.take(state, { isOwn: (field) => isOurs || fields.includes(field), removals })
  }

  /** The form was submitted: it takes nothing of what is not saved. */
  giveUp(): void {
    this.#refused = []
    this.elsewhere.lose('sent', [...this.unsaved.drop(() => true), ...this.#labelled(this.files.dropAll())])
  }

  /** The place of a person or a document in its list is now that of another one. `more`: changes that were not saved. */
  moved(now: FormState, more: readonly Kept[] = []): void {
    const lost = this.unsaved.drop(({ field }) => isInList(field))
    this.elsewhere.moves += 1
    const told = [...more, ...lost].filter((change) => !isMadeRemoval(change, now.values))
    this.elsewhere.lose('moved', [...told, ...this.#labelled(this.files.dropInLists())])
  }

  #labelled(fields: readonly string[]): { field: string; label: string }[] {
    return fields.map((field) => ({ field, label: fullLabelOf(field, this.state.values) }))
  }

  /** Gives up the answers that the service refuses, and tells so at their fields. */
  refuse(batch: Batch, named: readonly string[]): void {
    const refused = this.unsaved.dropRefused(batch, named).map(({ field }) => field)
    const before = this.#refused.filter(({ field }) => !refused.includes(field))
    const problems = refused.map((field) => ({ field, rule: '', kind: 'refused' as const, mayStay: true }))
    this.#refused = [...before, ...problems]
    this.#show(this.#known)
  }

  /** The customer has read that the service refuses these answers, and goes on without them. */
  confirm(fields: readonly string[]): void {
    const placeOf = ({ field }: Problem) => field.replace(/\[\d+\]$/, '')
    this.#refused = this.#refused.filter((each) => !fields.includes(each.field) && !fields.includes(placeOf(each)))
    this.#show(this.#known)
  }

  /** Forgets what the page does not need to save the rest: others may use this computer. */
  hide(): void {
    const hidden = { values: {}, given: [], files: {}, marks: {}, problems: [] }
    this.#known = { ...this.#known, ...hidden }
    this.#marked = {}
    this.state = { ...this.state, ...hidden }
  }
}

/** Tells whether the removal of an item was sent, and no item with its name is there any more. */
function isMadeRemoval({ field, value, label, tried }: Kept, values: Tree): boolean {
  if (!isRemovalOfItem({ field, value }) || tried.length === 0) return false
  const list = field.replace(/\[\d+\]$/, '')
  return !listAt(values, list).some((_, at) => labelOfChange({ field: `${list}[${at}]`, value }, values) === label)
}

/** The answers with the marks of hidden numbers and of files, which a browser never gets to see. */
function markedAnswers({ values, marks }: FormState): Tree {
  return Object.entries(marks).reduce((all, [field, mark]) => write(all, field, mark), values)
}
