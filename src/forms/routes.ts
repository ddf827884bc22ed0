import { randomBytes } from 'node:crypto'
import { verificationIssues } from '../catalog/issues/verification-issues.ts'
import { statusesOpenToData } from '../customers/customer.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import { sourceOf } from '../http/admission/address.ts'
import type { Page, PageAnswer, PageRequest } from '../http/pages/page.ts'
import type { StaticFiles } from '../http/pages/static-files.ts'
import { badField, badFields, Refusal } from '../lib/refusal.ts'
import { createBuckets, secondsUntilNext } from '../lib/token-bucket.ts'
import type { Validated } from '../lib/validated.ts'
import { formCatalog } from './choices.ts'
import { sessionEnded } from './drafts.ts'
import { formPage, noticePage, pagePolicy } from './html.ts'
import { isFromOurPage } from './origin.ts'
import { tellRules } from './rules.ts'
import type { FormService } from './service.ts'
import {
  type FormSession,
  formIdOf,
  isPageToken,
  lastMomentOf,
  pageTokenOf,
  readSession,
  renewSession,
  sealSession,
} from './session.ts'
import { texts } from './texts/en.ts'
import { readDecision, readSaveDraft, readSubmit } from './wire.ts'

export type FormRoutesOptions = {
  forms: FormService
  /** The built pages; undefined when they were never built. */
  files: StaticFiles | undefined
  sessionKey: Buffer
  formsUrl(): string
  requestsPerMinute: number
  /** Links that do not exist, by address. */
  failuresPerMinute: number
  isSandbox: boolean
}

const mostFileBytes = 11 * 1024 * 1024
/** Names that every page of this kind must have. */
const notBuilt = 'The pages are not built'

type Admitted = { session: FormSession; opened: OpenCustomer; request: PageRequest }

export function formPages(options: FormRoutesOptions): Page[] {
  const { forms, files, isSandbox } = options
  const guards = createGuards(options)
  const style = files?.entries['app.css'] ?? ''

  const notice = (status: number, title: string, text: string): PageAnswer => {
    const nonce = randomBytes(16).toString('base64')
    const body = noticePage({ nonce, base: guards.base(), style, title, text })
    return { status, body, headers: { ...htmlHeaders, 'content-security-policy': pagePolicy(nonce) } }
  }

  /** A page for people: a refusal is a page, too. */
  const page = (path: string, answer: (request: PageRequest) => Promise<PageAnswer>): Page => ({
    method: 'GET',
    path,
    admit: async (request) => async () => {
      try {
        guards.limitRate(request)
        return await answer(request)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const [title, text] = noticeOf(error)
        const shown = notice(error.statusCode, title, text)
        return { ...shown, headers: { ...shown.headers, ...error.headers } }
      }
    },
  })

  /**
   * An operation of the script. Every one needs the session and the token of its page, and renews the session. Polls
   * renew it only while the form is locked: then the page shows no answers, and follows the status as long as it is open.
   * An upload never does: it may end minutes after the customer has left the form in another window.
   */
  const operation = (
    method: Page['method'],
    path: string,
    run: (admitted: Admitted, body: Buffer) => Promise<unknown>,
    more: { maxBytes?: number; isPoll?: boolean; isUpload?: boolean; endsSession?: boolean } = {},
  ): Page => ({
    method,
    path: `/forms/api/${path}`,
    ...(more.maxBytes === undefined ? {} : { maxBytes: more.maxBytes }),
    admit: async (request) => {
      const admitted = await guards.admit(request, method !== 'GET')
      return async (body) => {
        const answer = await run(admitted, body).catch(tellRules)
        const isLocked = !statusesOpenToData.includes(admitted.opened.customer.status)
        const isRenewed = !more.isUpload && (!more.isPoll || isLocked)
        const session = isRenewed ? renewSession(admitted.session, Date.now()) : admitted.session
        const cookie = more.endsSession ? guards.clearedCookie(request) : guards.cookieOf(session, request)
        const shown = more.isPoll ? { ...(answer as object), ...timesLeft(session) } : answer
        return {
          status: 200,
          body: JSON.stringify(shown),
          headers: { ...jsonHeaders, ...(isRenewed ? { 'set-cookie': cookie } : {}) },
        }
      }
    },
  })

  return [
    page('/forms/verify/:token', async (request) => {
      const session = await guards.exchange(request)
      if (!session) throw new Refusal('NOT_FOUND', 'No form has this link')
      const location = `${guards.base()}/verify`
      return { status: 303, headers: { location, 'set-cookie': guards.cookieOf(session, request) } }
    }),
    page('/forms/verify', async (request) => {
      const { session } = await guards.open(request)
      const script = files?.entries['app.js']
      if (script === undefined) throw new Refusal('SERVICE_UNAVAILABLE', notBuilt)
      const nonce = randomBytes(16).toString('base64')
      const token = pageTokenOf(options.sessionKey, session)
      const formId = formIdOf(options.sessionKey, session)
      const body = formPage({ nonce, base: guards.base(), token, formId, script, style })
      const headers = { ...htmlHeaders, 'content-security-policy': pagePolicy(nonce) }
      return {
        status: 200,
        body,
        headers: { ...headers, 'set-cookie': guards.cookieOf(renewSession(session, Date.now()), request) },
      }
    }),
    {
      method: 'GET',
      path: '/forms/assets/:name',
      admit: async (request) => async () => {
        guards.limitRate(request)
        const file = await files?.read(request.params.name ?? '', request)
        return file ?? notice(404, ...texts.noFile)
      },
    },
    page('/forms/*', async () => {
      throw new Refusal('NOT_FOUND', 'No form has this address')
    }),
    operation('GET', 'catalog', async () =>
      isSandbox ? { ...formCatalog, issueCodes: codesByCategory } : formCatalog,
    ),
    operation('GET', 'state', ({ opened }) => forms.readState(opened)),
    operation('GET', 'status', ({ opened }) => forms.readStatus(opened), { isPoll: true }),
    operation('POST', 'leave', async () => ({}), { endsSession: true }),
    operation('GET', 'link', async ({ opened }) => ({ link: forms.linkOf(opened) })),
    operation('PATCH', 'draft', ({ opened }, body) => forms.save(opened, readJson(readSaveDraft, body)), {
      maxBytes: 500_000,
    }),
    operation(
      'POST',
      'files',
      ({ opened, request: { query, headers } }, bytes) => {
        const mediaType = headers['content-type'] ?? ''
        if (!/^(?:image\/(?:jpeg|png)|application\/pdf)$/.test(mediaType)) {
          throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send a JPG, PNG or PDF file')
        }
        const { field = '', moves = '0' } = query
        return forms.addFile(opened, { field, moves: Number(moves), mediaType, bytes })
      },
      { maxBytes: mostFileBytes, isUpload: true },
    ),
    operation('POST', 'submission', ({ opened }, body) => forms.submit(opened, readJson(readSubmit, body).revision)),
    ...(isSandbox
      ? [
          operation('POST', 'sandbox/decision', ({ opened }, body) =>
            forms.decide(opened, readJson(readDecision, body)),
          ),
        ]
      : []),
  ]
}

/** The issues that the ribbon of the sandbox can ask for. */
const codesByCategory = Object.fromEntries(
  [...Map.groupBy(verificationIssues, ({ category }) => category)].map(([category, issues]) => [
    category,
    issues.map(({ code }) => code),
  ]),
)

const htmlHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(self), geolocation=(), microphone=()',
  'x-frame-options': 'DENY',
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

function noticeOf({ code, message }: Refusal): readonly [title: string, text: string] {
  switch (code) {
    case 'UNAUTHORIZED':
      return texts.sessionEnded
    case 'RATE_LIMITED':
      return texts.tooMany
    case 'SERVICE_UNAVAILABLE':
      return message === notBuilt ? texts.notBuilt : texts.unavailable
    default:
      return texts.badLink
  }
}

/** Decides who asks: the limits of an address, the session, the token of the page, and where a change comes from. */
function createGuards({ forms, sessionKey, formsUrl, requestsPerMinute, failuresPerMinute }: FormRoutesOptions) {
  const requests = createBuckets(requestsPerMinute)
  const failures = createBuckets(failuresPerMinute)
  const base = () => new URL(formsUrl()).pathname.replace(/\/+$/, '')

  const limitRate = ({ address }: PageRequest): void => {
    const source = sourceOf(address)
    const isEmpty = requests.isEmpty(source, Date.now())
    requests.take(source, Date.now())
    if (isEmpty) throw tooMany(requestsPerMinute)
  }

  const open = async (request: PageRequest): Promise<Admitted> => {
    const session = readSession(sessionKey, request.cookies.get(cookieNameOf(request)) ?? '', Date.now())
    const opened = session && (await forms.open(session))
    if (!session || !opened) throw sessionEnded()
    return { session, opened, request }
  }

  return {
    base,
    limitRate,
    open,
    exchange: async ({ params, address }: PageRequest): Promise<FormSession | undefined> => {
      const source = sourceOf(address)
      if (failures.isEmpty(source, Date.now())) throw tooMany(failuresPerMinute)
      const session = await forms.exchange(params.token ?? '', Date.now())
      if (!session) failures.take(source, Date.now())
      return session
    },
    admit: async (request: PageRequest, isChange: boolean): Promise<Admitted> => {
      limitRate(request)
      const origins = [request.origin, new URL(formsUrl()).origin]
      if (isChange && !isFromOurPage(request.headers, origins)) {
        throw new Refusal('FORBIDDEN', 'Only the pages of this form may send this request')
      }
      const admitted = await open(request)
      if (!isPageToken(sessionKey, admitted.session, request.headers['x-form-token'])) {
        throw new Refusal('FORBIDDEN', 'This page belongs to another session; reload it')
      }
      return admitted
    },
    cookieOf: (session: FormSession, request: PageRequest): string =>
      writeCookie(request, sealSession(sessionKey, session), secondsLeft(session), base()),
    clearedCookie: (request: PageRequest): string => writeCookie(request, '', 0, base()),
  }
}

function secondsLeft({ expiresAtMs }: FormSession): number {
  return Math.max(0, Math.round((expiresAtMs - Date.now()) / 1_000))
}

/** Tells a polling page when its session ends: without activity, and in any case. */
function timesLeft(session: FormSession): { secondsLeft: number; mostSecondsLeft: number } {
  const mostSecondsLeft = Math.max(0, Math.round((lastMomentOf(session) - Date.now()) / 1_000))
  return { secondsLeft: secondsLeft(session), mostSecondsLeft }
}

/** Browsers accept the prefix __Host- only from this very host, over https and for all paths: no other host can set it. */
function cookieNameOf({ isSecure }: PageRequest): string {
  return isSecure ? '__Host-svc_form' : 'svc_form'
}

function writeCookie(request: PageRequest, value: string, seconds: number, base: string): string {
  const path = request.isSecure ? '/' : base || '/'
  const flags = ['HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`, ...(request.isSecure ? ['Secure'] : [])]
  return [`${cookieNameOf(request)}=${value}`, `Path=${path}`, ...flags].join('; ')
}

function tooMany(perMinute: number): Refusal {
  const retryAfter = String(secondsUntilNext(0, perMinute))
  return new Refusal('RATE_LIMITED', 'Too many requests from this address; try again after the time in retry-after', {
    headers: { 'retry-after': retryAfter },
  })
}

function readJson<Value>(check: (value: unknown) => Validated<Value>, body: Buffer): Value {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    throw badField('body', 'must be JSON')
  }
  const checked = check(value)
  if (!checked.ok) throw badFields(checked.problems)
  return checked.value
}
