import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { addPending, createPending, fillAch, saveAccount } from '../../support/forms/bank-form.ts'
import {
  ageSession,
  askForNews,
  expectAccessible,
  heading,
  next,
  press,
  startForms,
} from '../../support/forms/form-visitor.ts'
import { useKeyboard } from '../../support/forms/keyboard.ts'
import { accountEvents } from '../../support/money/payment-accounts.ts'
import { createWebhook, startReceiver } from '../../support/webhooks/receiver.ts'

const { api, visit } = await startForms()
const worker = await api.app.startWorker()
const receiver = await startReceiver()
afterAll(async () => {
  await worker.stop()
  receiver.close()
})

const saved = 'The bank account is saved'
const completed = ['payment_account.created PENDING', 'payment_account.updated ACTIVE']
const read = async (id: string) => (await api.get(`/payment-accounts/${id}`)).body

async function open(more: Parameters<typeof createPending>[1] = {}) {
  const pending = await createPending(api, more)
  return { ...pending, ...(await visit(pending.link)) }
}

/** Everything that a browser keeps of a page, and that the page itself can reach. */
const keptByBrowser = `Promise.all([indexedDB.databases(), caches.keys()]).then((lists) =>
  [document.cookie, localStorage.length, sessionStorage.length, ...lists.map(({ length }) => length)])`

type Typed = Record<string, string>

// biome-ignore format: a table is read by column
const rails: [name: string, country: string, choices: string[], wrong: Typed, told: string, right: Typed, mask: string, method: string][] = [
  ['ACH', 'US', ['ACH transfer', 'Savings account'],
    { 'Routing number': '021000022', 'Account number': '12' }, 'Routing number: this is no routing number',
    { 'Routing number': '0210-0002-1', 'Account number': '0001 2345 6789', 'Name of the bank': 'First Example Bank' },
    '****6789', 'ACH'],
  ['wire', 'PR', ['Wire transfer'],
    { 'Routing number': '026009593', 'BIC': 'BOFA' }, 'BIC (SWIFT code): enter 8 or 11 characters',
    { 'Account number': '4417123456', 'BIC': 'bofaus3n' },
    '****3456', 'WIRE'],
  ['SEPA', 'DE', [],
    { IBAN: 'DE89 3704 0044 0532 0130 01' }, 'IBAN: there is a typing mistake in it',
    { IBAN: 'de89 3704 0044 0532 0130 00' },
    '****3000', 'SEPA'],
  ['Interac by email', 'CA', ['By email'],
    { 'Email for Interac': 'ada@' }, 'Enter an email address such as name@example.com',
    { 'Email for Interac': 'ada@example.com' },
    'a****@example.com', 'CA_INTERAC'],
  ['Interac by account', 'CA', ['By account number'],
    { 'Institution number': '3' }, 'Institution number: enter 3 digits',
    { 'Institution number': '003', 'Transit number': '12345', 'Account number': '1234567' },
    '****567', 'CA_INTERAC'],
  ['Indian rails', 'IN', [],
    { IFSC: 'HDFC1000123', 'Account number': '12345678' }, 'Account number: enter 9–18 digits',
    { IFSC: 'hdfc0000123', 'Account number': '50100 12345 6789' },
    '****6789', 'IN_NEFT_RTGS_IMPS'],
]

test.each(rails)('%s: mistakes are told at once, and the saved account is masked', async (name, ...row) => {
  const [country, choices, wrong, told, right, mask, method] = row
  const { id, page, problems } = await open({ account: { nickname: 'Rent' } })
  const answers: string[] = []
  page.on('response', async (response) => {
    if (response.url().includes('/api/')) answers.push(await response.text().catch(() => ''))
  })
  await heading(page, 'Bank account: Rent')
  await page.getByLabel('Country of the bank').selectOption(country)
  for (const choice of choices) await page.getByLabel(choice).check()
  await fill(page, wrong)
  await page.keyboard.press('Tab')
  await page.getByText(told).waitFor()
  await expectAccessible(page)
  await fill(page, right)
  await page.getByText(told).waitFor({ state: 'detached' })
  await next(page)
  await heading(page, 'Check the account')
  if (name === 'ACH') await expectAccessible(page)
  await press(page, 'Save this account')
  await heading(page, saved)
  await page.getByText(mask, { exact: true }).waitFor()
  if (name === 'ACH') await expectAccessible(page)
  expect(await read(id)).toMatchObject({
    paymentAccountId: id,
    paymentAccountStatus: 'ACTIVE',
    externalBankAccount: {
      bankAccountMask: mask,
      bankAccountPaymentMethod: method,
      bankAccountOwnerName: 'Ada Example',
    },
  })
  await expect.poll(() => accountEvents(api, id)).toEqual(completed)
  // The number is nowhere in the page any more, came in no answer, and is not kept by the browser.
  await page.goBack()
  await page.reload()
  await heading(page, saved)
  const secrets = Object.values(right).filter((value) => /\d{6}|@/.test(value.replaceAll(/[ -]/g, '')))
  for (const value of secrets.flatMap((each) => [each, each.replaceAll(/[ -]/g, '').toUpperCase()])) {
    expect(await page.content()).not.toContain(value)
    expect(answers.join()).not.toContain(value)
  }
  expect(await page.evaluate(keptByBrowser)).toEqual(['', 0, 0, 0, 0])
  expect(problems).toEqual([])
})

async function fill(page: Page, typed: Typed): Promise<void> {
  for (const [name, value] of Object.entries(typed)) await page.getByRole('textbox', { name }).fill(value)
}

test('a keyboard is enough for the account of another business, whose event reaches a webhook', async () => {
  const webhook = await createWebhook(api, `${receiver.url}/bank`, { events: ['payment_account.updated'] })
  const { id, page } = await open({ account: { isThirdParty: true } })
  const keyboard = useKeyboard(page)
  await keyboard.enter('Continue')
  await page.locator('.summary:focus').getByText('Please choose: Country of the bank').waitFor()
  await keyboard.enter('Please choose: Country of the bank')
  await keyboard.pick('France')
  await keyboard.type('IBAN', 'FR1420041010050500013M02606')
  await keyboard.enter('Continue')
  await page.locator('.summary:focus').getByText('Please choose: Who owns the account?').waitFor()
  await keyboard.enter('Please choose: Who owns the account?')
  await page.keyboard.press('ArrowDown')
  await keyboard.type('Name of the business', 'Example Goods SA')
  await keyboard.type('Email of the owner', 'office@example.com')
  await keyboard.type('Add the address of the owner', ' ')
  await keyboard.choose('Country', 'France')
  await keyboard.type('City or town', 'Paris')
  await keyboard.type('Postal code', '7500')
  await keyboard.enter('Continue')
  await page.locator('.summary:focus').getByText('Postal code: in this country it looks like').waitFor()
  await expectAccessible(page)
  await keyboard.enter('Postal code')
  await page.keyboard.press('End')
  await page.keyboard.type('2')
  await keyboard.proceed('Check the account')
  await keyboard.proceed(saved, 'Save this account')
  const account = {
    bankAccountOwnerName: 'Example Goods SA',
    bankAccountOwnerEmail: 'office@example.com',
    bankAccountMask: '****2606',
  }
  expect(await read(id)).toMatchObject({ isThirdParty: true, externalBankAccount: account })
  await expect.poll(() => receiver.at('/bank')).toHaveLength(1)
  expect(JSON.parse(String(receiver.at('/bank')[0]?.body))).toMatchObject({
    type: 'payment_account.updated',
    data: { paymentAccountId: id, paymentAccountStatus: 'ACTIVE', externalBankAccount: account },
  })
  expect(webhook.secret).toBeTruthy()
  expect(String(receiver.at('/bank')[0]?.body)).not.toContain('20041010050500013M02606')
})

test.each([0, 502])('a save whose answer is lost, or that of a proxy, is made once: %i', async (status) => {
  const { id, page } = await open()
  await fillAch(page)
  let lost = 0
  await page.route('**/api/bank-account/account', async (route) => {
    if (lost > 0) return route.continue()
    lost += 1
    await route.fetch()
    return status === 0 ? route.abort('connectionreset') : route.fulfill({ status, body: 'Bad Gateway' })
  })
  await saveAccount(page)
  await heading(page, saved)
  expect(lost).toBe(1)
  expect(await read(id)).toMatchObject({ paymentAccountStatus: 'ACTIVE' })
  await expect.poll(() => accountEvents(api, id)).toEqual(completed)
})

test('without a connection nothing is lost, and a second window learns what the first one saved', async () => {
  const { id, link, page } = await open()
  const second = await visit(link)
  await fillAch(second.page, '999888777666')
  await fillAch(page)
  await page.context().setOffline(true)
  await next(page)
  await page.getByText('There is no connection.').waitFor()
  await page.context().setOffline(false)
  await next(page)
  await heading(page, 'Check the account')
  await page.context().setOffline(true)
  await press(page, 'Save this account')
  await page.getByText('There is no connection.').waitFor()
  await expectAccessible(page)
  await page.context().setOffline(false)
  await press(page, 'Save this account')
  await heading(page, saved)
  await askForNews(second.page)
  await heading(second.page, 'A bank account is saved already')
  await second.page.getByText('****6789').waitFor()
  expect(await second.page.content()).not.toContain('999888777666')
  await expect.poll(() => accountEvents(api, id)).toEqual(completed)
  // The link of a saved account opens its mask, no form, and asks for no news that would keep it open.
  const third = await visit(link)
  await heading(third.page, saved)
  expect(await third.page.getByRole('textbox').count()).toBe(0)
  const asked: string[] = []
  third.page.on('request', (request) => asked.push(request.url()))
  await askForNews(third.page)
  await third.page.evaluate(`fetch('/forms/barrier')`)
  expect(asked).toEqual([expect.stringContaining('/barrier')])
})

test('an account that the customer already has is refused at its number', async () => {
  const { customerId, page } = await open()
  await fillAch(page)
  await saveAccount(page)
  await heading(page, saved)
  const again = await addPending(api, customerId)
  const second = await visit(again.link)
  await fillAch(second.page)
  await saveAccount(second.page)
  await heading(second.page, 'Bank account')
  await second.page.getByText('Account number: this account is registered already').first().waitFor()
  await expectAccessible(second.page)
  await second.page.getByLabel('Account number').fill('000123456780')
  await saveAccount(second.page)
  await heading(second.page, saved)
})

test('a closed account, a customer who may have none, and a customer who leaves: the page ends and forgets', async () => {
  const closed = await open()
  await fillAch(closed.page)
  expect((await api.delete(`/payment-accounts/${closed.id}`)).status).toBe(200)
  await askForNews(closed.page)
  await heading(closed.page, 'This form is closed')
  await expectAccessible(closed.page)
  expect(await closed.page.content()).not.toContain('000123456789')

  const rejected = await open()
  await fillAch(rejected.page)
  await next(rejected.page)
  await heading(rejected.page, 'Check the account')
  const path = `/customers/${rejected.customerId}`
  expect((await api.call('PATCH', path, { body: { kycData: { legalFirstName: 'Ada' } } })).status).toBe(200)
  expect((await api.post(`/sandbox${path}/verification`, { outcome: 'REJECT' })).status).toBe(200)
  await press(rejected.page, 'Save this account')
  await heading(rejected.page, 'This form is closed')
  expect(await read(rejected.id)).toMatchObject({ paymentAccountStatus: 'PENDING' })

  const left = await open()
  await fillAch(left.page)
  await press(left.page, 'Leave this form')
  await heading(left.page, 'Open your link again')
  await expectAccessible(left.page)
  expect(await left.page.content()).not.toContain('000123456789')
  await left.page.reload()
  await heading(left.page, 'Open your link again')
})

test('an idle customer is warned, can stay, and is told when the page has forgotten the answers', async () => {
  const { link, page } = await open()
  const age = (started: number, left: number) => ageSession(api, page, started, left, 'bank account form sessions')
  await fillAch(page)
  await next(page)
  await heading(page, 'Check the account')
  await age(40, 1.5)
  await askForNews(page)
  await page.getByText('closes in about two minutes').waitFor()
  await press(page, 'Stay')
  await page.getByText('closes in about two minutes').waitFor({ state: 'detached' })
  await page.getByText('000123456789').waitFor()
  await age(12 * 60 - 8, 0.1)
  await askForNews(page)
  await page.getByText('closes in about two minutes').waitFor()
  await page.context().setOffline(true)
  await heading(page, 'Open your link again')
  expect(await page.content()).not.toContain('000123456789')
  await page.context().setOffline(false)
  await page.goto(link)
  await fillAch(page)
  await saveAccount(page)
  await heading(page, saved)
})

test('a page saves nothing in the account of another link that was opened in its browser', async () => {
  const mine = await open()
  await fillAch(mine.page)
  // The own link, opened again in this browser, only renews the session.
  const again = await mine.page.context().newPage()
  await again.goto(mine.link)
  await heading(again, 'Bank account')
  await next(mine.page)
  await heading(mine.page, 'Check the account')
  const foreign = await createPending(api, { customer: { firstName: 'Eve', lastName: 'Other' } })
  const other = await mine.page.context().newPage()
  await other.goto(foreign.link)
  await heading(other, 'Bank account')
  // The page may have noticed by itself that its session is gone.
  const ended = heading(mine.page, 'Open your link again')
  await Promise.all([ended, Promise.race([press(mine.page, 'Save this account').catch(() => {}), ended])])
  for (const { id } of [mine, foreign]) expect(await read(id)).toMatchObject({ paymentAccountStatus: 'PENDING' })
})
