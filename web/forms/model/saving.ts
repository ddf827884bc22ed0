import type { Answers } from './answers.ts'
import { ApiError, api, isOver } from './api.ts'
import { isInList, isRemovalOfItem } from './unsaved.ts'

const pauseMs = 500
const longestPauseMs = 15_000
/** A window that loses against other devices this many times in a row waits before it tries again. */
const mostAttempts = 5
/** A save that takes longer is told like one that failed. */
const stuckMs = 5_000
/** The last save of a page is not compared with other devices, so it must not come from a window that has slept. */
const freshMs = 60_000

type Session = {
  /** Tells whether answers may still be sent. */
  isOpen(): boolean
  /** Continues with the session that the link has opened in another window, or ends this one. */
  renew(): Promise<'renewed' | 'ended' | 'unknown'>
  /** Loads the newest answers. Resolves to false without a connection. */
  reload(): Promise<boolean>
  /** The service has answered, and has renewed the session. */
  onRenewed(): void
  tell(): void
  now(): number
}

/** Saves what is typed after a short pause, one request at a time, and keeps trying while there is no connection. */
export class Saving {
  readonly #answers: Answers
  readonly #session: Session
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<boolean> | undefined
  /** Last saves of the page that are on their way, of a customer who may come back before they arrive. */
  #beside: Promise<void> | undefined
  #sentAtMs = 0
  #heardAtMs: number
  #last: Promise<void> = Promise.resolve()
  #failures = 0

  constructor(answers: Answers, session: Session) {
    this.#answers = answers
    this.#session = session
    this.#heardAtMs = session.now()
  }

  get isBusy(): boolean {
    return this.#isSending || !this.#answers.unsaved.isEmpty
  }

  get #isSending(): boolean {
    return this.#sending !== undefined || this.#beside !== undefined
  }

  get status(): 'saved' | 'saving' | 'waiting' {
    if (!this.isBusy) return 'saved'
    return this.isStuck ? 'waiting' : 'saving'
  }

  get isStuck(): boolean {
    const isSlow = this.#isSending && this.#session.now() - this.#sentAtMs >= stuckMs
    return this.#failures > 0 || isSlow
  }

  /** The service has answered, so that this window knows the newest answers. */
  heard(): void {
    this.#heardAtMs = this.#session.now()
  }

  /** Lets a customer who types without a pause be saved as well: the first of several changes sets the time. */
  schedule(delayMs = pauseMs): void {
    this.#timer ??= setTimeout(() => void this.flush(), delayMs)
  }

  /** Sends everything that is not saved yet. Resolves when it is saved, or when it could not be. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (let attempt = 1; this.isBusy; attempt++) {
      // A last save that arrives late would replace the newer answers.
      while (this.#isSending) await (this.#sending ?? this.#beside)
      if (this.#answers.unsaved.isEmpty || !this.#session.isOpen()) return
      if (attempt > mostAttempts) return this.schedule(longestPauseMs)
      const slow = setTimeout(() => this.#session.tell(), stuckMs)
      this.#sentAtMs = this.#session.now()
      this.#sending = this.#send().finally(() => {
        clearTimeout(slow)
        this.#sending = undefined
        this.#session.tell()
      })
      if (!(await this.#sending)) return
      // Many changes go in several saves, each of which is progress.
      if (this.#failures === 0 && this.#isProgress) attempt = 0
    }
  }

  #isProgress = false

  /** Resolves to false when the next attempt has to wait. */
  async #send(): Promise<boolean> {
    const batch = this.#answers.unsaved.take()
    const { changes, page } = batch
    const { revision, moves } = this.#answers.state
    this.#isProgress = false
    try {
      const state = await api.save({
        revision,
        moves,
        changes: changes.map(asSent),
        ...(page === undefined ? {} : { page }),
      })
      this.#failures = 0
      this.#isProgress = true
      this.#session.onRenewed()
      this.#answers.saved(batch, state, revision, changes.filter(isRemovalOfItem).length)
      return true
    } catch (error) {
      // A last save that is on its way may bring them.
      this.#answers.unsaved.returned(batch, isRefusal(error) && !this.#beside)
      return this.#recover(error, batch)
    }
  }

  /** Sends the rest of a page that may be closing. Resolves before the customer leaves. */
  sendLast(): void {
    this.#last = this.#sendLast()
  }

  get last(): Promise<void> {
    return this.#last
  }

  async #sendLast(): Promise<void> {
    if (this.#answers.unsaved.isEmpty || !this.#session.isOpen()) return
    // The changes of another device are compared first.
    if (this.#session.now() - this.#heardAtMs > freshMs) return this.flush()
    if (!this.#isSending) this.#sentAtMs = this.#session.now()
    const slow = setTimeout(() => this.#session.tell(), stuckMs)
    const sent = Promise.all([this.#beside, this.#sendBeside()]).then(() => {
      clearTimeout(slow)
      if (this.#beside === sent) this.#beside = undefined
      this.#session.tell()
    })
    this.#beside = sent
    return sent
  }

  /**
   * Sends at once and beside a save that is on its way. The service adds it to the newest draft. The answers that are on
   * their way are in it as well, because that save may come too late; not so the items that it adds and removes. Never
   * rejects.
   */
  async #sendBeside(): Promise<void> {
    const { unsaved, state } = this.#answers
    const { answers, removals } = unsaved.onTheirWay()
    const batch = unsaved.take()
    const { changes, page } = batch
    const { revision, moves } = state
    const where = page === undefined ? {} : { page }
    const sent = [...answers, ...changes].map(asSent)
    try {
      const saved = await api.save({ revision, moves: moves + removals, isLast: true, ...where, changes: sent })
      this.#session.onRenewed()
      const own = removals + changes.filter(isRemovalOfItem).length
      const isMoved = saved.moves !== moves + own
      unsaved.overtaken(batch, answers, isMoved)
      if (isMoved)
        this.#answers.moved(
          saved,
          changes.filter(({ field }) => isInList(field)),
        )
      if (isMoved && unsaved.hasItemsOnTheirWay) return
      this.#answers.saved({ page, changes: [...answers, ...changes] }, saved, revision, saved.moves - moves)
    } catch (error) {
      unsaved.returned(batch, isRefusal(error))
      this.schedule()
    }
  }

  async #recover(error: unknown, batch: Parameters<Answers['refuse']>[0]): Promise<boolean> {
    const { status = 0, code = '', details = [] } = error instanceof ApiError ? error : {}
    const session = isOver(error) ? await this.#session.renew() : undefined
    if (session === 'ended') return false
    // The next success forgets it. A page that is refused all the same says that it is not saved.
    if (session === 'renewed') this.#failures += 1
    // A form that is locked takes no more answers, and a refused answer would be refused each time.
    const isRefused = status === 400 || status === 413
    if (code === 'PATCH_NOT_ALLOWED') this.#answers.giveUp()
    else if (isRefused)
      this.#answers.refuse(
        batch,
        details.map(({ field }) => field),
      )
    this.#isProgress = isRefused
    const canGoOn = session === 'renewed' || code === 'CONFLICT' || code === 'PATCH_NOT_ALLOWED' || isRefused
    if (canGoOn && (await this.#session.reload())) return true
    this.#failures += 1
    this.schedule(Math.min(longestPauseMs, pauseMs * 2 ** this.#failures))
    return false
  }
}

/** Tells whether the service has answered that it did not take a save. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
}

function asSent({ field, value }: { field: string; value: unknown }): { field: string; value: unknown } {
  return { field, value }
}
