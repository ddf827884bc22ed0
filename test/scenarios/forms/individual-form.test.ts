import { expect, test } from 'vitest'
import { readCustomer } from '../../support/customers/customers.ts'
import { expectAccessible, goToStep, heading, next, press, startForms } from '../../support/forms/form-visitor.ts'
import { individualPages } from '../../support/forms/individual-pages.ts'
import { useKeyboard } from '../../support/forms/keyboard.ts'

const { api, open } = await startForms()

test('an individual fills in the form; every page passes axe in light and dark', async () => {
  const { customer, page, problems } = await open({ firstName: 'Ada', lastName: 'Example' })
  expect(new URL(page.url()).pathname).toBe('/forms/verify')
  for (const [at, { title, fill }] of individualPages.entries()) {
    await heading(page, title)
    await page.getByText(`Step ${at + 1} of 7`).waitFor()
    await expectAccessible(page)
    await fill(page)
    await next(page)
  }
  await heading(page, 'Check your answers')
  await expectAccessible(page)
  await press(page, 'Submit for verification')
  await heading(page, 'We are checking your answers')
  await expectAccessible(page)
  expect(problems).toEqual([])
  expect(await readCustomer(api, customer)).toMatchObject({ customerStatus: 'UNDER_REVIEW', name: 'Ada Example' })
  const { verification } = await readCustomer(api, customer, '?includeVerification=true')
  expect(verification).toMatchObject({ kycData: { phoneNumber: '+14155550123', address: { postalCode: '94104' } } })
})

test('problems are listed with links, take the focus, and stand at their fields in the same words', async () => {
  const { page } = await open()
  await next(page)
  const summary = page.getByRole('alert')
  await summary.getByText('Please check your answers').waitFor()
  await expectAccessible(page)
  const text = 'Please choose: Nationality'
  expect(await page.locator('.field .problem').filter({ hasText: text }).count()).toBe(1)
  await summary.getByRole('link', { name: text }).click()
  const focused = `document.activeElement.getAttribute('aria-describedby') ?? ''`
  expect(await page.evaluate(focused)).toContain('problem')
  await page.getByLabel('Country where you live').selectOption('GB')
  await page.getByLabel('Nationality').selectOption('GB')
  await next(page)
  await heading(page, 'About you')
  await page.goBack()
  await heading(page, 'Where do you live?')
  await page.goForward()
  await heading(page, 'About you')
})

test('the whole form works with the keyboard alone', async () => {
  const { page } = await open({ firstName: 'Ada', lastName: 'Example' })
  const { type, choose, typeDate, proceed, addPhoto } = useKeyboard(page)
  await choose('Country where you live', 'United States')
  await choose('Nationality', 'United States')
  await proceed('About you')
  await typeDate('1990', 'May', '17')
  await proceed('Contact and home address')
  await type('Mobile phone number', '+14155550123')
  await type('Street and house number', '548 Market Street')
  await type('City or town', 'San Francisco')
  await choose('State', 'Calif')
  await type('ZIP code', '94104')
  await proceed('Tax or national ID number')
  await proceed('Work and money')
  await proceed('Identity document')
  await choose('Kind of document', 'Passport')
  await choose('Country that issued it', 'United States')
  await type('Document number', 'X1234567')
  await typeDate('2024', 'May', '01')
  await typeDate('2034', 'April', '30')
  await addPhoto()
  await proceed('Check your answers')
  await proceed('We are checking your answers', 'Submit for verification')
})

test('a phone of 320 pixels shows every page whole, and a dropped upload is repeated by itself', async () => {
  const options = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true }
  const { page } = await open({}, options)
  let drops = 2
  await page.route('**/api/files*', (route) => (drops-- > 0 ? route.abort('connectionreset') : route.continue()))
  for (const { title, fill } of individualPages) {
    await heading(page, title)
    await fill(page)
    const widest = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect([title, widest]).toEqual([title, 320])
    await next(page)
  }
  await heading(page, 'Check your answers')
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320)
  expect(drops).toBeLessThan(0)
})

test('hostile texts are shown back as texts', async () => {
  const hostile = `"><img src=x onerror=window.hit=1><script>window.hit=1</script>{{7*7}}\${7*7}`
  const { page, problems } = await open({ firstName: hostile, lastName: hostile })
  await page.getByLabel('Country where you live').selectOption('DE')
  await page.getByLabel('Nationality').selectOption('DE')
  await next(page)
  for (const title of [
    'About you',
    'Contact and home address',
    'Tax or national ID number',
    'Work and money',
    'Identity document',
  ]) {
    await goToStep(page, ids[title] ?? '')
    await heading(page, title)
    for (const field of await page.locator('.field input[type=text], .field input[type=tel]').all())
      await field.fill(hostile)
    await page.getByText('All answers saved').waitFor()
  }
  await goToStep(page, 'check')
  await heading(page, 'Check your answers')
  expect(await page.getByText('<script>window.hit=1</script>').count()).toBeGreaterThan(4)
  await press(page, 'Submit for verification')
  await page.getByRole('alert').waitFor()
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(problems).toEqual([])
})

const ids: Record<string, string> = {
  'About you': 'about',
  'Contact and home address': 'contact',
  'Tax or national ID number': 'number',
  'Work and money': 'money',
  'Identity document': 'document',
}
