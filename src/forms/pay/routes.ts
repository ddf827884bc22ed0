import { randomBytes } from 'node:crypto'
import { sourceOf } from '../../http/admission/address.ts'
import type { Page, PageAnswer, PageRequest } from '../../http/pages/page.ts'
import type { StaticFiles } from '../../http/pages/static-files.ts'
import { Refusal } from '../../lib/refusal.ts'
import { createBuckets, secondsUntilNext } from '../../lib/token-bucket.ts'
import { createLanguageChoice } from '../hosting/language-wire.ts'
import { noticePage, pagePolicy } from '../html.ts'
import { renderParts, renderPayPage } from './html.ts'
import type { PayService } from './service.ts'
import { type PaySession, payPageIdOf, readPaySession, renewPaySession, sealPaySession } from './session.ts'
import { secondsLeftOf, stateIdOf } from './streams.ts'
import { payLocaleOf, payTextsOf } from './texts/texts.ts'
import { isOver, type Transfer } from './transfer.ts'

export type PayPagesOptions = {
  pay: PayService
  /** The built pages; undefined when they were never built. The page works without them. */
  files: StaticFiles | undefined
  sessionKey: Buffer
  formsUrl(): string
  requestsPerMinute: number
  /** Links that do not exist, by address. */
  failuresPerMinute: number
  isSandbox: boolean
}

export function payPages(options: PayPagesOptions): Page[] {
  const { pay, files, isSandbox } = options
  const guards = createGuards(options)
  const style = files?.entries['app.css'] ?? ''
  const { languageFor, keepChoice } = createLanguageChoice({ base: guards.base, isSandbox })

  const page = (path: string, answer: (request: PageRequest) => Promise<PageAnswer>): Page => ({
    method: 'GET',
    path,
    admit: async (request) => async () => {
      try {
        guards.limitRate(request)
        return keepChoice(request, await answer(request))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const language = languageFor(request)
        const [title, text] = noticeOf(error, payLocaleOf(language))
        const nonce = randomBytes(16).toString('base64')
        const body = noticePage({ nonce, base: guards.base(), style, language, title, text })
        const headers = { ...htmlHeaders(nonce), ...error.headers }
        return keepChoice(request, { status: error.statusCode, body, headers })
      }
    },
  })

  return [
    page('/forms/pay/:token', async (request) => {
      const transfer = await guards.exchange(request)
      const location = `${guards.base()}/pay/view/${guards.pageIdOf(transfer)}`
      return { status: 303, headers: { location, 'set-cookie': guards.cookieOf(transfer, request) } }
    }),
    page('/forms/pay/view/:page', async (request) => {
      const transfer = await guards.open(request)
      const nonce = randomBytes(16).toString('base64')
      const language = languageFor(request)
      const parts = renderParts(transfer, payLocaleOf(language))
      const body = renderPayPage({
        nonce,
        base: guards.base(),
        style,
        script: files?.entries['pay.js'],
        language,
        isSandbox,
        parts,
        id: stateIdOf(parts),
        secondsLeft: secondsLeftOf(transfer),
        stream: isOver(transfer) ? undefined : `${guards.base()}/pay/view/${guards.pageIdOf(transfer)}/stream`,
      })
      return { status: 200, body, headers: { ...htmlHeaders(nonce), 'set-cookie': guards.cookieOf(transfer, request) } }
    }),
    {
      method: 'GET',
      path: '/forms/pay/view/:page/stream',
      admit: async (request) => {
        guards.limitRate(request)
        const transfer = await guards.open(request)
        return async () => {
          const lastId = String(request.headers['last-event-id'] ?? request.query.id ?? '')
          const body = pay.streams.open(transfer, {
            source: sourceOf(request.address),
            locale: payLocaleOf(languageFor(request)),
            lastId,
          })
          return {
            status: 200,
            body,
            headers: {
              'content-type': 'text/event-stream',
              'x-accel-buffering': 'no',
              'set-cookie': guards.cookieOf(transfer, request),
            },
          }
        }
      },
    },
  ]
}

function htmlHeaders(nonce: string) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(nonce),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-frame-options': 'DENY',
  }
}

function noticeOf({ code }: Refusal, locale: string): readonly [title: string, text: string] {
  const { notices } = payTextsOf(locale)
  switch (code) {
    case 'UNAUTHORIZED':
      return notices.sessionEnded
    case 'RATE_LIMITED':
      return notices.tooMany
    case 'SERVICE_UNAVAILABLE':
      return notices.unavailable
    default:
      return notices.badLink
  }
}

/** Decides who asks: the limits of an address, the link, and the session. */
function createGuards({ pay, sessionKey, formsUrl, requestsPerMinute, failuresPerMinute }: PayPagesOptions) {
  const requests = createBuckets(requestsPerMinute)
  const failures = createBuckets(failuresPerMinute)
  const base = () => new URL(formsUrl()).pathname.replace(/\/+$/, '')
  const pageIdOf = ({ transactionId }: Pick<Transfer, 'transactionId'>) => payPageIdOf(sessionKey, transactionId)
  /** The session that a page shows; undefined for a link, which starts one. */
  const sessionOf = (request: PageRequest): PaySession | undefined => {
    const { page = '' } = request.params
    const session = readPaySession(sessionKey, request.cookies.get(cookieNameOf(request, page)) ?? '', Date.now())
    return session && pageIdOf(session) === page ? session : undefined
  }
  return {
    base,
    pageIdOf,
    limitRate: ({ address }: PageRequest): void => {
      const source = sourceOf(address)
      const isEmpty = requests.isEmpty(source, Date.now())
      requests.take(source, Date.now())
      if (isEmpty) throw tooMany(requestsPerMinute)
    },
    /** Exchanges the token of a link. Counts before the look-up, so that concurrent guesses all count. */
    exchange: async ({ params, address }: PageRequest): Promise<Transfer> => {
      const source = sourceOf(address)
      if (failures.isEmpty(source, Date.now())) throw tooMany(failuresPerMinute)
      failures.take(source, Date.now())
      const transfer = await pay.findByLink(params.token ?? '').catch((error: unknown) => {
        failures.release(source)
        throw error
      })
      if (!transfer) throw new Refusal('NOT_FOUND', 'No payment has this link')
      failures.release(source)
      return transfer
    },
    open: async (request: PageRequest): Promise<Transfer> => {
      const session = sessionOf(request)
      const transfer = session && (await pay.find(session.transactionId))
      if (!transfer) throw new Refusal('UNAUTHORIZED', 'The session has ended; open the link again')
      return transfer
    },
    cookieOf: (transfer: Transfer, request: PageRequest): string => {
      const { transactionId } = transfer
      const nowMs = Date.now()
      const { startedAtMs = nowMs } = sessionOf(request) ?? {}
      const session = renewPaySession({ transactionId, startedAtMs }, nowMs)
      const value = sealPaySession(sessionKey, session)
      const flags = [
        'HttpOnly',
        'SameSite=Lax',
        `Max-Age=${Math.floor((session.expiresAtMs - nowMs) / 1_000)}`,
        ...(request.isSecure ? ['Secure'] : []),
      ]
      const path = request.isSecure ? '/' : base() || '/'
      return [`${cookieNameOf(request, pageIdOf(transfer))}=${value}`, `Path=${path}`, ...flags].join('; ')
    },
  }
}

/** Each transaction has its own cookie: two pages in one browser do not disturb each other. */
function cookieNameOf({ isSecure }: PageRequest, pageId: string): string {
  return `${isSecure ? '__Host-' : ''}svc_pay_${pageId}`
}

function tooMany(perMinute: number): Refusal {
  return new Refusal('RATE_LIMITED', 'Too many requests from this address; try again after the time in retry-after', {
    headers: { 'retry-after': String(secondsUntilNext(0, perMinute)) },
  })
}
