import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { issueCodes } from '../../../src/catalog/issues/verification-issues.ts'
import { readCustomer } from '../../support/customers/customers.ts'
import {
  addPhoto,
  expectAccessible,
  fillAddress,
  fillDate,
  fillPassport,
  goToStep,
  heading,
  next,
  press,
  startForms,
} from '../../support/forms/form-visitor.ts'

const { api, open } = await startForms()

async function addOwner(page: Page, at: number, [first, last]: [string, string], isControlPerson: boolean) {
  await press(page, 'Add a person')
  await heading(page, `Person ${at}: details`)
  if (at === 1) await expectAccessible(page)
  await page.getByLabel('First name').fill(first)
  await page.getByLabel('Last name').fill(last)
  await fillDate(page, 'Date of birth', ['1985', 'March', '9'])
  await page.getByLabel('Nationality').selectOption('US')
  await page.getByLabel('Share of the business').fill('50')
  const controls = page.getByRole('radiogroup', { name: /Controls the business/ })
  await controls.getByText(isControlPerson ? 'Yes' : 'No').click()
  await next(page)
  await heading(page, `Person ${at}: home address`)
  await page.getByLabel('Country').selectOption('US')
  await fillAddress(page)
  await next(page)
  await heading(page, `Person ${at}: identity document`)
  await fillPassport(page)
  await next(page)
  await heading(page, 'Owners and managers')
}

test('a business with two owners fills in the form', async () => {
  const { customer, page, problems } = await open({ customerType: 'BUSINESS', businessName: 'Example Goods Inc' })
  await heading(page, 'Where is the business registered?')
  await page.getByLabel('Country of registration').selectOption('US')
  await next(page)
  await heading(page, 'About the business')
  await expectAccessible(page)
  expect(await page.getByLabel('Legal name').inputValue()).toBe('Example Goods Inc')
  await page.getByLabel('Legal form').selectOption('LLC')
  await fillDate(page, 'Date of formation', ['2018', 'June', '1'])
  await page.getByLabel('Registration number').fill('C1234567')
  await next(page)
  await heading(page, 'Business address')
  await page.getByLabel('Country').selectOption('US')
  await fillAddress(page)
  await next(page)
  await heading(page, 'Activity and money')
  await expectAccessible(page)
  await page.getByLabel('Where the money comes from').selectOption('SALE_OF_GOODS_AND_SERVICES')
  await next(page)
  await heading(page, 'Owners and managers')
  await next(page)
  await page.getByRole('alert').waitFor()
  await addOwner(page, 1, ['Ada', 'Example'], true)
  await addOwner(page, 2, ['Grace', 'Sample'], false)
  await press(page, 'Add a person')
  await heading(page, 'Person 3: details')
  await press(page, 'Back')
  await page.getByRole('button', { name: 'Remove Person 3' }).click()
  await expectAccessible(page)
  expect(await page.getByText('Complete', { exact: true }).count()).toBe(2)
  await next(page)
  await heading(page, 'Business documents')
  await press(page, 'Add a document')
  await page.getByLabel('Kind of document').selectOption('ARTICLES_OF_INCORPORATION')
  await addPhoto(page, 'Document')
  await expectAccessible(page)
  await next(page)
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
  await press(page, 'Fill with sample data')
  await page.getByLabel('Ask for').selectOption('DATABASE_CHECK_FAILED_ON_CITY')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByLabel('City or town').waitFor()
  await press(page, 'Approve')
  await heading(page, 'You are verified')
  await expectAccessible(page)
  expect(problems).toEqual([])
})
