import { readCookie, writeCookie } from '../../http/pages/cookies.ts'
import type { PageAnswer, PageRequest } from '../../http/pages/page.ts'
import { isFramed } from '../embedding/frame-wire.ts'
import { chooseLanguage, type Language, languageOf } from '../texts/languages.ts'

const languageCookie = 'svc_form_language'
const yearSeconds = 365 * 86_400

/** Chooses the language of each page, and keeps the one that `?lang=` has chosen, beyond the session. */
export function createLanguageChoice({ base, isSandbox }: { base(): string; isSandbox: boolean }) {
  return {
    languageFor: (request: PageRequest): Language => {
      const chosen = [request.query.lang, readCookie(request, languageCookie)]
      return chooseLanguage(chosen, request.headers['accept-language'] ?? '', isSandbox)
    },
    keepChoice: (request: PageRequest, answer: PageAnswer): PageAnswer => {
      const chosen = languageOf(request.query.lang, isSandbox)
      if (!chosen) return answer
      const kept = { name: languageCookie, value: chosen.code, seconds: yearSeconds, isFramed: isFramed(request) }
      const cookies = [answer.headers?.['set-cookie'] ?? [], writeCookie(request, kept, base())].flat()
      return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } }
    },
  }
}
