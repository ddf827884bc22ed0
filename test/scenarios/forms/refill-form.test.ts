import { beforeAll, expect, test } from 'vitest'
import { type Customer, createCustomer, readCustomer } from '../../support/customers/customers.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import { frontImage, individualAnswers, openFormClient, saveAnswers } from '../../support/forms/form-client.ts'
import {
  addPhoto,
  askForNews,
  choosePhoto,
  expectAccessible,
  goToStep,
  heading,
  holdUploads,
  labelsOn,
  next,
  press,
  startForms,
} from '../../support/forms/form-visitor.ts'

const { api, open, visit } = await startForms()
let photo: Buffer
beforeAll(async () => {
  photo = await makeJpeg()
})

const decide = async ({ customerId }: Customer, issues: string[], outcome = 'NEEDS_INFO') => {
  const { status } = await api.post(`/sandbox/customers/${customerId}/verification`, { outcome, issues })
  expect(status).toBe(200)
}

/** A customer who has submitted the form and was asked for corrections. */
async function askFor(issues: string[], { outcome = 'NEEDS_INFO', answers = {} } = {}): Promise<Customer> {
  const customer = await createCustomer(api)
  const form = await openFormClient(customer.verificationLink ?? '')
  await saveAnswers(form, { ...individualAnswers, ...answers })
  const { revision } = (await form.upload(frontImage, photo)).body
  expect((await form.call('POST', 'submission', { revision })).status).toBe(200)
  await decide(customer, issues, outcome)
  return customer
}

const document = ['Kind of document', 'Country that issued it', 'Document number', 'Date of issue', 'Date of expiry']
// The submitted passport has one page.
const pictures = ['Front of the document']

// biome-ignore format: a table is read by column
const fieldsByCode: [code: string, labels: string[]][] = [
  ['DOCUMENT_MISSING_BACK',                           ['Back of the document']],
  ['NO_FACE_PORTRAIT',                                ['Front of the document']],
  ['DOC_QUALITY_POOR',                                pictures],
  ['MISSING_EXPIRY_DATE',                             ['Date of expiry']],
  ['MISSING_DOCUMENT_NUMBER',                         ['Document number']],
  ['UNRECOGNIZED_DOCUMENT',                           [...document, ...pictures]],
  ['DATABASE_CHECK_FAILED_ON_POSTAL_CODE',            ['ZIP code']],
  ['DATABASE_CHECK_FAILED_ON_SUBDIVISION',            ['State']],
  ['ADDRESS_TOO_SHORT',                               ['Street and house number', 'Apartment, floor or building']],
  ['BIRTH_DATE_MISMATCH',                             ['Date of birth']],
  ['DATABASE_CHECK_FAILED_ON_NAME_LAST',              ['Last name']],
  ['DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER', ['Country that issued the number', 'Kind of number', 'Number']],
  // The last one: its paper stays in the form.
  ['ADDRESS_DOCUMENT_MISSING_NAME',                   ['Kind of paper', 'Date on the paper', 'Picture of the document']],
]

test('each code opens exactly its fields, on a page that follows from one to the next', async () => {
  const customer = await askFor([])
  const form = await openFormClient(customer.verificationLink ?? '')
  const { page, problems } = await visit(customer.verificationLink)
  for (const [code, labels] of fieldsByCode) {
    const { revision } = (await form.call('GET', 'state')).body
    expect((await form.call('POST', 'submission', { revision })).status).toBe(200)
    await decide(customer, [code])
    await askForNews(page)
    await expect.poll(async () => [code, await labelsOn(page)]).toEqual([code, labels])
    await heading(page, 'A few things need your attention')
    const { body } = await api.get(`/customers/${customer.customerId}`)
    await page
      .getByText(body.verificationIssues?.[0]?.message ?? 'no message')
      .first()
      .waitFor()
    await page.getByText('All answers saved').waitFor()
  }
  expect(problems).toEqual([])
})

/** A business that has submitted the sample data of the ribbon, with a page that was asked for corrections. */
async function openBusiness() {
  const { customer, page, problems } = await open({ customerType: 'BUSINESS', businessName: 'Example Goods Inc' })
  await press(page, 'Fill with sample data')
  await page.getByRole('button', { name: 'Fill with sample data' }).waitFor()
  await goToStep(page, 'check')
  await press(page, 'Submit for verification')
  await heading(page, 'We are checking your answers')
  const ask = async (code: string) => {
    await page.getByLabel('Ask for').selectOption(code)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await heading(page, 'A few things need your attention')
  }
  return { customer, page, problems, ask }
}

test('a business corrects exactly what the issues name, and a picture issue needs a new picture', async () => {
  const { customer, page, problems, ask } = await openBusiness()
  const fields: [code: string, labels: string[]][] = [
    ['DATABASE_CHECK_FAILED_ON_POSTAL_CODE', ['ZIP code']],
    ['ADDRESS_TOO_SHORT', ['Street and house number', 'Apartment, floor or building']],
    ['MISSING_NAME', ['Legal name']],
    ['ADDRESS_DOCUMENT_MISSING_NAME', ['Kind of document', 'Document']],
  ]
  for (const [code, labels] of fields) {
    await ask(code)
    await expect.poll(() => labelsOn(page)).toEqual(labels)
  }
  await press(page, 'Send the corrections')
  await page.getByRole('alert').getByText('Business documents: please upload a new file.').waitFor()
  await expectAccessible(page)
  // A picture that waits for its look, or is on its way, is part of the corrections.
  await choosePhoto(page, 'Document')
  await press(page, 'Send the corrections')
  const reminder = page.getByRole('alert').getByRole('link', { name: 'Press “Use this picture” to send it' })
  await reminder.click()
  await expect.poll(() => page.locator('fieldset:has(button:focus)').count()).toBe(1)
  const release = await holdUploads(page)
  await press(page, 'Use this picture')
  await page.getByRole('progressbar', { name: 'Document' }).waitFor()
  let submissions = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/submission')) submissions += 1
  })
  await press(page, 'Send the corrections')
  await page.waitForRequest(/status$/)
  expect(submissions).toBe(0)
  release()
  await heading(page, 'We are checking your answers')
  await page.unroute('**/api/files*')
  await ask('DOC_QUALITY_POOR')
  await heading(page, 'A few things need your attention')
  await expect.poll(() => labelsOn(page)).toEqual([])
  await press(page, 'Send the corrections')
  await page.getByRole('alert').getByText('Owners and managers: please upload a new file.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Edit Ada Example' }).click()
  await heading(page, 'Person 1: details')
  await next(page)
  await heading(page, 'Person 1: home address')
  await next(page)
  await heading(page, 'Person 1: identity document')
  // The list of corrections leads back to a picture that waits on the page of a person.
  await choosePhoto(page, 'Front of the document')
  await goToStep(page, 'corrections')
  await heading(page, 'A few things need your attention')
  await press(page, 'Send the corrections')
  await page.getByRole('alert').getByRole('link', { name: 'Front of the document: press “Use this' }).click()
  await heading(page, 'Person 1: identity document')
  await press(page, 'Use this picture')
  await page.getByText('Uploaded', { exact: true }).waitFor()
  await next(page)
  await heading(page, 'A few things need your attention')
  await press(page, 'Send the corrections')
  await heading(page, 'We are checking your answers')
  expect(problems).toEqual([])
  const { verification } = await readCustomer(api, customer, '?includeVerification=true')
  expect(verification).toMatchObject({ kybData: { associatedPersons: [{ legalFirstName: 'Ada' }] } })
})

test('a picture is replaced, the corrections are sent, and the page follows the outcome', async () => {
  const customer = await askFor(['DOC_QUALITY_POOR', 'BIRTH_DATE_MISMATCH'])
  const { page, problems } = await visit(customer.verificationLink)
  await expectAccessible(page)
  await press(page, 'Send the corrections')
  await page.getByRole('alert').getByText('please upload a new file.').waitFor()
  await addPhoto(page, 'Front of the document')
  await press(page, 'Send the corrections')
  await heading(page, 'We are checking your answers')
  await decide(customer, [], 'APPROVE')
  await askForNews(page)
  await heading(page, 'You are verified')
  await api.post(`/customers/${customer.customerId}/deactivate`, { reason: 'Asked to leave' })
  await askForNews(page)
  await heading(page, 'This account is closed')
  expect(problems).toEqual([])
})

test.each([
  ['AML_MATCH', 'Please contact support'],
  ['ID_PREVIOUSLY_SEEN', 'Please contact support'],
])('%s tells the customer nothing but to contact support', async (code, title) => {
  const customer = await askFor([code])
  const { page } = await visit(customer.verificationLink)
  await heading(page, title)
  await expectAccessible(page)
  // The ribbon of the sandbox, outside of the page itself, lists every code.
  expect(await page.locator('.shell').innerHTML()).not.toMatch(/AML|laundering|seen before|PREVIOUSLY|fraud/i)
})

test('a rejected customer sees it, without a reason', async () => {
  const customer = await askFor([], { outcome: 'REJECT' })
  const { page } = await visit(customer.verificationLink)
  await heading(page, 'We could not verify you')
  await expectAccessible(page)
})

test('a killed tab loses no correction, and hostile texts are shown back as texts', async () => {
  const hostile = `"><img src=x onerror=window.hit=1><script>window.hit=1</script>{{7*7}}`
  const answers = {
    'kycData.legalFirstName': hostile,
    'kycData.address.streetLine1': hostile,
    'kycData.address.city': hostile,
  }
  const customer = await askFor(['INCONSISTENT_INFORMATION'], { answers })
  const { page, problems } = await visit(customer.verificationLink)
  await heading(page, 'A few things need your attention')
  expect(await page.getByLabel('First name').inputValue()).toBe(hostile)
  await page.getByLabel('Last name').fill(hostile)
  await page.getByLabel('Document number').fill('Y7654321')
  await addPhoto(page, 'Front of the document')
  await page.getByText('All answers saved').waitFor()
  await page.context().close()

  const { page: again, problems: later } = await visit(customer.verificationLink)
  await heading(again, 'A few things need your attention')
  for (const label of ['First name', 'Last name', 'City or town'])
    expect([label, await again.getByLabel(label).inputValue()]).toEqual([label, hostile])
  await again.getByText('Given – hidden for your safety').first().waitFor()
  await again.getByRole('group', { name: 'Front of the document' }).getByText('Uploaded', { exact: true }).waitFor()
  await press(again, 'Send the corrections')
  await heading(again, 'We are checking your answers')
  expect(await again.evaluate('window.hit')).toBeUndefined()
  expect([...problems, ...later]).toEqual([])
})
