import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { askForNews, expectAccessible, heading } from '../../support/forms/form-visitor.ts'
import { codeOn, type InstructionsOf, linesOn, startPayWorld } from '../../support/forms/pay-world.ts'
import { advance, waitForTransaction } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** The page of a payer, in a real browser, while banks and chains tell of transfers. */
const { api, chains, until, stranger, buy, sell, transfer, visit, says } = await startPayWorld()

test('a bank transfer is explained, and followed from a part of it to the end', async () => {
  const awaiting = await buy()
  const { transferIban, transferBicSwift, transferMessage } = awaiting.transferInstructions as InstructionsOf<'fiat'>
  const { page, problems } = await visit(awaiting, { permissions: ['clipboard-read', 'clipboard-write'] })
  await heading(page, 'Pay €100.00 by SEPA transfer')
  expect(new URL(page.url()).pathname).toMatch(/^\/forms\/pay\/view\/[\w-]{22}$/)
  expect(await linesOn(page)).toEqual({
    Amount: '€100.00',
    Recipient: 'Svc Sandbox',
    IBAN: transferIban?.replaceAll(/.{4}(?=.)/g, '$& '),
    BIC: transferBicSwift,
    Bank: 'Sandbox Bank',
    Message: transferMessage,
  })
  const code = ['BCD', '002', '1', 'SCT', transferBicSwift, 'Svc Sandbox', transferIban]
  expect(await codeOn(page)).toBe([...code, 'EUR100.00', '', '', transferMessage].join('\n'))
  await page.getByRole('button', { name: 'Copy: Amount' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('100.00')
  await page.getByText(/^Time left: 4 days/).waitFor()
  await expectAccessible(page)
  await expectPrintable(page)

  await transfer(awaiting, '40.00')
  await says(page, 'Received €40.00 of €100.00, still due €60.00')
  expect(await linesOn(page)).toMatchObject({ Amount: '€60.00' })
  expect(await codeOn(page)).toContain('\nEUR60.00\n')

  await transfer(awaiting, '60.00')
  await says(page, 'The payment is complete')
  expect(await page.content()).not.toContain(transferMessage)
  await expectAccessible(page)
  await page.reload()
  await heading(page, 'The payment is complete')
  await page.getByText('Payment of €100.00 by SEPA transfer').waitFor()
  await eventually(() => expect(api.app.pay.streams.count()).toBe(0))
  expect(problems).toEqual([])
})

/** Expects that the details and the code go onto one sheet of paper, without what only a screen can do. */
async function expectPrintable(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  for (const shown of ['h1', '.until', 'div.note', '.lines', '.qr svg'])
    expect([shown, await page.locator(shown).isVisible()]).toEqual([shown, true])
  const onScreen = page.locator('button, [data-countdown], [data-connection]').filter({ visible: true })
  expect(await onScreen.count()).toBe(0)
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
  await page.emulateMedia({ media: 'screen' })
}

test('tokens are followed from the first block on, in two parts', async () => {
  const awaiting = await sell()
  const { transferUri, transferWalletAddress, transferCurrency } =
    awaiting.transferInstructions as InstructionsOf<'crypto'>
  const { page, problems } = await visit(awaiting)
  await heading(page, 'Pay 100.00 USDC on Base')
  await page.getByText('Send only USDC on Base.').waitFor()
  await page.getByText(/^Time left: 59 minutes/).waitFor()
  expect(await linesOn(page)).toEqual({
    Amount: '100.00 USDC',
    Network: 'Base',
    Address: transferWalletAddress,
    'Token contract': 'contractAddress' in transferCurrency && transferCurrency.contractAddress,
  })
  expect(await codeOn(page)).toBe(transferUri)
  expect(await page.getByRole('link', { name: 'Open in a wallet on this device' }).getAttribute('href')).toBe(
    transferUri,
  )
  await expectAccessible(page)

  await chains.control.pause('BASE')
  await stranger.transfer(transferWalletAddress, 40_000_000n)
  await chains.control.mine('BASE', { blocks: 1 })
  await says(page, '40.00 USDC is on its way')
  await says(page, 'Confirmations so far: 1')
  expect(await linesOn(page)).toMatchObject({ Amount: '60.00 USDC' })
  await chains.control.mine('BASE', { blocks: 1 })
  await says(page, 'Confirmations so far: 2')
  await chains.control.mine('BASE', { blocks: 2 })
  await says(page, 'Received 40.00 USDC of 100.00 USDC, still due 60.00 USDC')
  expect(await codeOn(page)).toBe(transferUri.replace('uint256=100000000', 'uint256=60000000'))
  await expectAccessible(page)

  await stranger.transfer(transferWalletAddress, 60_000_000n)
  await chains.control.mine('BASE', { blocks: 1 })
  await says(page, 'We see your payment')
  expect(await page.locator('.lines').count()).toBe(0)
  await chains.control.resume('BASE')
  await until(() => waitForTransaction(api, awaiting, { transactionStatus: 'COMPLETED' }))
  await says(page, 'The payment is complete')
  expect(problems).toEqual([])
})

test('the page is complete without a script, and on paper', async () => {
  const awaiting = await sell('50')
  const { transferUri } = awaiting.transferInstructions as InstructionsOf<'crypto'>
  const { page } = await visit(awaiting, { javaScriptEnabled: false })
  expect(await page.locator('main').textContent()).toMatch(
    /The money must have arrived by \w+ \d+, 20\d\d at \d+:\d\d [AP]M UTC/,
  )
  expect(await codeOn(page)).toBe(transferUri)
  expect(await page.getByRole('button').count()).toBe(0)
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('.qr svg').isVisible()).toBe(true)
  expect(await page.getByRole('link', { name: 'Check again' }).isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
  await api.post(`/transactions/${awaiting.transactionId}/cancel`)
  await page.getByRole('link', { name: 'Check again' }).click()
  await heading(page, 'The payment was cancelled')
  expect(await page.locator('main').textContent()).not.toContain('Payment details')
})

test('the time to pay ends on the page', async () => {
  const { page, problems } = await visit(await sell('30'))
  await advance(api, 'PT30M')
  await page.getByText(/^Time left: (29|30) minutes/).waitFor()
  await advance(api, 'PT31M')
  await says(page, 'The time to pay is over')
  await page.locator('.lines').waitFor({ state: 'detached' })
  expect(await page.locator('[data-countdown]').isVisible()).toBe(false)
  await expectAccessible(page)
  expect(problems).toEqual([])
})

test('the countdown ends on the page, also without a connection', async () => {
  const { page } = await visit(await sell('35'))
  await page.clock.install()
  await page.reload()
  await page.getByText(/^Time left: \d+ minutes/).waitFor()
  const lines = page.locator('.lines')
  await page.context().setOffline(true)
  api.app.pay.streams.stop()
  await page.clock.fastForward('01:01:00')
  await page.getByRole('alert').filter({ hasText: 'The time to pay is over' }).waitFor()
  expect([await lines.isVisible(), await page.locator('[data-countdown]').isVisible()]).toEqual([false, false])
  await expectAccessible(page)
})

/** Lets a page believe that another window is in front of it, or none. */
const setVisibility = (page: Page, state: string) =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })`)
const countStreams = () => api.app.pay.streams.count()

test('a page out of sight holds no connection, and is true when the payer comes back', async () => {
  const awaiting = await sell('25')
  const { page } = await visit(awaiting)
  await eventually(() => expect(countStreams()).toBe(1))
  await setVisibility(page, 'hidden')
  await askForNews(page)
  await eventually(() => expect(countStreams()).toBe(0))
  await setVisibility(page, 'visible')
  await askForNews(page)
  await eventually(() => expect(countStreams()).toBe(1))
  // Out of the browser's own memory of pages.
  await setVisibility(page, 'hidden')
  await askForNews(page)
  await eventually(() => expect(countStreams()).toBe(0))
  await setVisibility(page, 'visible')
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
  await eventually(() => expect(countStreams()).toBe(1))
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/forms/unknown`)
  await eventually(() => expect(countStreams()).toBe(0))
  expect((await api.post(`/transactions/${awaiting.transactionId}/cancel`)).status).toBe(200)
  await page.goBack()
  await heading(page, 'The payment was cancelled')
  expect(await page.locator('.lines').count()).toBe(0)
})

test('a payer who comes back sees the details, and no warning before the page has asked', async () => {
  const { page } = await visit(await sell('26'))
  await page.clock.install()
  await page.reload()
  await says(page, 'This page follows your payment by itself.')
  await eventually(() => expect(countStreams()).toBe(1))
  // An answer may take any time here.
  await page.evaluate(`AbortSignal.timeout = () => new AbortController().signal
    warnings = []
    const notice = document.querySelector('[data-pause]')
    new MutationObserver(() => notice.hidden || warnings.push(notice.textContent)).observe(notice, { attributes: true })`)
  await setVisibility(page, 'hidden')
  await askForNews(page)
  await eventually(() => expect(countStreams()).toBe(0))
  // Time passes in which the browser runs no timers.
  await setVisibility(page, 'visible')
  await page.clock.setSystemTime(Date.now() + 120_000)
  await askForNews(page)
  await eventually(() => expect(countStreams()).toBe(1))
  await page.locator('.lines').waitFor()
  expect(await page.evaluate('warnings')).toEqual([])
})

test('a button that copies has its own text again, also after two presses', async () => {
  const { page } = await visit(await buy(), { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.clock.install()
  await page.reload()
  const button = page.getByRole('button', { name: 'Copy: Amount' })
  const copied = page.getByRole('button', { name: 'Copied' })
  await button.click()
  await copied.waitFor()
  await page.clock.runFor(1_000)
  await copied.click()
  await page.getByRole('status').filter({ hasText: 'Copied. Copy: Amount' }).waitFor()
  await page.clock.runFor(5_000)
  expect(await button.textContent()).toBe('Copy')
})

test('a page that cannot know whether money is awaited does not ask for it', async () => {
  const awaiting = await sell('20')
  const { page } = await visit(awaiting)
  const context = page.context()
  await page.clock.install()
  await page.reload()
  await says(page, 'This page follows your payment by itself.')
  const [lines, notice] = [page.locator('.lines'), page.getByRole('alert')]

  // The device sleeps without a connection, and wakes up.
  await context.setOffline(true)
  api.app.pay.streams.stop()
  await page.clock.fastForward('02:00')
  await notice.filter({ hasText: 'Do not send money now' }).waitFor()
  expect(await lines.isVisible()).toBe(false)
  await expectAccessible(page)
  await context.setOffline(false)
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await lines.waitFor()
  expect(await notice.isVisible()).toBe(false)

  // Its session ends meanwhile; then the payer opens the link again.
  const cookies = await context.cookies()
  await context.clearCookies()
  api.app.pay.streams.stop()
  await notice.filter({ hasText: 'Open your link again' }).waitFor()
  expect(await lines.isVisible()).toBe(false)
  await context.addCookies(cookies)
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await lines.waitFor()

  // The transaction is cancelled while the page hears nothing.
  await context.setOffline(true)
  api.app.pay.streams.stop()
  await api.post(`/transactions/${awaiting.transactionId}/cancel`)
  await context.setOffline(false)
  await heading(page, 'The payment was cancelled')
  await lines.waitFor({ state: 'detached' })
  await page.getByRole('status').filter({ hasText: 'The payment was cancelled. Do not send money' }).waitFor()
})
