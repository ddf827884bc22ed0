import { Answers } from './answers.ts'
import { ApiError, api, isOver } from './api.ts'
import { type Closing, firstClosing, moveClosing, readClosing } from './closing.ts'
import { Saving } from './saving.ts'
import type { FormState } from './types.ts'
import { followWindows, tellWindows } from './windows.ts'

const pollMs = 3_000
const watchMs = 1_000
/** A customer who leaves hears after this time that it did not work yet. */
const patienceMs = 5_000
/** How often a window tries to continue with the session that another window has opened. */
const mostResumes = 6
const openStatuses = ['CREATED', 'NEEDS_ADDITIONAL_INFORMATION']

/**
 * The answers of this window and its session. Follows changes that another device makes. When the session ends, by the
 * service or by the clock of this page, it shows no answers, and keeps what is not saved until the link opens a new session
 * in this browser.
 */
export class FormStore {
  /** The page shows no answers any more. */
  isEnded = false
  /** The customer has left, and the session of the browser is not known to have ended. */
  isLeaving = false
  hasFailedToLeave = false
  /** When the session ends: without activity, and in any case. */
  closing: Closing = firstClosing(Date.now())
  readonly #listeners = new Set<() => void>()
  readonly #answers: Answers
  readonly #saving: Saving
  #version = 0
  /** The service has not said that the session is over. */
  #isEndedByClock = false
  #leave: Promise<void> | undefined

  constructor(state: FormState) {
    const tell = () => this.#tell()
    this.#answers = new Answers(state, tell)
    this.#saving = new Saving(this.#answers, {
      isOpen: () => !this.isEnded || this.isLeaving,
      renew: () => this.#renew(),
      reload: () => this.#reload(),
      onRenewed: () => this.#renewed(),
      tell,
      now: () => Date.now(),
    })
    setInterval(() => void this.#poll(), pollMs)
    setInterval(() => this.#endInTime(), watchMs)
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') return this.#saving.sendLast()
      this.#endInTime()
      void (this.isEnded ? this.#goOn() : this.#poll())
    })
    addEventListener('pageshow', () => this.#endInTime())
    // The browser asks before it closes a page with something that the closing page cannot send.
    addEventListener('beforeunload', (event) => {
      const isStuck = this.#saving.isStuck || this.isEnded || !navigator.onLine
      if (!this.files.isEmpty || (isStuck && this.#answers.unsaved.hasAnswers)) event.preventDefault()
    })
    addEventListener('online', () => void this.#goOn())
    followWindows({ leaving: () => this.#end(), left: () => this.#left(), opened: () => void this.#opened() })
    tellWindows('opened')
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  get state(): FormState {
    return this.#answers.state
  }

  get files(): Answers['files'] {
    return this.#answers.files
  }

  get elsewhere(): Answers['elsewhere'] {
    return this.#answers.elsewhere
  }

  get saveStatus(): Saving['status'] {
    return this.#saving.status
  }

  /** Tells whether closing this window would lose an answer or a file. */
  get hasUnsaved(): boolean {
    return this.#answers.unsaved.hasAnswers || !this.files.isEmpty
  }

  /** Changes an answer here at once, and on the server soon. */
  set(field: string, value: unknown): void {
    this.#answers.set(field, value)
    this.#saving.schedule()
    this.#tell()
  }

  /** Sets what kind of document this is, before its first answer. */
  ensureType(document: string, type: string): void {
    if (!this.#answers.ensureType(document, type)) return
    this.#saving.schedule()
    this.#tell()
  }

  /** The customer goes on without these answers, which the service refuses. */
  confirm(fields: readonly string[]): void {
    this.#answers.confirm(fields)
    this.#tell()
  }

  setPage(page: string): void {
    // Without answers there are no pages of people.
    if (this.isEnded || this.state.page === page) return
    this.#answers.setPage(page)
    this.#saving.schedule()
    this.#tell()
  }

  /** Sends everything that is not saved yet. Resolves when it is saved, or when it could not be. */
  flush(): Promise<void> {
    return this.#saving.flush()
  }

  /** Takes over the state after an upload, a submission or a decision. */
  accept(state: FormState): void {
    if (this.isEnded) return
    this.#saving.heard()
    this.#answers.take(state)
    this.#tell()
  }

  /** The customer stays. Resolves to false without a connection. */
  async stay(): Promise<boolean> {
    const state = await api.readState().catch(() => undefined)
    if (state) this.#renewed()
    if (state) this.accept(state)
    return state !== undefined
  }

  #renewed(): void {
    this.#saving.heard()
    this.closing = moveClosing(this.closing, Date.now())
  }

  /** Loads the newest answers, of a page that shows some, or is about to. Resolves to false without a connection. */
  async #reload(isShown = !this.isEnded): Promise<boolean> {
    const state = await api.readState().catch(() => undefined)
    if (!state) return false
    const { status } = this.state
    const before = JSON.stringify(this.state.values)
    this.#renewed()
    this.#answers.take(state)
    const isChanged = this.state.status === status && before !== JSON.stringify(this.state.values)
    if (!isShown) this.#answers.hide()
    else if (isChanged && !this.isEnded) this.elsewhere.count += 1
    return true
  }

  /** Continues with the session that the link has opened in another window, or ends this one. */
  async #renew(): Promise<'renewed' | 'ended' | 'unknown'> {
    const session = await this.#findSession()
    if (session === 'ended') {
      if (this.isLeaving) this.#hasLeft()
      else this.#end()
    }
    return session
  }

  /** Looks for a session of this form in this browser. A new one has another last end, which the next poll tells. */
  async #findSession(): Promise<'renewed' | 'ended' | 'unknown'> {
    const session = await api.renew()
    if (session === 'renewed') this.closing = firstClosing(Date.now())
    return session
  }

  /** Tries at once what has waited for a connection, or for a session. */
  async #goOn(): Promise<void> {
    if (this.isLeaving) return this.#finishLeaving()
    if (!this.isEnded) return this.flush()
    if (this.hasUnsaved || this.#isEndedByClock) await this.resume()
  }

  /** Continues after the end of the page, if this browser has a session of this form. */
  async resume(): Promise<'renewed' | 'ended' | 'unknown'> {
    if (!this.isEnded || this.isLeaving) return 'ended'
    const session = await this.#findSession()
    if (session !== 'renewed') return session
    if (!(await this.#reload(true))) return 'unknown'
    this.isEnded = false
    this.#isEndedByClock = false
    this.#tell()
    await this.flush()
    return 'renewed'
  }

  /** The link was opened in another window: this one saves what it has kept. */
  async #opened(): Promise<void> {
    this.isLeaving = false
    for (let attempt = 0; attempt < mostResumes && this.isEnded && this.hasUnsaved; attempt++) {
      if ((await this.resume()) !== 'unknown') return
      await new Promise((resolve) => setTimeout(resolve, watchMs * 2 ** attempt))
    }
  }

  /**
   * Ends the session of this browser, once every answer is saved. The page shows none of them from now on. Without a
   * connection it goes on trying.
   */
  async leave(): Promise<void> {
    this.isLeaving = true
    this.hasFailedToLeave = false
    setTimeout(() => this.#tellWhetherLeft(), patienceMs)
    this.files.dropAll()
    this.#end()
    tellWindows('leaving')
    await this.#saving.last
    await this.#finishLeaving()
  }

  #finishLeaving(): Promise<void> {
    this.#leave ??= this.#tryToLeave().finally(() => {
      this.#leave = undefined
      this.#tellWhetherLeft()
    })
    return this.#leave
  }

  #tellWhetherLeft(): void {
    this.hasFailedToLeave = this.isLeaving
    this.#tell()
  }

  async #tryToLeave(): Promise<void> {
    await this.flush()
    if (!this.isLeaving || this.#saving.status !== 'saved') return
    const error = await api.leave().catch((reason: unknown) => reason)
    if (error instanceof ApiError && error.status === 403) {
      // The browser has another session: one that the link has opened anew, or that of another form.
      const session = await api.renew()
      if (session === 'ended') this.isLeaving = false
      if (session === 'renewed')
        await api.leave().then(
          () => this.#hasLeft(),
          () => undefined,
        )
    } else if (error === undefined || isOver(error)) this.#hasLeft()
  }

  #hasLeft(): void {
    this.isLeaving = false
    this.#end()
    tellWindows('left')
  }

  /** Another window has left the form. What is on its way here must not open the session again. */
  #left(): void {
    this.files.dropAll()
    this.isLeaving = false
    this.#end()
    void api.leave().catch(() => undefined)
  }

  #end(): void {
    this.isEnded = true
    this.#answers.hide()
    this.#tell()
  }

  /** Ends the page when the session must have ended, also without a connection. Another window may have renewed it. */
  #endInTime(): void {
    const isOpen = openStatuses.includes(this.state.status)
    if (this.isEnded || !isOpen || Date.now() < this.closing.atMs + watchMs) return
    this.#isEndedByClock = true
    this.#end()
    void this.resume()
  }

  async #poll(): Promise<void> {
    if (this.isLeaving) return this.#finishLeaving()
    if (document.visibilityState === 'hidden') return
    if (this.isEnded || this.#saving.isBusy) return
    try {
      const { status, version, revision, ...left } = await api.readStatus()
      this.closing = readClosing(this.closing, left, Date.now())
      const isNewVersion = this.#version !== 0 && version !== this.#version
      this.#version = version
      if (this.isEnded || this.#saving.isBusy) return
      if (status === this.state.status && revision <= this.state.revision && !isNewVersion) return this.#saving.heard()
      await this.#reload()
      this.#tell()
    } catch (error) {
      if (isOver(error)) await this.#renew()
    }
  }
}
