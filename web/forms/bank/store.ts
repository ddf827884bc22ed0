import { ApiError, isOver } from '../model/api.ts'
import { type Closing, firstClosing, moveClosing, readClosing } from '../model/closing.ts'
import { answersThatFollow } from '../model/following-answers.ts'
import { read, write } from '../model/paths.ts'
import { problemsAt, type ShownProblem } from '../model/problems.ts'
import type { Answered, Catalog, Problem, Tree } from '../model/types.ts'
import { followWindows, tellWindows } from '../model/windows.ts'
import { bankApi } from './api.ts'
import { type BankState, bodyOf, chosenRail, countryPath, fieldsOf, missingFirst, railPath, railsOf } from './model.ts'

const pollMs = 3_000
const watchMs = 1_000
/** A check while typing waits this long for the next key. */
const pauseMs = 400

/** The answers to save, with a random key: by it the service knows a save that is retried. */
type Save = { saveKey: string }

/** A refusal with one of these is that of the service, which has not saved. Others may come from in between. */
const settling: readonly number[] = [400, 409]

type Refused = { field: string; rule?: string; demand?: string }

/**
 * The answers of a bank account and the session of this window. They are in the memory of the page alone: the service keeps
 * no draft, and the page forgets them when the session ends, when the customer leaves, and when the account is saved.
 */
export class BankStore {
  about: BankState
  isEnded = false
  /** The customer has left, and the session of the browser is not known to have ended. */
  isLeaving = false
  closing: Closing = firstClosing(Date.now())
  /** Another window or device has saved an account with this link. */
  isSavedElsewhere = false
  readonly catalog: Catalog
  readonly #listeners = new Set<() => void>()
  #values: Tree = {}
  #problems: Problem[] = []
  #changed = new Set<string>()
  #left = new Set<string>()
  #checks = 0
  /** Sent to be saved, without an answer that settles it so far. */
  #unheard: Save | undefined
  #isSaving = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The requests on their way: their answers renew the session. */
  #requests: Promise<unknown> = Promise.resolve()

  constructor(about: BankState, catalog: Catalog) {
    this.about = about
    this.catalog = catalog
    setInterval(() => void this.#poll(), pollMs)
    setInterval(() => this.#endInTime(), watchMs)
    document.addEventListener('visibilitychange', () => {
      this.#endInTime()
      if (document.visibilityState === 'visible') void this.#poll()
    })
    addEventListener('pageshow', () => this.#endInTime())
    followWindows({ leaving: () => this.#end(), left: () => void this.#followLeaving(), opened: () => undefined })
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  get values(): Tree {
    return this.#values
  }

  get #answers() {
    return { state: this.about, values: this.#values }
  }

  get state(): Answered {
    const { required } = fieldsOf(this.#answers, this.catalog)
    return { values: this.#values, problems: this.#problems, required, given: [], files: {} }
  }

  set(path: string, value: unknown): void {
    const following = answersThatFollow(this.#values, path, value)
    this.#values = write(this.#values, path, value === '' ? undefined : value)
    this.#changed.add(path)
    this.#problems = this.#problems.filter(({ field }) => field !== path)
    for (const next of following) this.set(next.field, next.value)
    if (path === countryPath) this.#chooseRail()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.check(), pauseMs)
    this.#tell()
  }

  /** A country with one rail leaves nothing to choose. */
  #chooseRail(): void {
    const [first, ...others] = railsOf(this.#answers)
    const isPossible = chosenRail(this.#answers) !== undefined
    if (!isPossible || others.length === 0) {
      this.#values = write(this.#values, railPath, others.length === 0 ? first?.rail : undefined)
    }
  }

  /** The customer has left a field: from now on its problem is shown. */
  async flush(): Promise<void> {
    for (const path of this.#changed) this.#left.add(path)
    this.#changed.clear()
    await this.check()
  }

  /** Asks the service what is wrong with the answers. Answers the code of a refusal when it could not be asked. */
  async check(): Promise<string | undefined> {
    clearTimeout(this.#timer)
    if (this.isEnded) return 'OTHER'
    if (this.about.status !== 'OPEN') return undefined
    this.#checks += 1
    const turn = this.#checks
    const missing = missingFirst(this.#answers)
    if (missing) {
      this.#refuse([{ field: missing, rule: 'REQUIRED' }])
      return undefined
    }
    try {
      const { problems } = await this.#calling(() => bankApi.check(bodyOf(this.#answers, this.catalog)))
      // A later check knows more.
      if (turn === this.#checks) this.#refuse(problems)
      return undefined
    } catch (error) {
      return this.#refused(error)
    }
  }

  #refuse(refused: readonly Refused[]): void {
    this.#problems = refused.map(({ field, rule = '', demand }) => ({
      field,
      rule,
      ...(demand === undefined ? {} : { demand }),
      kind: rule === 'REQUIRED' && read(this.#values, field) === undefined ? 'due' : 'invalid',
      mayStay: false,
    }))
    this.#tell()
  }

  /** The problems of the page: all, or those of the fields that the customer has left. */
  problems(isAll: boolean): ShownProblem[] {
    const { account, owner } = fieldsOf(this.#answers, this.catalog)
    const found = problemsAt(this.state, [countryPath, railPath, ...account, ...owner])
    return isAll ? found : found.filter(({ place }) => this.#left.has(place))
  }

  /** Saves the account. Answers the code of a refusal, if there is one. */
  async save(): Promise<string | undefined> {
    this.#isSaving = true
    const code = await this.#send(this.#saveOf(bodyOf(this.#answers, this.catalog)))
    this.#isSaving = false
    return code
  }

  /** The same answers again are the same save; others must not pass for it. */
  #saveOf(body: object): Save {
    const again = { ...body, saveKey: this.#unheard?.saveKey ?? '' }
    if (JSON.stringify(again) === JSON.stringify(this.#unheard)) return again
    const bytes = crypto.getRandomValues(new Uint8Array(24))
    return { ...body, saveKey: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') }
  }

  async #send(save: Save): Promise<string | undefined> {
    this.#unheard = save
    try {
      const saved = await this.#calling(() => bankApi.save(save))
      this.#unheard = undefined
      this.#take(saved)
      return undefined
    } catch (error) {
      if (error instanceof ApiError && settling.includes(error.status)) this.#unheard = undefined
      return this.#refused(error)
    }
  }

  /** Shows what is wrong with the answers, or how the account stands now. */
  async #refused(error: unknown): Promise<string> {
    if (!(error instanceof ApiError)) return 'OTHER'
    for (const { field } of error.details) this.#left.add(field)
    if (error.details.length > 0) this.#refuse(error.details)
    if (error.code === 'CONFLICT') await this.#reload()
    return error.code
  }

  /** Asks the service, and counts as activity. */
  async #calling<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = await this.#asking(ask)
    this.closing = moveClosing(this.closing, Date.now())
    return answer
  }

  /** Asks the service. Continues with a session that the link has opened in another window, or ends this page. */
  async #asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const follow = () => {
      const asked = ask()
      this.#requests = Promise.allSettled([this.#requests, asked])
      return asked
    }
    try {
      return await follow()
    } catch (error) {
      if (!isOver(error)) throw error
      const session = await bankApi.renew()
      if (session === 'ended') this.#end()
      if (session !== 'renewed') throw error
      this.closing = firstClosing(Date.now())
      return follow()
    }
  }

  #take(about: BankState): void {
    this.about = about
    if (!['OPEN', 'WAITING'].includes(about.status)) this.#forget()
    this.#tell()
  }

  async #reload(): Promise<boolean> {
    const about = await this.#calling(bankApi.readState).catch(() => undefined)
    if (!about || this.isEnded) return false
    this.isSavedElsewhere = this.about.status === 'OPEN' && about.status === 'SAVED'
    this.#take(about)
    return true
  }

  stay(): Promise<boolean> {
    return this.#reload()
  }

  async leave(): Promise<void> {
    this.isLeaving = true
    this.#end()
    tellWindows('leaving')
    await this.#finishLeaving()
  }

  async #finishLeaving(): Promise<void> {
    // An answer that comes after the end of the session would open it again.
    await this.#requests
    const error = await bankApi.leave().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error !== undefined && !isOver(error)) return
    this.isLeaving = false
    tellWindows('left')
    this.#tell()
  }

  /** Another window has left the form. An answer that comes here after that must not open the session again. */
  async #followLeaving(): Promise<void> {
    this.#end()
    await this.#requests
    await bankApi.leave().catch(() => undefined)
  }

  #forget(): void {
    this.#values = {}
    this.#unheard = undefined
    this.#problems = []
    this.#changed.clear()
    this.#left.clear()
  }

  #end(): void {
    this.isEnded = true
    clearTimeout(this.#timer)
    this.#forget()
    this.#tell()
  }

  /** Ends the page when the session must have ended, also without a connection. */
  #endInTime(): void {
    if (!this.isEnded && this.about.status !== 'CLOSED' && Date.now() > this.closing.atMs + watchMs) this.#end()
  }

  async #poll(): Promise<void> {
    if (this.isLeaving) return this.#finishLeaving()
    if (this.isEnded || this.#isSaving || document.visibilityState === 'hidden') return
    if (this.about.status === 'SAVED') return
    try {
      const { status, version, ...left } = await this.#asking(bankApi.readStatus)
      this.closing = readClosing(this.closing, left, Date.now())
      const isNew = status !== this.about.status || version !== this.about.version
      if (!isNew || this.isEnded || this.#isSaving) return
      // Sending the same again tells whether it was saved: the service takes it once.
      if (status === 'SAVED' && this.#unheard) await this.#send(this.#unheard)
      else await this.#reload()
    } catch {
      // The next poll tries again, unless the session is over.
    }
  }
}
