import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pointerFile } from '../../../scripts/web.mjs'
import { languages } from '../../../src/forms/texts/languages.ts'
import { createCustomer, patchCustomer } from '../../support/customers/customers.ts'
import { askForNews, expectAccessible, goToStep, heading, startForms } from '../../support/forms/form-visitor.ts'
import { findPlain } from '../../support/forms/plain-texts.ts'

const { api, open, visit } = await startForms()

const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.baseUrl + path, { redirect: 'manual', headers })
const languageOf = (page: string) => /<html lang="([^"]+)" dir="([^"]+)">/.exec(page)?.slice(1)

test('a page has the language of its address, or of an earlier choice, or of the browser', async () => {
  const choices = [
    [{ path: '/forms/verify' }, ['en', 'ltr']],
    [{ path: '/forms/verify', accepted: 'xx, ar-EG;q=0.9, en;q=0.4' }, ['ar', 'rtl']],
    [{ path: '/forms/verify', accepted: 'ar;q=0, en' }, ['en', 'ltr']],
    [{ path: '/forms/verify', accepted: 'en', cookie: 'svc_form_language=ar' }, ['ar', 'rtl']],
    [{ path: '/forms/verify?lang=en', accepted: 'ar', cookie: 'svc_form_language=ar' }, ['en', 'ltr']],
    [{ path: '/forms/verify?lang=en&lang=en', accepted: 'ar' }, ['ar', 'rtl']],
    [{ path: '/forms/verify?lang=xx', accepted: 'ar' }, ['ar', 'rtl']],
    [{ path: '/forms/verify', accepted: 'pt-BR, en;q=0.9' }, ['pt', 'ltr']],
    [{ path: '/forms/unknown?lang=ar' }, ['ar', 'rtl']],
    [{ path: '/forms/assets/unknown.js', accepted: 'ar' }, ['ar', 'rtl']],
  ] as const
  for (const [{ path, ...more }, expected] of choices) {
    const { accepted = '', cookie = '' } = more as { accepted?: string; cookie?: string }
    const answer = await read(path, { 'accept-language': accepted, cookie })
    expect([path, more, languageOf(await answer.text())]).toEqual([path, more, expected])
  }
  const chosen = await read('/forms/verify?lang=ar')
  expect(chosen.headers.get('set-cookie')).toBe(
    'svc_form_language=ar; Path=/forms; HttpOnly; SameSite=Lax; Max-Age=31536000',
  )
})

test('every language has its texts of the pages, and a page loads its own ones alone', async () => {
  const { entries } = JSON.parse(readFileSync(pointerFile, 'utf8')) as { entries: Record<string, string> }
  expect(languages.filter(({ code }) => entries[`${code}.js`] === undefined)).toEqual([])
  const { page } = await open({}, { locale: 'ar' })
  const loaded = (await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)) as string[]
  const texts = Object.entries(entries).filter(([name]) => /^\w\w\.js$/.test(name))
  const own = texts.filter(([, file]) => loaded.some((name) => name.endsWith(file)))
  expect(own.map(([name]) => name)).toEqual(['ar.js'])
})

test('a form in Arabic runs from right to left, and another language keeps what is typed', async () => {
  const { page, problems } = await open({ firstName: 'Ada' }, { locale: 'ar' })
  await heading(page, 'أين تقيمون؟')
  expect(await page.evaluate('getComputedStyle(document.body).direction')).toBe('rtl')
  await expectAccessible(page)
  await page.getByLabel('بلد الإقامة').selectOption({ label: 'مصر' })
  await goToStep(page, 'about')
  await heading(page, 'بياناتكم الشخصية')
  // A keyboard with Arabic digits writes the same date.
  await page.getByLabel('اليوم').fill('١٧')
  await page.getByLabel('الشهر').selectOption({ label: 'مايو' })
  await page.getByLabel('السنة').fill('۱۹۹۰')
  await page.getByLabel('اسم العائلة').fill('Example')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'English' }).click()
  await heading(page, 'About you')
  expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual(['en', 'ltr'])
  expect(await page.getByLabel('Last name').inputValue()).toBe('Example')
  expect(await page.getByLabel('Year').inputValue()).toBe('1990')
  await page.getByText('All answers saved').waitFor()
  await page.reload()
  await heading(page, 'About you')
  await goToStep(page, 'check')
  await page.getByText('17 May 1990').waitFor()
  await page.getByText('Egypt').waitFor()
  await page.getByRole('link', { name: 'العربية' }).click()
  await heading(page, 'مراجعة إجاباتكم')
  await page.getByText('17 مايو 1990').waitFor()
  await expectAccessible(page)
  expect(problems).toEqual([])
})

test('every language shows the form in its own words', async () => {
  const { page, problems } = await open({}, { locale: 'es-MX' })
  const titles = { es: '¿Dónde reside?', fr: 'Où résidez-vous ?', de: 'Wo wohnen Sie?', pt: 'Onde você reside?' }
  for (const [code, title] of Object.entries(titles)) {
    await page.locator(`.languages a[lang=${code}]`).click()
    await heading(page, title)
    await expectAccessible(page)
  }
  expect(problems).toEqual([])
})

const proceed = (page: Page) => page.getByRole('button', { name: /Çöñţîñûé|Šûƀḿîţ|Šéñð/ }).first()

/** Looks at the steps of a form in the accented language, before and after their buttons find problems, and at its end. */
async function findPlainTexts(body: object, steps: readonly string[]): Promise<Record<string, string[]>> {
  const { verificationLink } = await createCustomer(api, body)
  const { page } = await visit(`${verificationLink}?lang=en-XA`)
  const found: Record<string, string[]> = {}
  const look = async (name: string) => {
    const plain = await findPlain(page)
    if (plain.length > 0) found[name] = plain
  }
  await proceed(page).waitFor()
  for (const step of steps) {
    await goToStep(page, step)
    await look(step)
    await proceed(page).click()
    await page.locator('h1:focus, .summary:focus, [role=alert]').first().waitFor()
    await look(`${step}, after its button`)
  }
  await page.getByRole('button', { name: 'Ļéåṽé' }).first().click()
  await heading(page, /Öþéñ/)
  await look('left')
  await page.reload()
  await look('ended')
  return found
}

test('no page of a form has a text outside of the catalogs', async () => {
  const individual = ['country', 'about', 'contact', 'number', 'money', 'document', 'check']
  expect(await findPlainTexts({}, individual)).toEqual({})
  const business = ['place', 'business', 'addresses', 'activity', 'people', 'papers', 'check']
  expect(await findPlainTexts({ customerType: 'BUSINESS', businessName: '7' }, business)).toEqual({})
})

/** Samples of the ribbon, and dates as the browser writes them in German, are in no catalog. */
const typed =
  /Ada|Example|548 Market Street|San Francisco|California|Director|X1234567|\S+@example.com|https:\/\/example.com|retail|Sells household goods online|\d+\. \p{L}+ \d{4}/gu

const primary = (page: Page) => page.locator('.actions button').last()

test.each(['ar', 'en-XA'])('corrections, people and outcomes of a business in %s', async (lang) => {
  const { customerId, verificationLink } = await createCustomer(api, { customerType: 'BUSINESS', businessName: '7' })
  const { page, problems } = await visit(`${verificationLink}?lang=${lang}`)
  const found: Record<string, string[]> = {}
  const look = async (name: string, shown: string) => {
    await page.locator(shown).first().waitFor()
    if (lang === 'ar') return expectAccessible(page)
    // States have one name in all languages.
    const states = await page.locator('select[id$=stateRegionProvince] option').allTextContents()
    const isOurs = (text: string) => /[A-Za-z]{2}/.test(text.replaceAll(typed, '')) && !states.includes(text)
    const plain = (await findPlain(page)).filter(isOurs)
    if (plain.length > 0) found[name] = plain
  }
  await page.locator('.ribbon button').first().click()
  await page.locator('.ribbon button:not([aria-disabled=true])').first().waitFor()
  await goToStep(page, 'check')
  await look('check', '.answers')
  await primary(page).click()
  await look('under review', '.status.under_review')
  const issues = ['MISSING_NAME', 'DOC_QUALITY_POOR', 'ADDRESS_DOCUMENT_MISSING_NAME', 'ADDRESS_TOO_SHORT']
  const decision = { outcome: 'NEEDS_INFO', issues }
  expect((await api.post(`/sandbox/customers/${customerId}/verification`, decision)).status).toBe(200)
  await askForNews(page)
  await look('corrections', '.correction')
  await primary(page).click()
  await look('corrections that are missing', '.summary:focus')
  await page.locator('.people button').first().click()
  const parts = { about: 'legalFirstName', address: 'streetLine1', document: 'subtype' }
  for (const [part, field] of Object.entries(parts)) {
    await goToStep(page, `person-1-${part}`)
    await look(part, `[id$="${field}"]`)
  }
  // The ribbon sends the corrections as they are, and decides about them.
  const [, approve, ask] = await page.locator('.ribbon button').all()
  await page.locator('.ribbon select').selectOption('AML_MATCH')
  await ask?.click()
  await look('to be asked', '.status:not(.under_review)')
  await approve?.click()
  await look('approved', '.status.active')
  expect((await api.post(`/customers/${customerId}/deactivate`, { reason: 'Asked to leave' })).status).toBe(200)
  await askForNews(page)
  await look('closed', '.status.deactivated')
  expect([found, problems]).toEqual([{}, []])
})

test.each(['ar', 'en-XA'])('a customer who was refused, in %s', async (lang) => {
  const { customerId, verificationLink } = await createCustomer(api)
  expect((await patchCustomer(api, { customerId }, { kycData: { legalFirstName: 'Ada' } })).status).toBe(200)
  expect((await api.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'REJECT' })).status).toBe(200)
  const { page } = await visit(`${verificationLink}?lang=${lang}`)
  await page.locator('.status.rejected').waitFor()
  if (lang === 'ar') await expectAccessible(page)
  else expect(await findPlain(page)).toEqual([])
})

test('no page of the service itself has a text outside of the catalogs', async () => {
  for (const path of [
    'verify',
    'bank-account',
    'pay/view/unknown',
    'verify/unknown',
    'pay/unknown',
    'unknown',
    'assets/unknown.js',
  ]) {
    const page = await (await read(`/forms/${path}?lang=en-XA`)).text()
    const [, body = ''] = page.split('<title>')
    const said = body.replaceAll(/<nav.*<\/nav>|<[^>]*>|&#\d+;/gs, ' ')
    expect([path, said.match(/[A-Za-z]{2}.*/g)]).toEqual([path, null])
  }
})
