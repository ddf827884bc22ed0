import type { Page } from 'playwright-core'
import { fillAddress, fillDate, fillPassport } from './form-visitor.ts'

/** The pages of an individual in their order, and how each is filled in. */
export const individualPages: [title: string, fill: (page: Page) => Promise<void>][] = [
  [
    'Where do you live?',
    async (page) => {
      await page.getByLabel('Country where you live').selectOption('US')
      await page.getByLabel('Nationality').selectOption('US')
    },
  ],
  [
    'About you',
    async (page) => {
      await page.getByLabel('First name').fill('Ada')
      await page.getByLabel('Last name').fill('Example')
      await fillDate(page, 'Date of birth', ['1990', 'May', '17'])
    },
  ],
  [
    'Contact and home address',
    async (page) => {
      await page.getByLabel('Mobile phone number').fill('+1 415 555 0123')
      await fillAddress(page)
    },
  ],
  ['Tax or national ID number', async () => {}],
  [
    'Work and money',
    async (page) => {
      await page.getByLabel('Employment status').selectOption('EMPLOYED')
      await page.getByLabel('Occupation').fill('engineer')
    },
  ],
  ['Identity document', fillPassport],
]
