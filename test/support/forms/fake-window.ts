import { vi } from 'vitest'
import { write } from '../../../web/forms/model/paths.ts'
import type { FormState, Tree } from '../../../web/forms/model/types.ts'
import { speak } from '../../../web/forms/texts/words.ts'

export type Lost = { field: string; reason: string; label: string }

/** The part of a window's answers that tests use. */
export type Store = {
  state: FormState
  isEnded: boolean
  isLeaving: boolean
  saveStatus: string
  hasUnsaved: boolean
  closing: { atMs: number; latestMs: number } | undefined
  elsewhere: { lost: readonly Lost[]; count: number; moves: number }
  set(field: string, value: unknown): void
  setPage(page: string): void
  confirm(fields: readonly string[]): void
  flush(): Promise<void>
  accept(state: FormState): void
  stay(): Promise<boolean>
  resume(): Promise<unknown>
  leave(): Promise<unknown>
}

export const person = (at: number, name = 'legalFirstName') => `kybData.associatedPersons[${at}].${name}`
export const lostOf = ({ elsewhere }: Store) => elsewhere.lost.map(({ field, reason }) => `${reason} ${field}`)

type Change = { field: string; value: unknown }
export type Save = { revision: number; moves: number; isLast?: boolean; page?: string; changes: Change[] }
type Reply = { status: number; body?: unknown }

const listeners = new Map<string, ((event: Event) => void)[]>()
const channels: { onmessage?: (event: { data: unknown }) => void }[] = []
const said: { news: string; formId: string }[] = []
let service: FakeService

const listen = (name: string, listener: (event: Event) => void) =>
  listeners.set(name, [...(listeners.get(name) ?? []), listener])

/** A browser around the model of the pages, and a service behind its network. Time stands still until a test moves it. */
export function fakeWindow(): void {
  vi.useFakeTimers()
  vi.stubGlobal('document', {
    visibilityState: 'visible',
    querySelector: (query: string) => ({ content: metaOf(query, 'this form', 'first token') }),
    addEventListener: listen,
  })
  vi.stubGlobal('addEventListener', listen)
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      onmessage?: (event: { data: unknown }) => void
      constructor() {
        channels.push(this)
      }
      postMessage(message: { news: string; formId: string }) {
        said.push(message)
      }
    },
  )
  vi.stubGlobal(
    'DOMParser',
    class {
      parseFromString(text: string) {
        return { querySelector: (query: string) => ({ content: metaOf(query, text, 'next token') }) }
      }
    },
  )
  vi.stubGlobal('fetch', (address: string, options: { method?: string; body?: string } = {}) =>
    service.answer(options.method ?? 'GET', address, options.body),
  )
}

function metaOf(query: string, formId: string, token: string): string {
  if (query.includes('form-id')) return formId
  if (query.includes('form-token')) return token
  return query.includes('form-base') ? '/forms' : ''
}

/** Lets the first save arrive, but not its reply. */
export function loseFirstReply(service: FakeService): void {
  let isFirst = true
  service.intercept = (method, _, save) => {
    if (method !== 'PATCH' || !isFirst) return undefined
    isFirst = false
    service.save(save)
    return { status: 503 }
  }
}

/** Ends what `fakeWindow` has begun: other tests run in the same process. */
export function closeWindow(): void {
  vi.useRealTimers()
  vi.unstubAllGlobals()
}

/** Opens a form with these answers. Node loads the model of the pages as it is; its types need those of a browser. */
export async function openStore(values: Tree, more: Partial<FormState> = {}): Promise<[Store, FakeService]> {
  listeners.clear()
  said.length = 0
  pageOf().visibilityState = 'visible'
  vi.clearAllTimers()
  service = new FakeService(values, more)
  await speak('en')
  const address: string = '../../../web/forms/model/store.ts'
  const { FormStore } = (await import(address)) as { FormStore: new (state: FormState) => Store }
  return [new FormStore(service.state), service]
}

/** Something happens to the page; tells whether the page asked the customer before it. */
export function happen(name: string): boolean {
  let isAsked = false
  const event = { preventDefault: () => (isAsked = true) } as unknown as Event
  for (const listener of listeners.get(name) ?? []) listener(event)
  return isAsked
}

const pageOf = () => (globalThis as unknown as { document: Tree }).document

export function hide(visibilityState: 'hidden' | 'visible'): void {
  pageOf().visibilityState = visibilityState
  happen('visibilitychange')
}

/** Another window of this browser tells something. */
export function hear(news: string, formId = 'this form'): void {
  for (const channel of channels) channel.onmessage?.({ data: { news, formId } })
}

export const toldWindows = () => said.map(({ news }) => news)

export class FakeService {
  state: FormState
  isOnline = true
  /** Whose session the browser has. */
  session: 'this form' | 'another form' | 'none' = 'this form'
  /** Whether the token of the page belongs to the session. */
  isTokenOld = false
  readonly saves: Save[] = []
  readonly asked: string[] = []
  /** Answers a request in place of the service, or lets it wait. */
  intercept: ((method: string, path: string, save: Save) => Promise<Reply | undefined> | Reply | undefined) | undefined

  constructor(values: Tree, more: Partial<FormState>) {
    this.state = {
      customerType: 'BUSINESS',
      status: 'CREATED',
      submission: 0,
      name: '',
      updatedAt: '',
      isSandbox: false,
      revision: 5,
      moves: 0,
      values,
      given: [],
      files: {},
      marks: {},
      problems: [],
      required: [],
      ...more,
    }
  }

  async answer(method: string, address: string, text: string | undefined) {
    const path = address.replace('/forms/', '')
    const body = (text === undefined ? {} : JSON.parse(text)) as Save
    this.asked.push(`${method} ${path}`)
    if (!this.isOnline) throw new Error('no connection')
    const { status, body: answer = {} } =
      (await this.intercept?.(method, path, body)) ?? this.#answer(method, path, body)
    if (!this.isOnline) throw new Error('no connection')
    const shown = JSON.stringify(answer)
    return { ok: status < 300, status, json: async () => JSON.parse(shown), text: async () => String(answer) }
  }

  #answer(method: string, path: string, body: Save): Reply {
    if (this.session === 'none') return { status: 401 }
    if (path === 'verify') {
      this.isTokenOld = this.session !== 'this form'
      return { status: 200, body: this.session }
    }
    if (this.isTokenOld || this.session !== 'this form') return { status: 403 }
    if (path === 'api/leave') this.session = 'none'
    if (path === 'api/status') {
      const { status, revision } = this.state
      return { status: 200, body: { status, revision, version: 1, secondsLeft: 1_800, mostSecondsLeft: 40_000 } }
    }
    return method === 'PATCH' ? this.save(body) : { status: 200, body: this.state }
  }

  save(save: Save): Reply {
    if (!save.isLast && save.revision !== this.state.revision) return { status: 409, body: { error: 'CONFLICT' } }
    this.saves.push(save)
    this.change(...save.changes)
    return { status: 200, body: this.state }
  }

  /** Changes the answers, as this window or another device does. */
  change(...changes: Change[]): void {
    let { values, moves } = this.state
    for (const { field, value } of changes) {
      values = write(values, field, value ?? undefined)
      if (field.endsWith(']') && value === null) moves += 1
    }
    this.state = { ...this.state, values, moves, revision: this.state.revision + 1 }
  }
}
