import { sourceOf } from '../../http/admission/address.ts'
import { createPublicLimit } from '../../http/admission/public-limit.ts'
import { readCookie, writeCookie } from '../../http/pages/cookies.ts'
import type { PageRequest } from '../../http/pages/page.ts'
import { Refusal } from '../../lib/refusal.ts'
import { createBuckets, secondsUntilNext } from '../../lib/token-bucket.ts'
import { isFramed } from '../embedding/frame-wire.ts'
import { isFromOurPage } from '../origin.ts'
import { type FormSession, isPageToken, lastMomentOf, readSession, sealSession, sessionEnded } from '../session.ts'

/** Whom the sessions of a form belong to, and the cookie that carries them. Each kind of form has its own key. */
export type SessionKind<Opened> = {
  cookie: string
  sessionKey: Buffer
  /** Exchanges the token of a link for a session. */
  exchange(token: string, nowMs: number): Promise<FormSession | undefined>
  /** Opens the subject of a session; undefined when its link was revoked or its customer erased. */
  open(session: FormSession): Promise<Opened | undefined>
}

export type Admitted<Opened> = { session: FormSession; opened: Opened; request: PageRequest }

export type LimitOptions = {
  requestsPerMinute: number
  /** Links that do not exist, by address. */
  failuresPerMinute: number
}

export type Limits = ReturnType<typeof createLimits>

/** The limits of an address, over all hosted forms. */
export function createLimits({ requestsPerMinute, failuresPerMinute }: LimitOptions) {
  const limitRequests = createPublicLimit(requestsPerMinute)
  const failures = createBuckets(failuresPerMinute)
  return {
    limitRate: ({ address }: PageRequest): void => limitRequests(address),
    /**
     * Exchanges a link, unless its visitor has tried too many that do not exist. Each counts before it is looked up, so
     * that visits at the same time are no more guesses than visits in turn.
     */
    limitFailures: async <Found>({ address }: PageRequest, find: () => Promise<Found | undefined>) => {
      const source = sourceOf(address)
      if (failures.isEmpty(source, Date.now())) throw tooMany(failuresPerMinute)
      failures.take(source, Date.now())
      let isGuess = false
      try {
        const found = await find()
        isGuess = found === undefined
        return found
      } finally {
        if (!isGuess) failures.release(source)
      }
    },
  }
}

type GuardOptions = {
  formsUrl(): string
  base(): string
  limits: Limits
  /** Tells whether the operator has suspended the organization: its forms are closed. */
  isSuspended(organizationId: string): Promise<boolean>
}

export type Guards<Opened> = ReturnType<typeof createGuards<Opened>>

/** Decides who asks: the limits of an address, the session, the token of the page, and where a change comes from. */
export function createGuards<Opened>(
  { formsUrl, base, limits, isSuspended }: GuardOptions,
  { cookie, sessionKey, exchange, open: openSubject }: SessionKind<Opened>,
) {
  const nameFor = (request: PageRequest) => (isFramed(request) ? `${cookie}_frame` : cookie)
  const write = (request: PageRequest, value: string, seconds: number) =>
    writeCookie(request, { name: nameFor(request), value, seconds, isFramed: isFramed(request) }, base())

  const open = async (request: PageRequest): Promise<Admitted<Opened>> => {
    const session = readSession(sessionKey, readCookie(request, nameFor(request)) ?? '', Date.now())
    const opened = session && (await openSubject(session))
    if (!session || !opened || (await isSuspended(session.organizationId))) throw sessionEnded()
    return { session, opened, request }
  }

  return {
    open,
    /** Tells whether the browser has kept the cookie of a session of this subject. */
    isOpen: async ({ subjectId }: FormSession, request: PageRequest): Promise<boolean> => {
      const kept = readSession(sessionKey, readCookie(request, nameFor(request)) ?? '', Date.now())
      return kept?.subjectId === subjectId && (await openSubject(kept)) !== undefined
    },
    exchange: (request: PageRequest): Promise<FormSession | undefined> =>
      limits.limitFailures(request, async () => {
        const session = await exchange(request.params.token ?? '', Date.now())
        // Thrown, and so no guess: many customers may share the address.
        if (session && (await isSuspended(session.organizationId)))
          throw new Refusal('NOT_FOUND', 'No form has this link')
        return session
      }),
    admit: async (request: PageRequest, isChange: boolean): Promise<Admitted<Opened>> => {
      limits.limitRate(request)
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
      write(request, sealSession(sessionKey, session), secondsLeft(session)),
    clearedCookie: (request: PageRequest): string => write(request, '', 0),
  }
}

function secondsLeft({ expiresAtMs }: FormSession): number {
  return Math.max(0, Math.round((expiresAtMs - Date.now()) / 1_000))
}

/** Tells a polling page when its session ends: without activity, and in any case. */
export function timesLeft(session: FormSession): { secondsLeft: number; mostSecondsLeft: number } {
  const mostSecondsLeft = Math.max(0, Math.round((lastMomentOf(session) - Date.now()) / 1_000))
  return { secondsLeft: secondsLeft(session), mostSecondsLeft }
}

function tooMany(perMinute: number): Refusal {
  const retryAfter = String(secondsUntilNext(0, perMinute))
  return new Refusal('RATE_LIMITED', 'Too many requests from this address; try again after the time in retry-after', {
    headers: { 'retry-after': retryAfter },
  })
}
