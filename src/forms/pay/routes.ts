import { randomBytes } from 'node:crypto'
import { sourceOf } from '../../http/admission/address.ts'
import { readCookie, writeCookie } from '../../http/pages/cookies.ts'
import type { Page, PageAnswer, PageRequest } from '../../http/pages/page.ts'
import { Refusal } from '../../lib/refusal.ts'
import { frameQuery } from '../embedding/brand.ts'
import { isFramed } from '../embedding/frame-wire.ts'
import { exchangeTo, settingOf } from '../embedding/routes.ts'
import type { FormHost, TellRefusal } from '../hosting/routes.ts'
import { pageHeaders } from '../html.ts'
import { renderParts, renderPayPage } from './html.ts'
import type { PayService } from './service.ts'
import { type PaySession, payPageIdOf, readPaySession, renewPaySession, sealPaySession } from './session.ts'
import { secondsLeftOf, stateIdOf } from './streams.ts'
import { payLocaleOf, payTextsOf } from './texts/texts.ts'
import { isOver, type Transfer } from './transfer.ts'

export type PayPagesOptions = {
  host: FormHost
  pay: PayService
  sessionKey: Buffer
  isSandbox: boolean
}

/** The pages of payers. They share the limits, notices and frames of the hosted forms. */
export function payPages(options: PayPagesOptions): Page[] {
  const { host, pay } = options
  const guards = createGuards(options)
  const viewOf = (transfer: Transfer) => `${host.base()}/pay/view/${guards.pageIdOf(transfer)}`
  const exchangeLink = async (request: PageRequest): Promise<PageAnswer> => {
    const transfer = await guards.exchange(request)
    const { parent } = await settingOf(request, host.readLook(transfer.organizationId))
    return exchangeTo(request, parent, {
      link: `${host.base()}/pay/${request.params.token}`,
      page: viewOf(transfer),
      cookie: guards.cookieOf(transfer, request),
      isOpen: async () => guards.hasSession(transfer, request),
      refuse: (way) => host.notice(request, 401, ({ texts }) => texts.noCookies, way),
    })
  }
  return [
    host.page('/forms/pay/:token', exchangeLink, tell),
    host.page('/forms/pay/view/:page', (request) => showPage(options, guards, viewOf, request), tell),
    {
      method: 'GET',
      path: '/forms/pay/view/:page/stream',
      admit: async (request) => {
        host.limits.limitRate(request)
        const transfer = await guards.open(request)
        return async () => {
          const lastId = String(request.headers['last-event-id'] ?? request.query.id ?? '')
          const body = pay.streams.open(transfer, {
            source: sourceOf(request.address),
            locale: payLocaleOf(host.languageFor(request)),
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

async function showPage(
  { host, isSandbox }: PayPagesOptions,
  guards: Guards,
  viewOf: (transfer: Transfer) => string,
  request: PageRequest,
): Promise<PageAnswer> {
  const transfer = await guards.open(request)
  const setting = await settingOf(request, host.readLook(transfer.organizationId))
  const { parent, brand } = setting
  const nonce = randomBytes(16).toString('base64')
  const language = host.languageFor(request)
  const parts = renderParts(transfer, payLocaleOf(language))
  const body = renderPayPage({
    nonce,
    base: host.base(),
    style: host.style,
    script: host.files?.entries['pay.js'],
    language,
    parent,
    setting,
    isSandbox,
    parts,
    id: stateIdOf(parts),
    status: transfer.status,
    secondsLeft: secondsLeftOf(transfer),
    stream: isOver(transfer) ? undefined : `${viewOf(transfer)}/stream${frameQuery(parent)}`,
  })
  const headers = pageHeaders(nonce, { parent, logo: brand.logo, camera: false })
  return { status: 200, body, headers: { ...headers, 'set-cookie': guards.cookieOf(transfer, request) } }
}

const tell: TellRefusal = ({ code }, language) => {
  const { notices } = payTextsOf(payLocaleOf(language))
  switch (code) {
    case 'UNAUTHORIZED':
      return notices.sessionEnded
    case 'FORBIDDEN':
      return language.texts.notHere
    case 'RATE_LIMITED':
      return notices.tooMany
    case 'SERVICE_UNAVAILABLE':
      return notices.unavailable
    default:
      return notices.badLink
  }
}

type Guards = ReturnType<typeof createGuards>

/** Decides who asks: the link, and the session. */
function createGuards({ host, pay, sessionKey }: PayPagesOptions) {
  const pageIdOf = ({ transactionId }: Pick<Transfer, 'transactionId'>) => payPageIdOf(sessionKey, transactionId)
  const readKept = (request: PageRequest, pageId: string): PaySession | undefined => {
    const session = readPaySession(sessionKey, readCookie(request, cookieNameOf(request, pageId)) ?? '', Date.now())
    return session && pageIdOf(session) === pageId ? session : undefined
  }
  /** The session that a page shows; undefined for a link, which starts one. */
  const sessionOf = (request: PageRequest) => readKept(request, request.params.page ?? '')
  /** Hides where to pay while the organization is suspended. Who has paid may follow the money. */
  const requirePayable = async (transfer: Transfer): Promise<Transfer> => {
    const { status, received, seen, organizationId } = transfer
    const isAwaited = status === 'AWAITING_TRANSFER' && BigInt(received) + BigInt(seen) === 0n
    if (isAwaited && (await host.isSuspended(organizationId)))
      throw new Refusal('NOT_FOUND', 'No payment has this link')
    return transfer
  }
  return {
    pageIdOf,
    hasSession: (transfer: Transfer, request: PageRequest): boolean =>
      readKept(request, pageIdOf(transfer))?.linkVersion === transfer.linkVersion,
    /** Exchanges the token of a link. */
    exchange: async (request: PageRequest): Promise<Transfer> => {
      const transfer = await host.limits.limitFailures(request, async () => {
        const found = await pay.findByLink(request.params.token ?? '')
        return found && requirePayable(found)
      })
      if (!transfer) throw new Refusal('NOT_FOUND', 'No payment has this link')
      return transfer
    },
    open: async (request: PageRequest): Promise<Transfer> => {
      const session = sessionOf(request)
      const transfer = session && (await pay.find(session))
      if (!transfer) throw new Refusal('UNAUTHORIZED', 'The session has ended; open the link again')
      return requirePayable(transfer)
    },
    cookieOf: (transfer: Transfer, request: PageRequest): string => {
      const { transactionId, linkVersion } = transfer
      const nowMs = Date.now()
      const { startedAtMs = nowMs } = sessionOf(request) ?? {}
      const session = renewPaySession({ transactionId, linkVersion, startedAtMs }, nowMs)
      const value = sealPaySession(sessionKey, session)
      const seconds = Math.floor((session.expiresAtMs - nowMs) / 1_000)
      const name = cookieNameOf(request, pageIdOf(transfer))
      return writeCookie(request, { name, value, seconds, isFramed: isFramed(request) }, host.base())
    },
  }
}

/** Each transaction has its own cookie: two pages in one browser do not disturb each other. */
function cookieNameOf(request: PageRequest, pageId: string): string {
  return `svc_pay_${isFramed(request) ? 'frame_' : ''}${pageId}`
}
