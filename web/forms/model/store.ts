import { ApiError, api, type Change } from './api.ts'
import { type Closing, readClosing } from './closing.ts'
import { answersOfFormerCountry } from './former-country.ts'
import { followLeaving, tellLeaving } from './leaving.ts'
import { read, write } from './paths.ts'
import { PendingFiles } from './pending-files.ts'
import type { FormState, Problem } from './types.ts'

export type SaveStatus = 'saved' | 'saving' | 'waiting'

const pauseMs = 500
const longestPauseMs = 15_000
const pollMs = 3_000
/** A window that loses against other devices this many times in a row waits before it tries again. */
const mostAttempts = 5

/**
 * The answers of this window. Saves what is typed after a short pause, one request at a time; follows changes that
 * another device makes; keeps trying while there is no connection.
 */
export class FormStore {
  state: FormState
  isEnded = false
  /** When the session ends: without activity, and in any case. Known after the first poll. */
  closing: Closing | undefined
  readonly files = new PendingFiles(() => this.#tell())
  /** How often another device changed the answers. */
  changesElsewhere = 0
  /** How often another device removed an item of a list, so that the items after it have other places. */
  movesElsewhere = 0
  readonly #listeners = new Set<() => void>()
  #pending: Change[] = []
  /** Changes that are on their way: an answer to another request does not have them yet. */
  #sent: Change[] = []
  #refused: Problem[] = []
  #page: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<boolean> | undefined
  #last: Promise<void> = Promise.resolve()
  #failures = 0
  #version = 0

  constructor(state: FormState) {
    this.state = state
    setInterval(() => void this.#poll(), pollMs)
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.#last = this.#sendLast()
      else void this.#poll()
    })
    // The browser asks before it closes a page with a file that is not sent.
    addEventListener('beforeunload', (event) => {
      if (!this.files.isEmpty) event.preventDefault()
    })
    followLeaving(() => this.#left())
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  get saveStatus(): SaveStatus {
    if (!this.#isUnsaved() && !this.#sending) return 'saved'
    return this.#failures > 0 ? 'waiting' : 'saving'
  }

  #isUnsaved(): boolean {
    return this.#pending.length > 0 || this.#page !== undefined
  }

  /** Changes an answer here at once, and on the server soon. */
  set(field: string, value: unknown): void {
    const [, document] = /^(.*\.documents\[\d+\])\.(?!type$)/.exec(field) ?? []
    if (document) this.ensureType(document, 'GOVERNMENT_ID')
    const ofFormerCountry = answersOfFormerCountry(this.state.values, field, value)
    const isRemoval = value === undefined || value === ''
    this.#refused = this.#refused.filter((problem) => problem.field !== field)
    this.state = { ...this.state, values: write(this.state.values, field, isRemoval ? undefined : value) }
    const isItem = field.endsWith(']')
    if (isItem && isRemoval) this.files.removeItem(field)
    if (!isItem) this.#pending = this.#pending.filter((change) => change.field !== field)
    this.#pending.push({ field, value: isRemoval ? null : value })
    for (const former of ofFormerCountry) this.set(former, undefined)
    this.#schedule(pauseMs)
    this.#tell()
  }

  /** Sets what kind of document this is, before its first answer. */
  ensureType(document: string, type: string): void {
    if (read(this.state.values, `${document}.type`) === undefined) this.set(`${document}.type`, type)
  }

  setPage(page: string): void {
    if (this.state.page === page) return
    this.#page = page
    this.state = { ...this.state, page }
    this.#schedule(pauseMs)
    this.#tell()
  }

  /** Takes over the state after an upload, a submission or a decision. */
  accept(state: FormState): void {
    if (state.revision < this.state.revision && state.status === this.state.status) return
    if (state.status !== this.state.status) this.files.dropAll()
    this.state = this.#withUnsaved(state)
    this.#tell()
  }

  /** Takes over the state that a customer who stays has asked for. The next poll tells how long the session lasts now. */
  stayed(state: FormState): void {
    if (this.closing) this.closing = { ...this.closing, atMs: this.closing.latestMs }
    this.accept(state)
  }

  #withUnsaved(state: FormState): FormState {
    let values = state.values
    for (const { field, value } of [...this.#sent, ...this.#pending]) values = write(values, field, value ?? undefined)
    const problems = [...this.#refused, ...state.problems]
    return { ...state, values, problems, ...(this.#page === undefined ? {} : { page: this.#page }) }
  }

  /** Lets a customer who types without a pause be saved as well: the first of several changes sets the time. */
  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delayMs)
  }

  /** Sends everything that is not saved yet. Resolves when it is saved, or when it could not be. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (let attempt = 1; this.#isUnsaved() || this.#sending; attempt++) {
      while (this.#sending) await this.#sending
      if (!this.#isUnsaved()) return
      if (attempt > mostAttempts) return this.#schedule(longestPauseMs)
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined
        this.#tell()
      })
      if (!(await this.#sending)) return
    }
  }

  /** Resolves to false when the next attempt has to wait. */
  async #send(): Promise<boolean> {
    const page = this.#page
    const changes = this.#pending
    this.#sent = [...this.#sent, ...changes]
    this.#pending = []
    this.#page = undefined
    const { revision, moves } = this.state
    try {
      const state = await api.save({ revision, moves, changes, ...(page === undefined ? {} : { page }) })
      this.#failures = 0
      this.#arrived(changes)
      this.accept(state)
      return true
    } catch (error) {
      this.#arrived(changes)
      this.#pending = [...changes, ...this.#pending]
      this.#page ??= page
      return this.#recover(error)
    }
  }

  #arrived(changes: readonly Change[]): void {
    this.#sent = this.#sent.filter((change) => !changes.includes(change))
  }

  /**
   * Sends the rest of a page that may be closing, at once and beside a save that is on its way. The service adds it to the
   * newest draft. The answers that are on their way are in it as well, because that save may come too late; not so the
   * items that it adds and removes.
   */
  async #sendLast(): Promise<void> {
    if (!this.#isUnsaved()) return
    const changes = this.#pending
    const page = this.#page
    const removals = this.#sent.filter(({ field, value }) => field.endsWith(']') && value === null).length
    const onTheirWay = removals > 0 ? [] : this.#sent.filter(({ field }) => !field.endsWith(']'))
    const { revision, moves } = this.state
    this.#pending = []
    this.#page = undefined
    this.#sent = [...this.#sent, ...changes]
    const where = page === undefined ? {} : { page }
    const last = { revision, moves: moves + removals, isLast: true, ...where, changes: [...onTheirWay, ...changes] }
    try {
      const state = await api.save(last)
      this.#arrived(changes)
      const own = changes.filter(({ field, value }) => field.endsWith(']') && value === null).length
      if (state.moves !== last.moves + own) this.#movedElsewhere()
      this.accept(state)
    } catch {
      this.#arrived(changes)
      this.#page ??= page
      this.#pending = [...changes, ...this.#pending]
      this.#schedule(pauseMs)
    }
  }

  async #recover(error: unknown): Promise<boolean> {
    const { status = 0, code = '', details = [] } = error instanceof ApiError ? error : {}
    if (status === 401 || status === 403) {
      this.#drop(() => true)
      this.#end()
      return false
    }
    // A form that is locked takes no more answers, and a refused answer would be refused each time.
    if (code === 'PATCH_NOT_ALLOWED') this.#drop(() => true)
    else if (status === 400) this.#refuse(details.map(({ field }) => field))
    const canGoOn = code === 'CONFLICT' || code === 'PATCH_NOT_ALLOWED' || status === 400
    if (canGoOn && (await this.#reload())) return true
    this.#failures += 1
    this.#schedule(Math.min(longestPauseMs, pauseMs * 2 ** this.#failures))
    return false
  }

  #drop(isDropped: (change: Change) => boolean): void {
    this.#pending = this.#pending.filter((change) => !isDropped(change))
    if (this.#pending.length === 0) this.#page = undefined
  }

  /** Gives up the answers that the service names, or all if it names none of them, and tells so at their fields. */
  #refuse(named: readonly string[]): void {
    const isNamed = ({ field }: Change) => named.includes(field)
    const refused = this.#pending.some(isNamed) ? this.#pending.filter(isNamed) : this.#pending
    this.#refused = refused.map(({ field }) => ({ field, message: '', kind: 'refused', mayStay: true }))
    this.#drop((change) => refused.includes(change))
  }

  /** Loads the newest answers. Changes that are not saved yet are kept. Resolves to false without a connection. */
  async #reload(): Promise<boolean> {
    const { status } = this.state
    const before = JSON.stringify(this.state.values)
    const state = await api.readState().catch(() => undefined)
    if (!state) return false
    // A save has overtaken this answer.
    if (state.revision < this.state.revision && state.status === this.state.status) return true
    if (state.status !== this.state.status) {
      this.#drop(() => true)
      this.files.dropAll()
    } else if (state.moves !== this.state.moves) {
      // The place of a person or a document in its list is now that of another one.
      this.#drop(({ field }) => field.includes('['))
      this.#movedElsewhere()
    }
    this.state = this.#withUnsaved(state)
    if (state.status === status && before !== JSON.stringify(this.state.values)) this.changesElsewhere += 1
    return true
  }

  #movedElsewhere(): void {
    this.movesElsewhere += 1
    this.files.dropInLists()
  }

  /** Ends the session of this browser, once every answer is saved. Its other windows end with it. */
  async leave(): Promise<void> {
    await this.#last
    await this.flush()
    if (this.saveStatus !== 'saved') return
    await api.leave()
    tellLeaving()
    this.#end()
  }

  /** Another window has left the form. */
  #left(): void {
    if (this.isEnded) return
    this.#end()
    void api.leave().catch(() => undefined)
  }

  #end(): void {
    this.isEnded = true
    this.files.dropAll()
    this.#tell()
  }

  async #poll(): Promise<void> {
    const isBusy = () => this.#sending !== undefined || this.#isUnsaved()
    if (this.isEnded || document.visibilityState === 'hidden' || isBusy()) return
    try {
      const { status, version, revision, ...left } = await api.readStatus()
      this.closing = readClosing(this.closing, left, Date.now())
      const isNewVersion = this.#version !== 0 && version !== this.#version
      this.#version = version
      if (isBusy()) return
      if (status === this.state.status && revision <= this.state.revision && !isNewVersion) return
      await this.#reload()
      this.#tell()
    } catch (error) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.#end()
    }
  }
}
