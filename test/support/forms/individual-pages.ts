import type { FormPage } from './business-pages.ts'
import { fillAddress, fillDate, fillPassport } from './form-visitor.ts'

/** The pages of an individual in their order, and how each is filled in. */
export const individualPages: FormPage[] = [
  {
    title: 'Where do you live?',
    fill: async (page) => {
      await page.getByLabel('Country where you live').selectOption('US')
      await page.getByLabel('Nationality').selectOption('US')
    },
  },
  {
    title: 'About you',
    fill: async (page) => {
      await page.getByLabel('First name').fill('Ada')
      await page.getByLabel('Last name').fill('Example')
      await fillDate(page, 'Date of birth', ['1990', 'May', '17'])
    },
  },
  {
    title: 'Contact and home address',
    fill: async (page) => {
      await page.getByLabel('Mobile phone number').fill('+1 415 555 0123')
      await fillAddress(page)
    },
  },
  { title: 'Tax or national ID number', fill: async () => {} },
  {
    title: 'Work and money',
    fill: async (page) => {
      await page.getByLabel('Employment status').selectOption('EMPLOYED')
      await page.getByLabel('Occupation').fill('engineer')
    },
  },
  { title: 'Identity document', fill: fillPassport },
]
