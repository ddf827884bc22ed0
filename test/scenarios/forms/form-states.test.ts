import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pointerFile } from '../../../scripts/web.mjs'
import { formPage, noticePage } from '../../../src/forms/html.ts'
import { en as texts } from '../../../src/forms/texts/en.ts'
import { languages } from '../../../src/forms/texts/languages.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import {
  addPhoto,
  askForNews,
  expectAccessible,
  goToStep,
  heading,
  holdUploads,
  next,
  press,
  startForms,
} from '../../support/forms/form-visitor.ts'

const { api, open, visit } = await startForms()
const photo = await makeJpeg()
const heicPhoto = path.join(import.meta.dirname, '..', '..', 'support', 'forms', 'sample.heic')

const choose = (page: Page, label: string, buffer: Buffer, name = 'photo.jpg') =>
  page
    .getByRole('group', { name: label })
    .first()
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'image/jpeg', buffer })

test('every stage of an upload passes axe, and a failed one can be tried again', async () => {
  const { page } = await open()
  await page.clock.install()
  await goToStep(page, 'document')
  await heading(page, 'Identity document')
  await press(page, 'Take the photos with your phone instead')
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  // A picture that waits for its look keeps its document, though that has no other answer yet.
  await choose(page, 'Front of the document', photo)
  const front = page.getByRole('group', { name: 'Front of the document' }).first()
  await front.getByRole('button', { name: 'Use this picture' }).waitFor()
  await press(page, /Add a proof of address/)
  await page.getByText('Kind of paper').waitFor()
  expect(await front.getByRole('button', { name: 'Use this picture' }).count()).toBe(1)
  await front.getByRole('button', { name: 'Choose another' }).click()
  await choose(page, 'Front of the document', Buffer.from('hello'.repeat(100)), 'notes.txt')
  await page.getByText('This kind of file cannot be used').waitFor()
  await choose(page, 'Picture of the document', photo)
  await page.getByRole('button', { name: 'Use this picture' }).waitFor()
  await expectAccessible(page)
  const held = Promise.withResolvers<void>()
  let isFailing = true
  await page.route('**/api/files*', async (route) => {
    await held.promise
    return (isFailing ? route.abort('connectionreset') : route.continue()).catch(() => undefined)
  })
  await press(page, 'Use this picture')
  await page.getByRole('progressbar', { name: 'Picture of the document' }).waitFor()
  await expectAccessible(page)
  await press(page, 'Cancel – Picture of the document')
  await expect.poll(() => page.getByRole('progressbar').count()).toBe(0)
  await choose(page, 'Picture of the document', photo)
  await press(page, 'Use this picture')
  await page.getByRole('progressbar', { name: 'Picture of the document' }).waitFor()
  held.resolve()
  await page.getByText('The connection was lost. Trying again').waitFor()
  const failed = page.getByText('The upload did not finish.')
  while ((await failed.count()) === 0) await page.clock.runFor(2_000)
  await expectAccessible(page)
  isFailing = false
  await press(page, 'Try again')
  await page.getByText(/Uploaded$/).waitFor()
})

test('Continue waits for a running upload, and reminds of a picture that is not sent', async () => {
  const { page } = await open()
  await press(page, 'Fill with sample data')
  await page.getByRole('button', { name: 'Fill with sample data' }).waitFor()
  await goToStep(page, 'document')
  await choose(page, 'Front of the document', photo)
  await page.getByRole('button', { name: 'Use this picture' }).waitFor()
  await next(page)
  await page.getByRole('alert').getByText('Press “Use this picture” to send it').waitFor()
  const release = await holdUploads(page)
  await press(page, 'Use this picture')
  await page.getByRole('progressbar', { name: 'Front of the document' }).waitFor()
  await next(page)
  release()
  await heading(page, 'Check your answers')
})

test('Back loses no picture, whether it is prepared, looked at or on its way', async () => {
  const { page } = await open()
  await goToStep(page, 'document')
  await heading(page, 'Identity document')
  // The decoder of HEIC pictures comes late, so that the customer is gone before the picture is there.
  const decoder = Promise.withResolvers<void>()
  let isLost = true
  await page.route('**/assets/libheif*', async (route) => {
    if (isLost) return route.abort()
    await decoder.promise
    await route.continue()
  })
  await choose(page, 'Front of the document', await readFile(heicPhoto), 'IMG_0001.HEIC')
  await page.getByText('A part of this form could not be loaded').waitFor()
  isLost = false
  const asked = page.waitForRequest(/assets\/libheif/)
  await press(page, 'Try again')
  await asked
  await press(page, 'Back')
  await heading(page, 'Work and money')
  decoder.resolve()
  await goToStep(page, 'check')
  await press(page, 'Submit for verification')
  await page.getByRole('alert').getByRole('link', { name: 'Press “Use this picture” to send it' }).click()
  await heading(page, 'Identity document')
  const release = await holdUploads(page)
  await press(page, 'Use this picture')
  await page.getByRole('progressbar', { name: 'Front of the document' }).waitFor()
  await page.goBack()
  await heading(page, 'Check your answers')
  await page.getByText('A file is still on its way').first().waitFor()
  release()
  await page.getByText('File uploaded').waitFor()
})

test('the other windows of a form end with it, and no late upload opens the session again', async () => {
  const { page } = await open()
  const other = await page.context().newPage()
  await other.goto(page.url())
  await goToStep(other, 'document')
  await choose(other, 'Front of the document', photo)
  await holdUploads(other)
  // It hears of the end from the window itself: its own polls find no one.
  await other.route('**/api/status', () => new Promise<never>(() => {}))
  const sent = other.waitForRequest(/api\/files/)
  await press(other, 'Use this picture')
  await sent
  const ended = other.waitForEvent('requestfailed', (request) => request.url().includes('/api/files'))
  await press(page, 'Leave this form')
  await heading(page, 'Open your link again')
  await heading(other, 'Open your link again')
  expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED')
  expect(await page.context().cookies()).toEqual([])
})

test('a request that is on its way when a customer leaves cannot open the session again', async () => {
  const { page, customer } = await open()
  const other = await visit(customer.verificationLink)
  await page.route('**/api/state', () => new Promise<never>(() => {}))
  const asked = page.waitForRequest(/api\/state/)
  await goToStep(other.page, 'document')
  await asked
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/state'))
  await press(page, 'Leave this form')
  await heading(page, 'Open your link again')
  expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED')
  expect(await page.context().cookies()).toEqual([])
})

test('a customer who leaves is asked about a picture that is not sent', async () => {
  const { page } = await open()
  await goToStep(page, 'document')
  await choose(page, 'Front of the document', photo)
  await page.getByRole('button', { name: 'Use this picture' }).waitFor()
  const answers = [false, true]
  page.on('dialog', (dialog) => (answers.shift() ? dialog.accept() : dialog.dismiss()))
  await press(page, 'Leave this form')
  await page.getByRole('button', { name: 'Use this picture' }).waitFor()
  await press(page, 'Leave this form')
  await heading(page, 'Open your link again')
  expect(answers).toEqual([])
})

test('each status has an honest page that follows by itself', async () => {
  const { customer, page, problems } = await open()
  await press(page, 'Fill with sample data')
  await page.getByRole('button', { name: 'Fill with sample data' }).waitFor()
  await goToStep(page, 'check')
  await press(page, 'Submit for verification')
  await heading(page, 'We are checking your answers')
  await expectAccessible(page)
  // The mark of the status turns for those alone who like it.
  const moving = () => page.evaluate<number>('document.getAnimations().length')
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await expect.poll(moving).toBeGreaterThan(0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect.poll(moving).toBe(0)
  const { customerId } = customer
  const decide = async (body: object) => {
    await api.post(`/sandbox/customers/${customerId}/verification`, body)
    await askForNews(page)
  }
  await decide({ outcome: 'NEEDS_INFO', issues: ['ADDRESS_DOCUMENT_MISSING_NAME', 'INCONSISTENT_INFORMATION'] })
  await heading(page, 'A few things need your attention')
  await press(page, 'Send the corrections')
  await page.getByRole('alert').waitFor()
  await expectAccessible(page)
  await press(page, 'Approve')
  await heading(page, 'You are verified')
  await expectAccessible(page)
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'Asked to leave' })
  await askForNews(page)
  await heading(page, 'This account is closed')
  await expectAccessible(page)
  await press(page, 'Leave this form')
  await page.getByText('This page no longer updates by itself').waitFor()
  await expectAccessible(page)
  expect(problems).toEqual([])
})

test('pages without a form say what to do', async () => {
  const { customer, page } = await open()
  await press(page, 'Leave this form')
  await heading(page, 'Open your link again')
  await expectAccessible(page)
  await page.reload()
  await heading(page, 'Open your link again')
  await expectAccessible(page)
  await page.goto(`${customer.verificationLink}x`)
  await heading(page, 'This link does not work')
  await expectAccessible(page)
  await page.goto(customer.verificationLink ?? '')
  await page.route('**/api/state', (route) => route.abort())
  await page.reload()
  await heading(page, 'The form could not be loaded')
  await expectAccessible(page)
  // The pages that a busy or an unfinished service sends, the latter without a style sheet, and a browser without scripts.
  const { entries } = JSON.parse(readFileSync(pointerFile, 'utf8'))
  const frame = { nonce: '', base: '/forms', style: entries['app.css'], language: languages[0]! }
  const [busy, busyText] = texts.tooMany
  const [unbuilt, unbuiltText] = texts.notBuilt
  const silent = formPage({ ...frame, title: texts.title, token: '', formId: '', script: '', words: '' }).replaceAll(
    /<script.*<\/script>|<\/?noscript>/g,
    '',
  )
  for (const [title, body] of [
    [busy, noticePage({ ...frame, title: busy, text: busyText })],
    [unbuilt, noticePage({ ...frame, style: '', title: unbuilt, text: unbuiltText })],
    [texts.noScript[0], silent],
  ] as const) {
    await page.route('**/forms/verify', (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.reload()
    await heading(page, title)
    await expectAccessible(page)
  }
  const { page: without } = await visit(customer.verificationLink, { javaScriptEnabled: false })
  await heading(without, 'JavaScript is off')
  expect(await without.getByText('Loading your form').isVisible()).toBe(false)
})

test('answers of another device are announced, and a phone offers its camera', async () => {
  const { customer, page: desk } = await open()
  const phone = (
    await visit(customer.verificationLink, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true })
  ).page
  await goToStep(phone, 'document')
  await heading(phone, 'Identity document')
  expect(await phone.getByText('or drop it here').isVisible()).toBe(false)
  const camera = phone.waitForEvent('filechooser')
  await phone.getByRole('button', { name: 'Take a photo – Front of the document' }).tap()
  const chooser = await camera
  expect(await chooser.element().getAttribute('capture')).toBe('environment')
  await chooser.setFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo })
  await phone.getByRole('button', { name: 'Use this picture' }).tap()
  await phone.getByText(/Uploaded$/).waitFor()
  // A phone needs no code to continue on a phone.
  expect(await phone.getByRole('button', { name: /with your phone/ }).count()).toBe(0)
  await askForNews(desk)
  await desk.getByText('You changed this form on another device').waitFor()
  await expectAccessible(desk)
  await desk.getByLabel('Nationality').focus()
  await press(desk, 'Close')
  await expect.poll(() => desk.evaluate('document.activeElement.id')).toBe('f-kycData-nationality')
  await addPhoto(phone, 'Front of the document')
})
