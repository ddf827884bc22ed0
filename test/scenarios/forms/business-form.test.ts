import { expect, test } from 'vitest'
import { issueCodes } from '../../../src/catalog/issues/verification-issues.ts'
import { readCustomer } from '../../support/customers/customers.ts'
import { businessPages, leavePage } from '../../support/forms/business-pages.ts'
import {
  askForNews,
  expectAccessible,
  goToStep,
  heading,
  next,
  press,
  startForms,
} from '../../support/forms/form-visitor.ts'
import { useKeyboard } from '../../support/forms/keyboard.ts'

const { api, open, visit } = await startForms()

const business = { customerType: 'BUSINESS', businessName: 'Example Goods Inc' }

test('a business with two owners fills in the form; every page passes axe in light and dark', async () => {
  const { customer, page, problems } = await open(business)
  const pages = businessPages([
    { first: 'Ada', last: 'Example', controls: true },
    { first: 'Grace', last: 'Sample', controls: false },
  ])
  for (const formPage of pages) {
    await heading(page, formPage.title)
    if (formPage.title === 'About the business')
      expect(await page.getByLabel('Legal name').inputValue()).toBe('Example Goods Inc')
    await formPage.fill(page)
    if (formPage.leave === undefined && !formPage.title.startsWith('Person 2')) await expectAccessible(page)
    await leavePage(page, formPage)
  }
  await heading(page, 'Check your answers')
  await expectAccessible(page)
  await press(page, 'Submit for verification')
  await heading(page, 'We are checking your answers')
  expect(problems).toEqual([])
  const { verification, customerStatus } = await readCustomer(api, customer, '?includeVerification=true')
  expect(customerStatus).toBe('UNDER_REVIEW')
  const people = [
    { legalFirstName: 'Ada', ownershipPercentage: 50, isControlPerson: true },
    { legalFirstName: 'Grace', ownershipPercentage: 50, isControlPerson: false },
  ]
  expect(verification).toMatchObject({
    kybData: { associatedPersons: people, businessDocuments: [{ type: 'ARTICLES_OF_INCORPORATION' }] },
  })
})

test('a business fills in, sends, follows and corrects its form with the keyboard alone', async () => {
  const { customer, page, problems } = await open(business)
  const { type, choose, pick, typeDate, answer, enter, proceed, addPhoto } = useKeyboard(page)
  const typeAddress = async () => {
    await choose('Country', 'United States')
    await type('Street and house number', '548 Market Street')
    await type('City or town', 'San Francisco')
    await choose('State', 'Calif')
    await type('ZIP code', '94104')
  }
  await choose('Country of registration', 'United States')
  await proceed('About the business')
  await choose('Legal form', 'LLC')
  await typeDate('2018', 'June', '1')
  await type('Registration number', 'C1234567')
  await proceed('Business address')
  await typeAddress()
  await proceed('Activity and money')
  await choose('Where the money comes from', 'Sale')
  await proceed('Owners and managers')
  await proceed('Person 1: details', 'Add a person')
  await type('First name', 'Ada')
  await type('Last name', 'Example')
  await typeDate('1985', 'March', '9')
  await choose('Nationality', 'United States')
  await type('Share of the business', '100')
  await answer(true)
  await proceed('Person 1: home address')
  await typeAddress()
  await proceed('Person 1: identity document')
  await choose('Kind of document', 'Passport')
  await choose('Country that issued it', 'United States')
  await type('Document number', 'X1234567')
  await typeDate('2024', 'May', '1')
  await typeDate('2034', 'April', '30')
  await addPhoto()
  await proceed('Owners and managers')
  await proceed('Business documents')
  await enter('Add a document')
  await expect.poll(() => page.evaluate('document.activeElement.id')).toContain('businessDocuments-0-type')
  await pick('Articles')
  await addPhoto()
  await proceed('Check your answers')
  await proceed('We are checking your answers', 'Submit for verification')

  const issues = ['ADDRESS_DOCUMENT_MISSING_NAME', 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE']
  await api.post(`/sandbox/customers/${customer.customerId}/verification`, { outcome: 'NEEDS_INFO', issues })
  await askForNews(page)
  await heading(page, 'A few things need your attention')
  await addPhoto('Replace')
  await type('ZIP code', '94105')
  await proceed('We are checking your answers', 'Send the corrections')
  await enter('Leave this form')
  await page.getByText('This page no longer updates by itself').waitFor()
  expect(problems).toEqual([])
})

test('the list of people tells who is missing, and an empty person tells each field', async () => {
  const { page } = await open(business)
  await goToStep(page, 'people')
  await next(page)
  await page.getByRole('alert').getByText('Please add the people who own or control the business').waitFor()
  await press(page, 'Add a person')
  await heading(page, 'Person 1: details')
  await next(page)
  const listed = () => page.getByRole('alert').getByRole('link').allTextContents()
  const details = ['First name', 'Last name', 'Date of birth'].map((label) => `Please fill in: ${label}`)
  await expect.poll(listed).toEqual([...details, 'Please choose: Nationality'])
  await page.getByLabel('First name').fill('Ada')
  await goToStep(page, 'person-1-address')
  await next(page)
  const address = ['choose: Country', 'fill in: Street and house number', 'fill in: City or town']
  await expect.poll(listed).toEqual(address.map((text) => `Please ${text}`))
  await goToStep(page, 'people')
  await next(page)
  await page.getByRole('alert').getByText('One person has to control the business').waitFor()
  const answers = [false, true]
  page.on('dialog', (dialog) => (answers.shift() ? dialog.accept() : dialog.dismiss()))
  const remove = page.getByRole('button', { name: 'Remove Ada' })
  await remove.click()
  expect(await remove.count()).toBe(1)
  await remove.click()
  await page.getByText('No person added yet.').waitFor()
})

test('hostile texts in every field of a business are shown back as texts', async () => {
  const hostile = `"><img src=x onerror=window.hit=1><script>window.hit=1</script>{{7*7}}`
  const { customer, page, problems } = await open({ ...business, businessName: hostile })
  await page.getByLabel('Country of registration').selectOption('DE')
  await goToStep(page, 'addresses')
  await page.getByLabel('The business works at another address').check()
  await goToStep(page, 'activity')
  await page.getByLabel('Main purpose of the account').selectOption('OTHER')
  const services = page.getByRole('radiogroup', { name: /money services/ }).first()
  await services.getByText('Yes').click()
  await page.getByLabel('Gambling').check()
  await goToStep(page, 'people')
  await press(page, 'Add a person')
  let filled = 0
  for (const id of ['business', 'addresses', 'activity', 'person-1-about', 'person-1-address', 'person-1-document']) {
    await goToStep(page, id)
    await page.locator('h1:focus').waitFor()
    for (const field of await page
      .locator('.field :is(input:not([type=radio], [type=checkbox], [type=file]), textarea)')
      .all()) {
      await field.fill(hostile)
      filled += 1
    }
    await page.getByText('All answers saved').waitFor()
  }
  expect(filled).toBeGreaterThan(25)
  for (const id of ['people', 'check']) {
    await goToStep(page, id)
    await page.getByText('<script>window.hit=1</script>').first().waitFor()
  }
  await page.getByText('All answers saved').waitFor()
  const elsewhere = (await visit(customer.verificationLink)).page
  await elsewhere.getByText('<script>window.hit=1</script>').first().waitFor()
  await press(elsewhere, 'Submit for verification')
  await elsewhere.getByRole('alert').waitFor()
  for (const each of [page, elsewhere]) expect(await each.evaluate('window.hit')).toBeUndefined()
  expect(problems).toEqual([])
})

test('the ribbon of the sandbox fills in the whole form and decides', async () => {
  const { page, problems } = await open({ customerType: 'BUSINESS', businessName: 'Example Goods Inc' })
  await press(page, 'Fill with sample data')
  await page.getByRole('button', { name: 'Fill with sample data' }).waitFor()
  await goToStep(page, 'check')
  await heading(page, 'Check your answers')
  await page.getByText('ARTICLES').or(page.getByText('Articles of incorporation')).first().waitFor()
  await press(page, 'Submit for verification')
  await heading(page, 'We are checking your answers')
  // Every code of the contract, while the answers are checked and while they are corrected.
  expect(await page.getByLabel('Ask for').locator('option').count()).toBe(issueCodes.length)
  await page.getByLabel('Ask for').selectOption('DATABASE_CHECK_FAILED_ON_POSTAL_CODE')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await heading(page, 'A few things need your attention')
  // A button that is pressed while another one works waits for its turn.
  await press(page, 'Fill with sample data')
  await page.getByLabel('Ask for').selectOption('DATABASE_CHECK_FAILED_ON_CITY')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByLabel('City or town').waitFor()
  await press(page, 'Approve')
  await heading(page, 'You are verified')
  await expectAccessible(page)
  expect(problems).toEqual([])
})
