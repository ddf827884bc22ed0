import { randomBytes } from 'node:crypto'
import { JsonBodyReader } from '../../http/bodies/json-body.ts'
import type { Page, PageAnswer, PageRequest, Respond } from '../../http/pages/page.ts'
import type { StaticFiles } from '../../http/pages/static-files.ts'
import { badFields, Refusal } from '../../lib/refusal.ts'
import type { Validated } from '../../lib/validated.ts'
import { claimedParent, embedScript, exchangeTo, type Look, settingOf } from '../embedding/routes.ts'
import { formPage, noticePage, pageHeaders } from '../html.ts'
import { tellRules } from '../rules.ts'
import { formIdOf, pageTokenOf, renewSession } from '../session.ts'
import type { Notice, Texts } from '../texts/en.ts'
import type { Language } from '../texts/languages.ts'
import { createLanguageChoice } from './language-wire.ts'
import {
  type Admitted,
  createGuards,
  createLimits,
  type Guards,
  type LimitOptions,
  type Limits,
  type SessionKind,
  timesLeft,
} from './session-wire.ts'

export type HostOptions = LimitOptions & {
  /** The built pages; undefined when they were never built. */
  files: StaticFiles | undefined
  formsUrl(): string
  isSandbox: boolean
  /** Reads the settings of an organization for its pages. */
  readLook(organizationId: string): Promise<Look>
  isSuspended(organizationId: string): Promise<boolean>
}

/** One kind of hosted form. */
export type FormKind<Opened> = SessionKind<Opened> & {
  /** The address of its page after /forms/, which is that of its link without the token. */
  path: string
  /** The address of its operations after /forms/. */
  apiPath: string
  script: string
  title(texts: Texts): string
  sessionEnded(texts: Texts): Notice
  /** Tells whether the page shows neither answers nor data, so that it may stay open. */
  showsNothing(opened: Opened): boolean
}

type OperationOptions = { maxBytes?: number; isPoll?: boolean; isUpload?: boolean; endsSession?: boolean }

const notBuilt = 'The pages are not built'

export type FormHost = ReturnType<typeof createFormHost>

/** Serves what all hosted forms share: their limits, files, notices and sessions. */
export function createFormHost({ files, formsUrl, isSandbox, readLook, isSuspended, ...limited }: HostOptions) {
  const limits = createLimits(limited)
  const base = () => new URL(formsUrl()).pathname.replace(/\/+$/, '')
  const style = files?.entries['app.css'] ?? ''

  const { languageFor, keepChoice } = createLanguageChoice({ base, isSandbox })

  const notice: Shared['notice'] = (request, status, noticeIn, way) => {
    const nonce = randomBytes(16).toString('base64')
    const language = languageFor(request)
    const [title, text] = noticeIn(language)
    const parent = status === 403 ? '' : claimedParent(request)
    const link = way && { href: new URL(way, formsUrl()).href, name: language.texts.openWindow }
    const body = noticePage({
      nonce,
      base: base(),
      style,
      language,
      parent,
      title,
      text,
      ...(link ? { way: link } : {}),
    })
    return { status, body, headers: pageHeaders(nonce, { parent }) }
  }

  /** A page for people: a refusal is a page, too. */
  const page: Shared['page'] = (path, answer, tell = tellOfForm((texts) => texts.sessionEnded)) => ({
    method: 'GET',
    path,
    admit: async (request) => async () => {
      try {
        limits.limitRate(request)
        return keepChoice(request, await answer(request))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const shown = notice(request, error.statusCode, (language) => tell(error, language))
        return keepChoice(request, { ...shown, headers: { ...shown.headers, ...error.headers } })
      }
    },
  })

  const shared: Shared = { files, formsUrl, readLook, isSuspended, base, limits, style, languageFor, page, notice }
  return {
    ...shared,
    serve: <Opened>(kind: FormKind<Opened>) => {
      const guards = createGuards(shared, kind)
      return { pages: pagesOf(shared, guards, kind), operation: operationsOf(guards, kind) }
    },
    others: otherPages(shared),
  }
}

type NoticeIn = (texts: Texts) => Notice

/** Says a refusal to the visitor of a page. */
export type TellRefusal = (refusal: Refusal, language: Language) => Notice

type Shared = Pick<HostOptions, 'files' | 'formsUrl' | 'readLook' | 'isSuspended'> & {
  base(): string
  limits: Limits
  style: string
  languageFor(request: PageRequest): Language
  page(path: string, answer: (request: PageRequest) => Promise<PageAnswer>, tell?: TellRefusal): Page
  /** `way`: the address of a link out of the notice. */
  notice(request: PageRequest, status: number, noticeIn: (language: Language) => Notice, way?: string): PageAnswer
}

/** The address of a link, and that of the form behind it. */
function pagesOf<Opened>(shared: Shared, guards: Guards<Opened>, kind: FormKind<Opened>): Page[] {
  const { files, readLook, base, style, page } = shared
  const { path, sessionKey } = kind
  const exchangeLink = async (request: PageRequest): Promise<PageAnswer> => {
    const session = await guards.exchange(request)
    if (!session) throw new Refusal('NOT_FOUND', 'No form has this link')
    const { parent } = await settingOf(request, readLook(session.organizationId))
    return exchangeTo(request, parent, {
      link: `${base()}/${path}/${request.params.token}`,
      page: `${base()}/${path}`,
      cookie: guards.cookieOf(session, request),
      isOpen: () => guards.isOpen(session, request),
      refuse: (way) => shared.notice(request, 401, ({ texts }) => texts.noCookies, way),
    })
  }
  const showForm = async (request: PageRequest): Promise<PageAnswer> => {
    const { session } = await guards.open(request)
    const script = files?.entries[kind.script]
    if (script === undefined) throw new Refusal('SERVICE_UNAVAILABLE', notBuilt)
    const setting = await settingOf(request, readLook(session.organizationId))
    const { parent, brand } = setting
    const nonce = randomBytes(16).toString('base64')
    const token = pageTokenOf(sessionKey, session)
    const formId = formIdOf(sessionKey, session)
    const language = shared.languageFor(request)
    const words = files?.entries[`${language.code}.js`] ?? ''
    const title = kind.title(language.texts)
    const head = { nonce, base: base(), language, style, parent, setting, title }
    const cookie = guards.cookieOf(renewSession(session, Date.now()), request)
    return {
      status: 200,
      body: formPage({ ...head, token, formId, script, words }),
      headers: { ...pageHeaders(nonce, { parent, logo: brand.logo }), 'set-cookie': cookie },
    }
  }
  const tell = tellOfForm(kind.sessionEnded)
  return [page(`/forms/${path}/:token`, exchangeLink, tell), page(`/forms/${path}`, showForm, tell)]
}

/**
 * Makes the operations of a script. Every one needs the session and the token of its page, and renews the session. Polls
 * renew it only while the page shows nothing: then it follows the status as long as it is open. An upload never does: it may end minutes after the customer has left the form in another window.
 */
function operationsOf<Opened>(guards: Guards<Opened>, { apiPath, showsNothing }: FormKind<Opened>) {
  return (
    method: Page['method'],
    path: string,
    run: (admitted: Admitted<Opened>, body: Buffer) => Promise<unknown>,
    more: OperationOptions = {},
  ): Page => ({
    method,
    path: `/forms/${apiPath}/${path}`,
    ...(more.maxBytes === undefined ? {} : { maxBytes: more.maxBytes }),
    admit: async (request) => {
      const admitted = await guards.admit(request, method !== 'GET')
      const respond: Respond = async (body) => {
        const answer = await run(admitted, body).catch(tellRules)
        const isRenewed = !more.isUpload && (!more.isPoll || showsNothing(admitted.opened))
        const session = isRenewed ? renewSession(admitted.session, Date.now()) : admitted.session
        const cookie = more.endsSession ? guards.clearedCookie(request) : guards.cookieOf(session, request)
        const shown = more.isPoll ? { ...(answer as object), ...timesLeft(session) } : answer
        return {
          status: 200,
          body: JSON.stringify(shown),
          headers: { ...jsonHeaders, ...(isRenewed ? { 'set-cookie': cookie } : {}) },
        }
      }
      return { organizationId: admitted.session.organizationId, respond }
    },
  })
}

/** The files of the pages, and the addresses that no form has. */
function otherPages({ files, limits, page, notice }: Shared): Page[] {
  return [
    {
      method: 'GET',
      path: '/forms/assets/:name',
      admit: async (request) => async () => {
        limits.limitRate(request)
        const file = await files?.read(request.params.name ?? '', request)
        return file ?? notice(request, 404, ({ texts }) => texts.noFile)
      },
    },
    embedScript(limits.limitRate),
    page('/forms/*', async () => {
      throw new Refusal('NOT_FOUND', 'No form has this address')
    }),
  ]
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

function tellOfForm(sessionEnded: NoticeIn): TellRefusal {
  return ({ code, message }, { texts }) => {
    switch (code) {
      case 'UNAUTHORIZED':
        return sessionEnded(texts)
      case 'FORBIDDEN':
        return texts.notHere
      case 'RATE_LIMITED':
        return texts.tooMany
      case 'SERVICE_UNAVAILABLE':
        return message === notBuilt ? texts.notBuilt : texts.unavailable
      default:
        return texts.badLink
    }
  }
}

export function readJson<Value>(check: (value: unknown) => Validated<Value>, body: Buffer): Value {
  const checked = check(parseJson(body))
  if (!checked.ok) throw badFields(checked.problems)
  return checked.value
}

/** Reads a body with the limits of the API: its depth, its width, and text that can be stored. */
export function parseJson(body: Buffer): unknown {
  const reader = new JsonBodyReader()
  reader.push(body)
  return reader.finish()
}
