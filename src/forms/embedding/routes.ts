import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page, PageAnswer, PageRequest } from '../../http/pages/page.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Branding } from '../../organizations/organization.ts'
import { brandOf, frameQuery, type Setting } from './brand.ts'

/** The settings of an organization for its pages. */
export type Look = { branding: Branding; allowedOrigins: readonly string[] }

const script = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'web', 'embed', 'v1.js'), 'utf8')

/** Tells how a page of an organization looks, and in which frame it may be shown. */
export async function settingOf(request: PageRequest, look: Promise<Look>): Promise<Setting> {
  const { branding, allowedOrigins } = await look
  const { parent = '' } = request.query
  if (parent && !allowedOrigins.includes(parent)) {
    throw new Refusal('FORBIDDEN', 'The organization does not let this origin embed its forms')
  }
  return { brand: brandOf(branding), parent }
}

/** A link that was valid, and the page behind it. */
type Exchange = {
  link: string
  page: string
  cookie: string
  /** Tells whether the browser has sent the session of this very link. */
  isOpen(): Promise<boolean>
  /** Says that the browser keeps no cookie, with a link to where it does. */
  refuse(link: string): PageAnswer
}

/**
 * Exchanges a link for the session of its page. A browser may keep no cookie in a frame, without telling it: there it
 * asks for the link twice, and the page opens when the session has come back.
 */
export async function exchangeTo(request: PageRequest, parent: string, exchange: Exchange): Promise<PageAnswer> {
  const { link, page, cookie } = exchange
  if (!parent) return { status: 303, headers: { location: page, 'set-cookie': cookie } }
  const query = frameQuery(parent)
  const { lang, again } = request.query
  const language = lang === undefined ? '' : `lang=${encodeURIComponent(lang)}`
  if (again === undefined) {
    const location = `${link}${query}${language && `&${language}`}&again=`
    return { status: 303, headers: { location, 'set-cookie': cookie } }
  }
  if (await exchange.isOpen()) return { status: 303, headers: { location: `${page}${query}` } }
  return exchange.refuse(`${link}${language && `?${language}`}`)
}

/**
 * A notice without any data of a customer may be shown in every frame: without a session there is no organization to ask.
 * Empty for a text that is no origin.
 */
export function claimedParent({ query: { parent = '' } }: PageRequest): string {
  return /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(parent) ? parent : ''
}

/** The script for pages that embed a form. Its address has a version: what it promises does not change. */
export function embedScript(limitRate: (request: PageRequest) => void): Page {
  return {
    method: 'GET',
    path: '/forms/embed/v1.js',
    admit: async (request) => {
      limitRate(request)
      return async () => ({
        status: 200,
        body: script,
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'public, max-age=3600',
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
        },
      })
    },
  }
}
