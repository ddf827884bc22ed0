import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { patchCustomer } from '../../support/customers/customers.ts'
import { createPending, fillAch, saveAccount } from '../../support/forms/bank-form.ts'
import { ageSession, askForNews, expectAccessible, heading, press } from '../../support/forms/form-visitor.ts'
import { expectFrameAccessible } from '../../support/forms/frames.ts'
import { codeOn, type InstructionsOf, linesOn, startPayWorld } from '../../support/forms/pay-world.ts'
import { findPlain } from '../../support/forms/plain-texts.ts'

/** Bank forms and pay pages from right to left, and in the accented language, page by page. */
const { api, buy, sell, open, transfer, says } = await startPayWorld()

/** A country of each rail, which of its choices to take, and answers by the place of their field. */
const rails: [country: string, choice: number | undefined, answers: Record<string, string>][] = [
  ['US', 0, { routingNumber: '021000021', accountNumber: '0001 2345 6789' }],
  ['US', 1, { routingNumber: '026009593', accountNumber: '4417123456' }],
  ['DE', undefined, { iban: 'DE89 3704 0044 0532 0130 00' }],
  ['CA', 0, { interacEmail: 'ada@example.com' }],
  ['CA', 1, { institutionNumber: '003', transitNumber: '12345', accountNumber: '1234567' }],
  ['IN', undefined, { ifscCode: 'HDFC0000123', accountNumber: '50100123456789' }],
]

const field = (page: Page, name: string) => page.locator(`[id$="${name}"]:is(input, select)`).first()
const primary = (page: Page) => page.locator('.actions button').last()

/** Fills in a bank form by the places of its fields, in any language. */
async function fillIn(page: Page, [country, choice, answers]: (typeof rails)[number]): Promise<void> {
  await page.locator('main select').first().selectOption(country)
  if (choice !== undefined) await page.locator('.radios').first().locator('input').nth(choice).check()
  for (const [name, answer] of Object.entries(answers)) await field(page, name).fill(answer)
}

async function openBankForm(lang: string) {
  const { link } = await createPending(api, { customer: { firstName: 'Ада', lastName: 'Пример' } })
  return open(`${link}?lang=${lang}`, { viewport: { width: 1280, height: 900 } })
}

/** The order in which the eye meets two texts of a line, from left to right. */
const leftOf = (page: Page, text: string) =>
  page.evaluate<number>(`(() => {
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent.indexOf(${JSON.stringify(text)})
      if (at < 0) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + ${text.length})
      return range.getBoundingClientRect().left
    }
    return -1
  })()`)

/** Looks at a picture of the page: the middle of its filled buttons, from 0 at the left edge to 1 at the right one. */
async function lookForButtons(page: Page): Promise<number> {
  await primary(page).waitFor()
  const { data, info } = await sharp(await page.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const columns: number[] = []
  for (let at = 0; at < data.length; at += info.channels) {
    const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]]
    if (red < 60 && green < 110 && blue > 170) columns.push((at / info.channels) % info.width)
  }
  expect(columns.length).toBeGreaterThan(1_000)
  return columns.reduce((sum, column) => sum + column, 0) / columns.length / info.width
}

test('a bank form in Arabic is the mirror of the English one, by screenshot', async () => {
  const [english, arabic] = [await openBankForm('en'), await openBankForm('ar')]
  const [left, right] = [await lookForButtons(english.page), await lookForButtons(arabic.page)]
  expect(left).toBeLessThan(0.45)
  expect(right).toBeGreaterThan(0.55)
})

test.each(rails)('a bank form in Arabic: %s %j', async (...rail) => {
  const { page, problems } = await openBankForm('ar')
  await fillIn(page, rail)
  await expectAccessible(page)
  await primary(page).click()
  await heading(page, 'مراجعة الحساب')
  await expectFrameAccessible(page.mainFrame())
  const groups = Object.values(rail[2])
    .find((answer) => answer.includes(' '))
    ?.split(' ')
  // Groups of digits stand as they are written, also from right to left.
  if (groups) expect(await leftOf(page, groups[0] ?? '')).toBeLessThan(await leftOf(page, groups.at(-1) ?? ''))
  await primary(page).click()
  await page.locator('.status.active').waitFor()
  const mask = await page.locator('dd bdi').first().textContent()
  expect(mask).toContain('****')
  await expectFrameAccessible(page.mainFrame())
  expect(problems).toEqual([])
})

test.each(rails)('a bank form has no text outside of the catalogs: %s %j', async (...rail) => {
  const { page } = await openBankForm('en-XA')
  await page.locator('main select').first().waitFor()
  await primary(page).click()
  await page.locator('[role=alert], .summary').first().waitFor()
  const found = [await findPlain(page)]
  await fillIn(page, rail)
  found.push(await findPlain(page))
  await primary(page).click()
  await page.locator('.declare').waitFor()
  found.push(await findPlain(page))
  await primary(page).click()
  await page.locator('.status.active').waitFor()
  found.push(await findPlain(page))
  // Numbers and addresses are what the customer typed. The name has no letters of the Latin script.
  const typed = [...Object.values(rail[2]), 'a****@example.com']
  expect(found.map((texts) => texts.filter((text) => !typed.includes(text)))).toEqual([[], [], [], []])
})

test('a form that waits for the name of the customer opens by itself', async () => {
  const { id, customerId, link } = await createPending(api, { customer: {} })
  const { page, problems } = await open(`${link}?lang=en-XA`)
  await page.locator('.status.waiting').waitFor()
  expect(await findPlain(page)).toEqual([])
  for (const [lang, title] of [
    ['ar', 'التحقق من هويتكم أولًا'],
    ['en', 'Your verification comes first'],
  ] as const) {
    await page.locator(`.languages a[lang=${lang}]`).click()
    await heading(page, title)
    await expectAccessible(page)
  }
  // It closes like any other page, unless the customer is there.
  await ageSession(api, page, 29, 1.5, 'bank account form sessions')
  await askForNews(page)
  await press(page, 'Stay')
  await page.getByRole('alert').waitFor({ state: 'detached' })
  const tell = async (names: object) => expect((await patchCustomer(api, { customerId }, names)).status).toBe(200)
  await tell({ firstName: 'Ada', lastName: 'Example' })
  await askForNews(page)
  const isCheck = (url: string) => url.endsWith('/check')
  const checked = page.waitForResponse(
    (answer) => isCheck(answer.url()) && (answer.request().postData() ?? '').includes('000123456789'),
  )
  await fillAch(page)
  // A check that comes while the form waits would be refused.
  await checked
  // A form that waits once more keeps what was typed.
  await tell({ lastName: null })
  await askForNews(page)
  await page.locator('.status.waiting').waitFor()
  await tell({ lastName: 'Example' })
  await askForNews(page)
  await saveAccount(page)
  await heading(page, 'The bank account is saved')
  const { externalBankAccount } = (await api.get(`/payment-accounts/${id}`)).body
  expect(externalBankAccount).toMatchObject({ bankAccountOwnerName: 'Ada Example' })
  expect(problems).toEqual([])
})

test('pay pages run from right to left, and have no text outside of the catalogs', async () => {
  for (const awaiting of [await buy(), await sell('40')]) {
    const { page, problems } = await open(`${awaiting.transferLink}?lang=ar`)
    await page.locator('.lines').waitFor()
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
    await expectAccessible(page)
    expect(problems).toEqual([])
    const accented = await open(`${awaiting.transferLink}?lang=en-XA`)
    await accented.page.locator('.lines').waitFor()
    const found = await findPlain(accented.page, '.value', '.until time', '.countdown')
    expect(found.filter((text) => !/USDC|Base|SEPA|Sandbox/.test(text))).toEqual([])
  }
})

test('a pay page without a script passes axe, in both directions and at its end', async () => {
  const awaiting = await buy('20.00')
  for (const lang of ['en', 'ar']) {
    const { page } = await open(`${awaiting.transferLink}?lang=${lang}`, { javaScriptEnabled: false })
    const { transferIban = '', transferMessage } = awaiting.transferInstructions as InstructionsOf<'fiat'>
    const values = Object.values(await linesOn(page))
    expect(values).toEqual(expect.arrayContaining([transferIban.replaceAll(/.{4}(?=.)/g, '$& '), transferMessage]))
    expect(await codeOn(page)).toContain(`\n${transferIban}\nEUR20.00\n`)
    expect([await page.getByRole('button').count(), await page.locator('noscript a').count()]).toEqual([0, 1])
    await expectFrameAccessible((await withScripting(page)).mainFrame())
  }
  await transfer(awaiting, '20.00')
  const { page } = await open(awaiting.transferLink ?? '')
  await says(page, 'The payment is complete')
  const ended = await open(`${awaiting.transferLink}?lang=ar`, { javaScriptEnabled: false })
  await expectFrameAccessible((await withScripting(ended.page)).mainFrame())
})

/** The same page where axe can run: what it shows without a script, in a browser that has one. */
async function withScripting(page: Page): Promise<Page> {
  const html = (await page.content()).replaceAll(/<script[^>]*><\/script>/g, '').replaceAll('noscript>', 'div>')
  const { page: other } = await open(`${new URL(page.url()).origin}/forms/pay/view/unknown`)
  await other.route('**/looked-at', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }))
  await other.goto(`${new URL(page.url()).origin}/forms/looked-at`)
  await other.locator('main').waitFor()
  return other
}
