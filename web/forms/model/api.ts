import type { TimesLeft } from './closing.ts'
import { metaOf, parentOrigin } from './parent.ts'
import type { Catalog, Change, FormState } from './types.ts'

export const base = metaOf('form-base')
/** Names the form of this customer, the same in every session. */
export const formId = metaOf('form-id')
export const brand = { name: metaOf('brand-name'), logo: metaOf('brand-logo') }
const framed: Record<string, string> = parentOrigin ? { 'x-form-framed': 'true' } : {}

const parentQuery = parentOrigin && `?parent=${encodeURIComponent(parentOrigin)}`

/** Belongs to the session: a session that the link opens anew has another one. */
let token = metaOf('form-token')

/** `rule`: the rule that the answer or the file breaks. */
export type RefusedField = { field: string; rule?: string; demand?: string }

/** A refusal of the service, or status 0 when there is no connection. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: RefusedField[]
  constructor(status: number, code: string, message: string, details: RefusedField[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Tells whether the session has ended, or this browser has another one. */
export function isOver(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403)
}

const longestSilenceMs = 60_000

/** Ends every request that is on its way. */
let stopping = new AbortController()
let isLeaving = false
const longestAnswerMs = 60_000

/** Browsers finish requests of a closed page up to 64 KB in all. */
const mostKept = 30_000

/** Ends a request that takes too long, or whose session is over. Older browsers cannot join two signals. */
function endOfRequest(): AbortSignal {
  const ending = new AbortController()
  const end = () => ending.abort()
  setTimeout(end, longestAnswerMs)
  stopping.signal.addEventListener('abort', end, { once: true })
  return ending.signal
}

/** Lets the service keep a choice that is made by an address. The answer renews the session, so leaving ends it. */
export async function visit(address: string): Promise<void> {
  if (!isLeaving) await fetch(address, { signal: endOfRequest() })
}

/** Calls an operation of a form. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  if (isLeaving && !path.endsWith('leave')) throw new ApiError(0, 'NO_CONNECTION', 'the form is being left')
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${base}/api/${path}`, {
    method,
    headers: {
      'x-form-token': token,
      ...framed,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    keepalive: (sent.body?.length ?? 0) < mostKept,
    signal: endOfRequest(),
    ...sent,
  }).catch(() => {
    throw new ApiError(0, 'NO_CONNECTION', 'no connection')
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw refusalOf(response.status, answer ?? {})
  if (answer === undefined) throw new ApiError(0, 'NO_CONNECTION', 'the answer did not arrive')
  return answer as Answer
}

function refusalOf(status: number, answer: unknown): ApiError {
  const {
    error = '',
    message = '',
    details = [],
  } = answer as Partial<{
    error: string
    message: string
    details: RefusedField[]
  }>
  return new ApiError(status, error, message, details)
}

/** Ends the session. The answer to an earlier request would open it again, so these end first. */
export async function leaveForm(path: string): Promise<void> {
  stopping.abort()
  stopping = new AbortController()
  isLeaving = true
  try {
    await call<object>('POST', path)
  } finally {
    isLeaving = false
  }
}

/**
 * Continues with the session that the link has opened in another window of this browser, if it is one of the same form.
 * Without a connection nothing is known about it.
 */
export async function renewForm(path: string): Promise<'renewed' | 'ended' | 'unknown'> {
  const response = await fetch(`${base}/${path}${parentQuery}`, { signal: endOfRequest() }).catch(() => undefined)
  if (!response || response.status >= 500 || response.status === 429) return 'unknown'
  const text = await response.text().catch(() => undefined)
  if (text === undefined) return 'unknown'
  const page = new DOMParser().parseFromString(text, 'text/html')
  const isSame = response.ok && metaOf('form-id', page) === formId && formId !== ''
  if (!isSame) return 'ended'
  token = metaOf('form-token', page)
  return 'renewed'
}

export type PolledStatus = TimesLeft & { status: string; version: number; revision: number }

export const api = {
  readCatalog: () => call<Catalog>('GET', 'catalog'),
  readState: () => call<FormState>('GET', 'state'),
  readStatus: () => call<PolledStatus>('GET', 'status'),
  leave: () => leaveForm('leave'),
  renew: () => renewForm('verify'),
  readLink: () => call<{ link: string }>('GET', 'link'),
  save: (body: { revision: number; moves: number; isLast?: boolean; page?: string; changes: readonly Change[] }) =>
    call<FormState>('PATCH', 'draft', body),
  submit: (revision: number) => call<FormState>('POST', 'submission', { revision }),
  decide: (body: { outcome: string; issues?: string[] }) => call<FormState>('POST', 'sandbox/decision', body),

  /** Uploads a file and tells how far it is. XMLHttpRequest can tell; fetch cannot. */
  upload: (
    { field, moves }: { field: string; moves: number },
    file: Blob,
    onProgress: (share: number) => void,
    signal: AbortSignal,
  ): Promise<FormState> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open('POST', `${base}/api/files?field=${encodeURIComponent(field)}&moves=${moves}`)
      for (const [name, value] of Object.entries(framed)) request.setRequestHeader(name, value)
      request.setRequestHeader('x-form-token', token)
      request.setRequestHeader('content-type', file.type)
      const fail = () => reject(new ApiError(0, 'NO_CONNECTION', 'no connection'))
      const stop = () => {
        request.abort()
        fail()
      }
      // A slow connection may take minutes; a dead one makes no progress.
      let timer = setTimeout(stop, longestSilenceMs)
      request.upload.onprogress = (event) => {
        clearTimeout(timer)
        timer = setTimeout(stop, longestSilenceMs)
        onProgress(event.loaded / Math.max(1, event.total))
      }
      request.onerror = fail
      request.onabort = fail
      signal.addEventListener('abort', () => request.abort(), { once: true })
      if (signal.aborted) return stop()
      request.onloadend = () => clearTimeout(timer)
      request.onload = () => {
        const answer: unknown = parse(request.responseText)
        if (request.status === 200) resolve(answer as FormState)
        else reject(refusalOf(request.status, answer))
      }
      request.send(file)
    }),
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
