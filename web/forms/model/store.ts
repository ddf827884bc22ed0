import { ApiError, api, isOver } from './api.ts'
import { type Closing, readClosing } from './closing.ts'
import { ChangesElsewhere } from './elsewhere.ts'
import { answersThatFollow } from './following-answers.ts'
import { read, write } from './paths.ts'
import { PendingFiles } from './pending-files.ts'
import type { FormState, Problem } from './types.ts'
import { isRemovalOfItem, UnsavedChanges } from './unsaved.ts'
import { followWindows, tellWindows } from './windows.ts'

const pauseMs = 500
const longestPauseMs = 15_000
const pollMs = 3_000
/** A window that loses against other devices this many times in a row waits before it tries again. */
const mostAttempts = 5

/**
 * The answers of this window. Saves what is typed after a short pause, one request at a time; follows changes that
 * another device makes; keeps trying while there is no connection. When the session ends, it keeps what is not saved
 * until the link opens a new session in this browser.
 */
export class FormStore {
  state: FormState
  isEnded = false
  /** When the session ends: without activity, and in any case. Known after the first poll. */
  closing: Closing | undefined
  readonly files = new PendingFiles(() => this.#tell())
  readonly elsewhere = new ChangesElsewhere(() => this.#tell())
  readonly #listeners = new Set<() => void>()
  readonly #unsaved = new UnsavedChanges()
  #refused: Problem[] = []
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
      else void (this.isEnded ? this.resume() : this.#poll())
    })
    // The browser asks before it closes a page with something that the closing page cannot send.
    addEventListener('beforeunload', (event) => {
      const isStuck = this.#failures > 0 || this.isEnded || !navigator.onLine
      if (!this.files.isEmpty || (isStuck && this.#unsaved.hasAnswers)) event.preventDefault()
    })
    addEventListener('online', () => void this.flush())
    followWindows({ left: () => this.#left(), opened: () => void this.resume() })
    tellWindows('opened')
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  get saveStatus(): 'saved' | 'saving' | 'waiting' {
    if (this.#unsaved.isEmpty && !this.#sending) return 'saved'
    return this.#failures > 0 ? 'waiting' : 'saving'
  }

  /** Tells whether closing this window would lose an answer or a file. */
  get hasUnsaved(): boolean {
    return this.#unsaved.hasAnswers || !this.files.isEmpty
  }

  /** Changes an answer here at once, and on the server soon. */
  set(field: string, value: unknown): void {
    const [, document] = /^(.*\.documents\[\d+\])\.(?!type$)/.exec(field) ?? []
    if (document) this.ensureType(document, 'GOVERNMENT_ID')
    const following = answersThatFollow(this.state.values, field, value)
    const isRemoval = value === undefined || value === ''
    this.#refused = this.#refused.filter((problem) => problem.field !== field)
    this.state = { ...this.state, values: write(this.state.values, field, isRemoval ? undefined : value) }
    if (isRemoval && field.endsWith(']')) this.files.removeItem(field)
    this.#unsaved.add({ field, value: isRemoval ? null : value })
    for (const change of following) this.set(change.field, change.value)
    this.#schedule(pauseMs)
    this.#tell()
  }

  /** Sets what kind of document this is, before its first answer. */
  ensureType(document: string, type: string): void {
    if (read(this.state.values, `${document}.type`) === undefined) this.set(`${document}.type`, type)
  }

  setPage(page: string): void {
    if (this.state.page === page) return
    this.#unsaved.turnTo(page)
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
    return { ...this.#unsaved.addTo(state), problems: [...this.#refused, ...state.problems] }
  }

  /** Lets a customer who types without a pause be saved as well: the first of several changes sets the time. */
  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delayMs)
  }

  /** Sends everything that is not saved yet. Resolves when it is saved, or when it could not be. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (let attempt = 1; !this.#unsaved.isEmpty || this.#sending; attempt++) {
      while (this.#sending) await this.#sending
      if (this.#unsaved.isEmpty || this.isEnded) return
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
    const batch = this.#unsaved.take()
    const { changes, page } = batch
    const { revision, moves } = this.state
    try {
      const state = await api.save({ revision, moves, changes, ...(page === undefined ? {} : { page }) })
      this.#failures = 0
      this.#unsaved.arrived(batch)
      this.accept(state)
      return true
    } catch (error) {
      this.#unsaved.returned(batch)
      return this.#recover(error)
    }
  }

  /**
   * Sends the rest of a page that may be closing, at once and beside a save that is on its way. The service adds it to the
   * newest draft. The answers that are on their way are in it as well, because that save may come too late; not so the
   * items that it adds and removes.
   */
  async #sendLast(): Promise<void> {
    if (this.#unsaved.isEmpty || this.isEnded) return
    const { answers, removals } = this.#unsaved.onTheirWay()
    const batch = this.#unsaved.take()
    const { changes, page } = batch
    const { revision, moves } = this.state
    const where = page === undefined ? {} : { page }
    const last = { revision, moves: moves + removals, isLast: true, ...where, changes: [...answers, ...changes] }
    try {
      const state = await api.save(last)
      this.#unsaved.arrived(batch)
      const own = changes.filter(isRemovalOfItem).length
      if (state.moves !== last.moves + own) this.#movedElsewhere(changes.map(({ field }) => field).filter(isInList))
      this.accept(state)
    } catch {
      this.#unsaved.returned(batch)
      this.#schedule(pauseMs)
    }
  }

  async #recover(error: unknown): Promise<boolean> {
    const { status = 0, code = '', details = [] } = error instanceof ApiError ? error : {}
    const session = isOver(error) ? await this.#renew() : undefined
    if (session === 'ended') return false
    // The next success forgets it. A page that is refused all the same says that it is not saved.
    if (session === 'renewed') this.#failures += 1
    // A form that is locked takes no more answers, and a refused answer would be refused each time.
    if (code === 'PATCH_NOT_ALLOWED') this.#unsaved.drop(() => true)
    else if (status === 400) this.#refuse(details.map(({ field }) => field))
    const canGoOn = session === 'renewed' || code === 'CONFLICT' || code === 'PATCH_NOT_ALLOWED' || status === 400
    if (canGoOn && (await this.#reload())) return true
    this.#failures += 1
    this.#schedule(Math.min(longestPauseMs, pauseMs * 2 ** this.#failures))
    return false
  }

  /** Continues with the session that the link has opened in another window, or ends this one. */
  async #renew(): Promise<'renewed' | 'ended' | 'unknown'> {
    const session = await api.renew()
    if (session === 'ended') this.#end()
    return session
  }

  /** Saves what an ended window has kept, once the link has opened a new session in this browser. */
  async resume(): Promise<void> {
    if (!this.isEnded || !this.hasUnsaved || (await api.renew()) !== 'renewed' || !(await this.#reload())) return
    this.isEnded = false
    this.#tell()
    await this.flush()
  }

  /** Gives up the answers that the service names, or all if it names none of them, and tells so at their fields. */
  #refuse(named: readonly string[]): void {
    const refused = this.#unsaved.dropNamed(named)
    this.#refused = refused.map(({ field }) => ({ field, rule: '', kind: 'refused', mayStay: true }))
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
      this.#unsaved.drop(() => true)
      this.files.dropAll()
    } else if (state.moves !== this.state.moves) {
      // The place of a person or a document in its list is now that of another one.
      this.#movedElsewhere(this.#unsaved.drop(({ field }) => isInList(field)).map(({ field }) => field))
    }
    this.state = this.#withUnsaved(state)
    if (state.status === status && before !== JSON.stringify(this.state.values)) this.elsewhere.count += 1
    return true
  }

  /** `lost`: fields whose answers were given up. The files that wait for a place in a list are given up as well. */
  #movedElsewhere(lost: readonly string[]): void {
    this.elsewhere.moved([...lost, ...this.files.dropInLists()])
  }

  /** Ends the session of this browser, once every answer is saved. Resolves to false when there is no connection. */
  async leave(): Promise<boolean> {
    await this.#last
    await this.flush()
    if (this.isEnded) return true
    if (this.saveStatus !== 'saved') return false
    const tryToLeave = () => api.leave().catch((reason: unknown) => reason)
    let error = await tryToLeave()
    // The link was opened again: it is that session which ends.
    if (isOver(error) && (await api.renew()) === 'renewed') error = await tryToLeave()
    if (error !== undefined && !isOver(error)) return false
    if (error === undefined) tellWindows('left')
    this.files.dropAll()
    this.#end()
    return true
  }

  /** Another window has left the form. */
  #left(): void {
    if (this.isEnded) return
    this.files.dropAll()
    this.#end()
    void api.leave().catch(() => undefined)
  }

  #end(): void {
    this.isEnded = true
    this.#tell()
  }

  async #poll(): Promise<void> {
    const isBusy = () => this.#sending !== undefined || !this.#unsaved.isEmpty
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
      if (isOver(error)) await this.#renew()
    }
  }
}

function isInList(field: string): boolean {
  return field.includes('[')
}
