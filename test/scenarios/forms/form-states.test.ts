import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { makeJpeg } from '../../support/customers/document-files.ts'
import {
  addPhoto,
  expectAccessible,
  goToStep,
  heading,
  next,
  press,
  startForms,
} from '../../support/forms/form-visitor.ts'

const { api, open, visit } = await startForms()
const photo = await makeJpeg()

const choose = (page: Page, label: string, buffer: Buffer, name = 'photo.jpg') =>
  page
    .getByRole('group', { name: label })
    .first()
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'image/jpeg', buffer })

test('every stage of an upload passes axe, and a failed one can be tried again', async () => {
  const { page } = await open()
  await goToStep(page, 'document')
  await heading(page, 'Identity document')
  await press(page, 'Take the photos with your phone instead')
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await press(page, /Add a proof of address/)
  await page.getByText('Kind of paper').waitFor()
  await choose(page, 'Front of the document', Buffer.from('hello'.repeat(100)), 'notes.txt')
  await page.getByText('This kind of file cannot be used').waitFor()
  await choose(page, 'Picture of the document', photo)
  await page.getByRole('button', { name: 'Use this picture' }).waitFor()
  await expectAccessible(page)
  const held = Promise.withResolvers<void>()
  let isFailing = true
  await page.route('**/api/files*', async (route) => {
    await held.promise
    return isFailing ? route.abort('connectionreset') : route.continue()
  })
  await press(page, 'Use this picture')
  await page.getByRole('progressbar', { name: 'Picture of the document' }).waitFor()
  await expectAccessible(page)
  held.resolve()
  await page.getByText('The connection was lost. Trying again').waitFor()
  await page.getByText('The upload did not finish.').waitFor()
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
  const held = Promise.withResolvers<void>()
  await page.route('**/api/files*', async (route) => {
    await held.promise
    return route.continue()
  })
  await press(page, 'Use this picture')
  await page.getByRole('progressbar', { name: 'Front of the document' }).waitFor()
  await next(page)
  held.resolve()
  await heading(page, 'Check your answers')
})

test('an upload ends with its page, and with the session', async () => {
  const { page } = await open()
  await page.route('**/api/files*', () => new Promise<never>(() => {}))
  for (const [leave, title] of [
    ['Back', 'Work and money'],
    ['Leave this form', 'Open your link again'],
  ] as const) {
    await goToStep(page, 'document')
    await choose(page, 'Front of the document', photo)
    const sent = page.waitForRequest((request) => request.url().includes('/api/files'))
    await press(page, 'Use this picture')
    await sent
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/files'))
    await press(page, leave)
    await heading(page, title)
    expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED')
  }
  expect(await page.context().cookies()).toEqual([])
})

test('each status has an honest page that follows by itself', async () => {
  const { customer, page, problems } = await open()
  await press(page, 'Fill with sample data')
  await page.getByRole('button', { name: 'Fill with sample data' }).waitFor()
  await goToStep(page, 'check')
  await press(page, 'Submit for verification')
  await heading(page, 'We are checking your answers')
  await expectAccessible(page)
  const { customerId } = customer
  const decide = (body: object) => api.post(`/sandbox/customers/${customerId}/verification`, body)
  await decide({ outcome: 'NEEDS_INFO', issues: ['ADDRESS_DOCUMENT_MISSING_NAME', 'INCONSISTENT_INFORMATION'] })
  await heading(page, 'A few things need your attention')
  await press(page, 'Send the corrections')
  await page.getByRole('alert').waitFor()
  await expectAccessible(page)
  await press(page, 'Approve')
  await heading(page, 'You are verified')
  await expectAccessible(page)
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'Asked to leave' })
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
  const { page: offline } = await visit(customer.verificationLink)
  await offline.route('**/api/state', (route) => route.abort())
  await offline.reload()
  await heading(offline, 'The form could not be loaded')
  await expectAccessible(offline)
})

test('answers of another device are announced, and a phone offers its camera', async () => {
  const { customer, page: desk } = await open()
  const phone = (
    await visit(customer.verificationLink, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true })
  ).page
  await goToStep(phone, 'document')
  await heading(phone, 'Identity document')
  const camera = phone.waitForEvent('filechooser')
  await phone.getByRole('button', { name: 'Take a photo – Front of the document' }).tap()
  const chooser = await camera
  expect(await chooser.element().getAttribute('capture')).toBe('environment')
  await chooser.setFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo })
  await phone.getByRole('button', { name: 'Use this picture' }).tap()
  await phone.getByText(/Uploaded$/).waitFor()
  // A phone needs no code to continue on a phone.
  expect(await phone.getByRole('button', { name: /with your phone/ }).count()).toBe(0)
  await desk.getByText('You changed this form on another device').waitFor()
  await expectAccessible(desk)
  await addPhoto(phone, 'Front of the document')
})
