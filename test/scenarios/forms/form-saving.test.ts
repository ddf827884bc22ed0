import { expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import { businessPages, leavePage } from '../../support/forms/business-pages.ts'
import { frontImage, individualAnswers, openFormClient, saveAnswers } from '../../support/forms/form-client.ts'
import {
  addPhoto,
  ageSession,
  askForNews,
  expectAccessible,
  goToStep,
  heading,
  next,
  press,
  startForms,
} from '../../support/forms/form-visitor.ts'
import { individualPages } from '../../support/forms/individual-pages.ts'
import { readQrCode } from '../../support/forms/qr-code.ts'

const { api, open, visit } = await startForms()

test.each([
  ['an individual', individualPages, {}],
  [
    'a business',
    businessPages([{ first: 'Ada', last: 'Example', controls: true }]),
    { customerType: 'BUSINESS', businessName: 'Example Goods Inc' },
  ],
])('a killed tab of %s loses nothing: the link continues on the same page', async (_who, pages, body) => {
  const { verificationLink } = await createCustomer(api, body)
  let { page } = await visit(verificationLink)
  for (const [at, formPage] of pages.entries()) {
    await heading(page, formPage.title)
    await formPage.fill(page)
    await page.locator('.save.saved').waitFor()
    await page.context().close()
    page = (await visit(verificationLink)).page
    await heading(page, formPage.title)
    await leavePage(page, formPage)
    await heading(page, pages[at + 1]?.title ?? 'Check your answers')
  }
  await page.locator('.save.saved').waitFor()
  await page.context().close()
  page = (await visit(verificationLink)).page
  await heading(page, 'Check your answers')
  await page.getByText('548 Market Street').first().waitFor()
  expect(await page.locator('.answers .problem').allTextContents()).toEqual([])
})

test('the code leads the phone to the form, and the first window follows it, files as well', async () => {
  const { customer, page: desk } = await open({ firstName: 'Ada', lastName: 'Example' })
  await goToStep(desk, 'document')
  await heading(desk, 'Identity document')
  await press(desk, 'Take the photos with your phone instead')
  const shown = (await desk.getByRole('img', { name: /QR code/ }).getAttribute('src')) ?? ''
  const scanned = readQrCode(decodeURIComponent(shown.slice(shown.indexOf(',') + 1)))
  expect(scanned).toBe(customer.verificationLink)
  const phone = (await visit(scanned)).page
  await goToStep(phone, 'document')
  await addPhoto(phone, 'Front of the document')
  await askForNews(desk)
  await desk.getByText('Uploaded').first().waitFor()
})

test('a number that is typed with pauses is saved whole, though the service never sends it back', async () => {
  const { page } = await open()
  await goToStep(page, 'document')
  await page.getByLabel('Kind of document').selectOption('PASSPORT')
  const saves: string[] = []
  page.on('request', (request) => void (request.method() === 'PATCH' && saves.push(request.postData() ?? '')))
  const number = page.getByLabel('Document number')
  await number.pressSequentially('X123')
  await page.getByText('All answers saved').waitFor()
  expect(await number.inputValue()).toBe('X123')
  await number.pressSequentially('4567')
  await page.getByText('All answers saved').waitFor()
  expect(saves.at(-1)).toContain('"X1234567"')
  await goToStep(page, 'about')
  await heading(page, 'About you')
  await goToStep(page, 'document')
  await page.getByText('Given – hidden for your safety').first().waitFor()
  expect(await number.inputValue()).toBe('')
})

test('what is typed while a save is on its way survives the end of the page', async () => {
  const { customer, page } = await open()
  await goToStep(page, 'about')
  await heading(page, 'About you')
  await page.getByText('All answers saved').waitFor()
  const network = await page.context().newCDPSession(page)
  const conditions = { offline: false, latency: 1_500, downloadThroughput: -1, uploadThroughput: -1 }
  await network.send('Network.emulateNetworkConditions', conditions)
  const first = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByLabel('First name').pressSequentially('Ad')
  await first
  await page.getByLabel('First name').pressSequentially('elheid')
  await page.getByLabel('Last name').pressSequentially('Example')
  await page.goto('about:blank')
  const again = (await visit(customer.verificationLink)).page
  await heading(again, 'About you')
  await expect.poll(() => again.getByLabel('First name').inputValue()).toBe('Adelheid')
  await expect.poll(() => again.getByLabel('Last name').inputValue()).toBe('Example')
})

test('answers that are typed without a connection outlive the session: the link saves them', async () => {
  const { customer, page } = await open()
  await goToStep(page, 'about')
  await heading(page, 'About you')
  await page.getByText('All answers saved').waitFor()
  const context = page.context()
  await context.setOffline(true)
  await page.getByLabel('First name').fill('Ada')
  await page.getByText('Not saved yet').first().waitFor()
  await next(page)
  await page.getByRole('alert').getByText('Check your connection and try again').waitFor()
  await heading(page, 'About you')
  await press(page, 'Leave this form')
  await heading(page, 'Leaving…')
  await page.getByRole('alert').getByText('could not close the form').waitFor()
  await expectAccessible(page)
  // The session ends before the connection is back.
  await context.clearCookies()
  await context.setOffline(false)
  await heading(page, 'Open your link again')
  await page.getByRole('alert').getByText('Your last answers are not saved yet').waitFor()
  await expectAccessible(page)
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()
  // The form of another customer in the same browser gets none of them.
  const { verificationLink = '' } = await createCustomer(api)
  const another = await context.newPage()
  await another.goto(verificationLink)
  await press(page, 'Save them now')
  await page.getByText('This did not work').waitFor()
  expect((await (await openFormClient(verificationLink)).call('GET', 'state')).body.values).toEqual({})
  await another.goto(customer.verificationLink ?? '')
  await heading(page, 'About you')
  await page.locator('.save.saved').waitFor()
  const saved = await (await openFormClient(customer.verificationLink ?? '')).call('GET', 'state')
  expect(saved.body.values).toEqual({ kycData: { legalFirstName: 'Ada' } })
})

test('a share is saved as typed, and a text that is no number is told at its field', async () => {
  const { customer, page } = await open({ customerType: 'BUSINESS', businessName: 'Example Goods Inc' })
  await goToStep(page, 'people')
  await press(page, 'Add a person')
  const share = page.getByLabel('Share of the business')
  await share.pressSequentially('37,5')
  await page.getByText('All answers saved').waitFor()
  const again = (await visit(customer.verificationLink)).page
  await heading(again, 'Person 1: details')
  expect(await again.getByLabel('Share of the business').inputValue()).toBe('37.5')
  await share.fill('half')
  await next(page)
  await page.getByRole('alert').getByText('enter a number, such as 25').waitFor()
  expect(await share.inputValue()).toBe('half')
})

test('a form that is submitted elsewhere is locked at once, without a storm of requests', async () => {
  const { customer, page } = await open()
  await page.getByText('All answers saved').waitFor()
  const form = await openFormClient(customer.verificationLink ?? '')
  await saveAnswers(form, individualAnswers)
  const { revision } = (await form.upload(frontImage, await makeJpeg())).body
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url().split('/').at(-1) ?? ''))
  expect((await form.call('POST', 'submission', { revision })).status).toBe(200)
  await goToStep(page, 'about')
  await heading(page, 'We are checking your answers')
  await page.waitForRequest(/status$/)
  await page.waitForRequest(/status$/)
  // It polls for the outcome as before, however long that takes, and asks for little else.
  expect(asked.filter((name) => name !== 'status').length).toBeLessThan(6)
})

test('an answer that the service refuses is told at its field, and the form goes on', async () => {
  const { page } = await open()
  await goToStep(page, 'about')
  await heading(page, 'About you')
  await page.getByText('All answers saved').waitFor()
  let refusals = 1
  await page.route('**/api/draft', (route) => {
    if (refusals-- <= 0) return route.continue()
    const details = [{ field: 'kycData.legalFirstName', message: 'is refused' }]
    return route.fulfill({ status: 400, json: { error: 'BAD_REQUEST', message: 'refused', details } })
  })
  await page.getByLabel('First name').fill('Ada')
  await page.getByText('All answers saved').waitFor()
  await next(page)
  await page.getByRole('alert').getByText('your last change could not be saved').waitFor()
  await page.getByLabel('First name').fill('Ada')
  await page.getByText('All answers saved').waitFor()
  expect(await page.getByRole('alert').getByText('could not be saved').count()).toBe(0)
})

test('saving is quiet for a screen reader, and the summary of the last page leads to the field', async () => {
  const { customer, page } = await open()
  await goToStep(page, 'about')
  await heading(page, 'About you')
  await page.evaluate(`window.said = 0; new MutationObserver((all) => {
    window.said += all.filter(({ target }) => (target.parentElement ?? target).closest('[role=status]')).length
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
  await page.getByLabel('First name').pressSequentially('Ada', { delay: 300 })
  await page.getByText('All answers saved').waitFor()
  expect(await page.evaluate('window.said')).toBe(0)
  await goToStep(page, 'check')
  await press(page, 'Submit for verification')
  const problem = 'Please fill in: Date of birth'
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').getByRole('link').allTextContents()).toContain(problem)
  const focused = `document.activeElement.textContent.trim().slice(0, 6)`
  await page.getByRole('button', { name: 'Change About you' }).focus()
  const other = await openFormClient(customer.verificationLink ?? '')
  await saveAnswers(other, { 'kycData.legalMiddleName': 'Maria' })
  await askForNews(page)
  await page.getByText('Maria').waitFor()
  expect(await page.evaluate(focused)).toBe('Change')
  await page.getByRole('alert').getByRole('link', { name: problem }).click()
  await heading(page, 'About you')
  const described = `(document.activeElement.getAttribute('aria-describedby') ?? '')
    .split(' ').map((id) => document.getElementById(id)?.textContent).join(' ')`
  await expect.poll(() => page.evaluate(described)).toContain(problem)
})

test('another country takes region and postal code along, and some have no postal code', async () => {
  const { page } = await open()
  await page.getByLabel('Country where you live').selectOption('US')
  await goToStep(page, 'contact')
  await page.getByLabel('State').selectOption('CA')
  await page.getByLabel('ZIP code').fill('94104')
  expect(await page.getByLabel('State').getAttribute('autocomplete')).toBe('address-level1')
  await goToStep(page, 'country')
  await page.getByLabel('Country where you live').selectOption('CA')
  await goToStep(page, 'contact')
  expect(await page.getByLabel('Province or territory').inputValue()).toBe('')
  expect(await page.getByLabel('Postal code').inputValue()).toBe('')
  await goToStep(page, 'country')
  await page.getByLabel('Country where you live').selectOption('HK')
  await goToStep(page, 'contact')
  await page.getByLabel('City or town').waitFor()
  expect(await page.getByLabel('Postal code').count()).toBe(0)
})

test('an idle customer is warned before the form closes, and can stay', async () => {
  const { page } = await open()
  await page.getByText('All answers saved').waitFor()
  await ageSession(api, page, 40, 1.5)
  await askForNews(page)
  await page.getByRole('alert').getByText('closes in about two minutes').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Nationality').focus()
  await press(page, 'Stay')
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  // The button is gone, and the focus is where it was.
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('f-kycData-nationality')
  await page.waitForRequest(/status$/)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('the end of a session after half a day is announced, and the link continues', async () => {
  const { customer, page } = await open()
  await goToStep(page, 'about')
  await page.getByLabel('First name').fill('Ada')
  await page.getByText('All answers saved').waitFor()
  // An idle customer can still put off the end that comes first.
  await ageSession(api, page, 12 * 60 - 8, 1.5)
  await askForNews(page)
  await page.getByRole('alert').getByText('closes in about two minutes').waitFor()
  await press(page, 'Stay')
  await page.getByRole('alert').getByText('this form closes at').waitFor()
  await expectAccessible(page)
  expect(await page.getByRole('button', { name: 'Stay' }).count()).toBe(0)
  await ageSession(api, page, 12 * 60 + 1, -1)
  await askForNews(page)
  await heading(page, 'Open your link again')
  await expectAccessible(page)
  const again = (await visit(customer.verificationLink)).page
  await heading(again, 'About you')
  expect(await again.getByLabel('First name').inputValue()).toBe('Ada')
})
