import type { Page } from 'playwright-core'
import { addPhoto, fillAddress, fillDate, fillPassport, next, press } from './form-visitor.ts'

/** `leave`: how the customer goes on, if not with Continue. */
export type FormPage = { title: string; fill(page: Page): Promise<void>; leave?(page: Page): Promise<void> }

type Owner = { first: string; last: string; controls: boolean }

/** The pages of a business in their order, with those of its owners, and how each is filled in. */
export function businessPages(owners: readonly Owner[]): FormPage[] {
  return [
    {
      title: 'Where is the business registered?',
      fill: async (page) => void (await page.getByLabel('Country of registration').selectOption('US')),
    },
    { title: 'About the business', fill: fillBusiness },
    {
      title: 'Business address',
      fill: async (page) => {
        await page.getByLabel('Country').selectOption('US')
        await fillAddress(page)
      },
    },
    {
      title: 'Activity and money',
      fill: async (page) =>
        void (await page.getByLabel('Where the money comes from').selectOption('SALE_OF_GOODS_AND_SERVICES')),
    },
    ...owners.flatMap((owner, at) => ownerPages(owner, at + 1)),
    { title: 'Owners and managers', fill: async () => {} },
    {
      title: 'Business documents',
      fill: async (page) => {
        if ((await page.getByLabel('Kind of document').count()) === 0) await press(page, 'Add a document')
        await page.getByLabel('Kind of document').selectOption('ARTICLES_OF_INCORPORATION')
        await addPhoto(page, 'Document')
      },
    },
  ]
}

async function fillBusiness(page: Page): Promise<void> {
  await page.getByLabel('Legal form').selectOption('LLC')
  await fillDate(page, 'Date of formation', ['2018', 'June', '1'])
  await page.getByLabel('Registration number').fill('C1234567')
}

function ownerPages({ first, last, controls }: Owner, number: number): FormPage[] {
  return [
    { title: 'Owners and managers', fill: async () => {}, leave: (page) => press(page, 'Add a person') },
    {
      title: `Person ${number}: details`,
      fill: async (page) => {
        await page.getByLabel('First name').fill(first)
        await page.getByLabel('Last name').fill(last)
        await fillDate(page, 'Date of birth', ['1985', 'March', '9'])
        await page.getByLabel('Nationality').selectOption('US')
        await page.getByLabel('Share of the business').fill('50')
        const answer = page.getByRole('radiogroup', { name: /Controls the business/ })
        await answer.getByText(controls ? 'Yes' : 'No').click()
      },
    },
    {
      title: `Person ${number}: home address`,
      fill: async (page) => {
        await page.getByLabel('Country').selectOption('US')
        await fillAddress(page)
      },
    },
    { title: `Person ${number}: identity document`, fill: fillPassport },
  ]
}

/** Goes on from a page as the customer does. */
export function leavePage(page: Page, { leave = next }: FormPage): Promise<void> {
  return leave(page)
}
