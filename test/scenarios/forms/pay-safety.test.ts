import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { pointerFile } from '../../../scripts/web.mjs'
import { deriveKey } from '../../../src/encryption/deployment-secrets.ts'
import { sealPaySession } from '../../../src/forms/pay/session.ts'
import { createFormToken } from '../../../src/lib/form-link.ts'
import { newId } from '../../../src/lib/ids.ts'
import { makePayer, offRamp, onRamp } from '../../support/bank-files/bank-world.ts'
import { createQuote } from '../../support/money/quotes.ts'
import {
  readTransaction,
  sendDeposit,
  startWithWorkers,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startWithWorkers()
afterAll(api.stop)
const payer = await makePayer(api, 'ACH')
const key = deriveKey(api.secret, 'form links')

type OpenedPage = { url: string; cookie: string; name: string; value: string; exchange: Response }

/** Exchanges a link as a browser does. */
async function openPage({ transferLink = '' }: Transaction, baseUrl = api.baseUrl): Promise<OpenedPage> {
  const exchange = await fetch(baseUrl + new URL(transferLink).pathname, { redirect: 'manual' })
  const [cookie = ''] = (exchange.headers.get('set-cookie') ?? '').split(';')
  const [name = '', value = ''] = cookie.split('=')
  return { url: `${baseUrl}${exchange.headers.get('location')}`, cookie, name, value, exchange }
}

const read = ({ url, cookie }: Pick<OpenedPage, 'url' | 'cookie'>) => fetch(url, { headers: { cookie } })

test('a link becomes a session of its own, leaves the address, and its page names no one', async () => {
  const awaiting = await onRamp(api, payer)
  const page = await openPage(awaiting)
  expect(page.exchange.status).toBe(303)
  expect(page.exchange.headers.get('location')).toMatch(/^\/forms\/pay\/view\/[\w-]{22}$/)
  expect(page.exchange.headers.get('set-cookie')).toMatch(
    /^svc_pay_[\w-]{22}=[\w-]{86}; Path=\/forms; HttpOnly; SameSite=Lax; Max-Age=1800$/,
  )
  const shown = await read(page)
  const text = await shown.text()
  const policy = shown.headers.get('content-security-policy') ?? ''
  for (const { headers } of [page.exchange, shown])
    expect(Object.fromEntries(headers)).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect([shown.status, policy]).toEqual([200, expect.stringContaining("default-src 'none'")])
  expect(policy).not.toContain('unsafe-inline')
  expect(text.match(/<script[^>]*>/g)).toEqual([expect.stringContaining(` nonce="`)])
  expect(text).toContain('Pay $500.00 by ACH transfer')
  const { transactionId, quoteId, source, destination } = awaiting
  const ids = [transactionId, quoteId, payer.customerId, payer.organizationId, source.sourcePaymentAccountId]
  const token = awaiting.transferLink?.split('/').at(-1) ?? ''
  for (const hidden of [...ids, destination.destinationAmount, token, 'Ada']) expect(text).not.toContain(hidden)
})

test('over https no other host of the site can plant the cookie', async () => {
  const { transferLink = '' } = await onRamp(api, payer)
  const proxied = await startApi({ SVC_TRUSTED_PROXIES: '127.0.0.1/32' }, { database: api.database })
  const headers = { 'x-forwarded-proto': 'https' }
  const exchange = await fetch(proxied.baseUrl + new URL(transferLink).pathname, { redirect: 'manual', headers })
  const cookie = exchange.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^__Host-svc_pay_[\w-]{22}=[\w-]{86}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1800; Secure$/)
  const url = proxied.baseUrl + exchange.headers.get('location')
  expect((await fetch(url, { headers: { ...headers, cookie: cookie.split(';')[0] ?? '' } })).status).toBe(200)
})

test('the link is the same in every answer while the transfer is awaited, and in no event', async () => {
  const { quoteId } = await createQuote(api, {
    customerId: payer.customerId,
    from: [payer.bank, 'USD', 'ACH', '20.00'],
    to: [payer.wallet, 'USDC', 'BASE'],
  })
  const once = { headers: { 'x-idempotency-key': newId() } }
  const created = (await api.post('/transactions', { quoteId }, once)).body
  const replayed = await api.post('/transactions', { quoteId }, once)
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  const listed = (await api.get('/transactions?pageSize=1')).body.transactions
  const { transferLink } = created
  expect(transferLink).toBe(`${api.baseUrl}/forms/pay/${createFormToken(key, 'pay', created.transactionId, 1)}`)
  expect([replayed.body, await readTransaction(api, created), ...listed]).toEqual([created, created, created])
  await eventually(async () => {
    const { events } = (await api.get(`/events?resourceId=${created.transactionId}`)).body
    expect(events).toHaveLength(1)
    expect(JSON.stringify(events)).not.toContain('transferLink')
  })
  const stored = await api.app.database.query<{ answer: string }>({
    text: `select answer from svc.idempotency_keys where answer is not null`,
  })
  expect(JSON.stringify(stored)).not.toContain('/forms/pay/')
  const cancelled = (await api.post(`/transactions/${created.transactionId}/cancel`)).body
  expect(cancelled).not.toHaveProperty('transferLink')
  const fromWallet = await offRamp(api, payer)
  expect(fromWallet).not.toHaveProperty('transferLink')
  // The payer still learns how it ended.
  const ended = await (await read(await openPage(created))).text()
  expect(ended).toContain('The payment was cancelled')
  expect(ended).not.toContain(
    created.transferInstructions?.type === 'fiat' ? created.transferInstructions.transferMessage : '',
  )
})

test('guessed and foreign links open the same friendly page, and guesses are limited', async () => {
  const awaiting = await onRamp(api, payer)
  const { transactionId } = await offRamp(api, payer)
  const tokens = {
    guessed: createFormToken(Buffer.alloc(32), 'pay', awaiting.transactionId, 1),
    'of another purpose': createFormToken(key, 'verify', awaiting.transactionId, 1),
    'of a newer version': createFormToken(key, 'pay', awaiting.transactionId, 2),
    'of no transaction': createFormToken(key, 'pay', newId(), 1),
    'of a transaction without a transfer': createFormToken(key, 'pay', transactionId, 1),
    short: 'abc',
  }
  const bodies = new Set<string>()
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await fetch(`${api.baseUrl}/forms/pay/${token}`, { redirect: 'manual' })
    expect([name, answer.status, answer.headers.get('set-cookie')]).toEqual([name, 404, null])
    bodies.add((await answer.text()).replaceAll(/nonce="[^"]*"/g, ''))
  }
  expect([...bodies]).toEqual([expect.stringContaining('This link does not work')])
  const limited = await startApi({ SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '1' }, { database: api.database })
  const guess = async () => (await fetch(`${limited.baseUrl}/forms/pay/${newId()}`, { redirect: 'manual' })).status
  expect(await Promise.all(Array.from({ length: 5 }, guess))).toContain(429)
})

test('a session opens the page of its own transaction, until it ends', async () => {
  const awaiting = await onRamp(api, payer)
  const [mine, other] = [await openPage(awaiting), await openPage(await onRamp(api, payer))]
  // Two pages in one browser do not disturb each other.
  const both = `${mine.cookie}; ${other.cookie}`
  for (const { url } of [mine, other]) expect((await read({ url, cookie: both })).status).toBe(200)
  const aged = (transactionId: string, expiresAtMs: number) =>
    sealPaySession(deriveKey(api.secret, 'pay sessions'), {
      transactionId,
      linkVersion: 1,
      startedAtMs: Date.now(),
      expiresAtMs,
    })
  const cookies = {
    none: '',
    'of another transaction': `${mine.name}=${other.value}`,
    changed: `${mine.name}=${mine.value.slice(0, -4)}AAAA`,
    old: `${mine.name}=${aged(newId(), Date.now() - 1_000)}`,
    'of no transaction': `${mine.name}=${aged(newId(), Date.now() + 60_000)}`,
  }
  for (const [name, cookie] of Object.entries(cookies)) {
    const answers = [await read({ url: mine.url, cookie }), await read({ url: `${mine.url}/stream`, cookie })]
    expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 401, 401])
    expect(await answers[0]?.text()).toMatch(/Open your link again.*your browser takes no cookies/s)
  }
  // An open page renews its session, for 12 hours at most.
  const { transactionId } = awaiting
  const startedAtMs = Date.now() - (12 * 60 - 5) * 60_000
  const session = { transactionId, linkVersion: 1, startedAtMs, expiresAtMs: Date.now() + 60_000 }
  const late = sealPaySession(deriveKey(api.secret, 'pay sessions'), session)
  const renewed = await read({ url: mine.url, cookie: `${mine.name}=${late}` })
  expect(renewed.headers.get('set-cookie')).toMatch(/; Max-Age=(300|29\d)$/)
})

test('a stream of another process hears a change, renews the session, and ends with the transaction', async () => {
  const awaiting = await onRamp(api, payer)
  const there = await startApi({}, { database: api.database })
  const page = await openPage(awaiting, there.baseUrl)
  const stream = await fetch(`${page.url}/stream`, { headers: { cookie: page.cookie } })
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'set-cookie': expect.stringContaining(`${page.name}=`),
  })
  const heard = stream.text()
  await api.post(`/transactions/${awaiting.transactionId}/cancel`)
  expect(await heard).toMatch(/Waiting for your payment.*The payment was cancelled.*"isOver":true/s)
  expect(there.app.pay.streams.count()).toBe(0)
  const head = await fetch(`${page.url}/stream`, { method: 'HEAD', headers: { cookie: page.cookie } })
  expect([head.status, there.app.pay.streams.count()]).toEqual([200, 0])
})

test('a revoked link opens nothing, and its pages and streams end', async () => {
  const { quoteId } = await createQuote(api, {
    customerId: payer.customerId,
    from: [payer.bank, 'USD', 'ACH', '20.00'],
    to: [payer.wallet, 'USDC', 'BASE'],
  })
  const once = { headers: { 'x-idempotency-key': newId() } }
  const awaiting = (await api.post('/transactions', { quoteId }, once)).body as Transaction
  const page = await openPage(awaiting)
  const stream = await fetch(`${page.url}/stream`, { headers: { cookie: page.cookie } })
  const heard = stream.text()
  const path = `/transactions/${awaiting.transactionId}/transfer-link/revoke`
  const revoked = await api.post(path)
  expect(revoked).toMatchObject({ status: 200, body: { transactionStatus: 'AWAITING_TRANSFER' } })
  expect(revoked.body).not.toHaveProperty('transferLink')
  expect(await heard).toContain(': come again')
  expect((await read(page)).status).toBe(401)
  expect((await fetch(`${page.url}/stream`, { headers: { cookie: page.cookie } })).status).toBe(401)
  expect((await fetch(awaiting.transferLink ?? '', { redirect: 'manual' })).status).toBe(404)
  // Every answer has the new link, also that to the same request.
  const again = await readTransaction(api, awaiting)
  expect(again.transferLink).not.toBe(awaiting.transferLink)
  const listed = (await api.get('/transactions?pageSize=1')).body.transactions
  expect([(await api.post('/transactions', { quoteId }, once)).body, ...listed]).toEqual([again, again])
  expect((await read(await openPage(again))).status).toBe(200)
  const { transactionId } = await offRamp(api, payer)
  expect(await api.post(`/transactions/${transactionId}/transfer-link/revoke`)).toMatchObject({ status: 409 })
})

test('open pages are limited, and their streams end when the process stops', async () => {
  const page = await openPage(await onRamp(api, payer))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const open = () => fetch(`${page.url}/stream`, { headers: { cookie: page.cookie }, signal: stop.signal })
  const streams = await Promise.all(Array.from({ length: 10 }, open))
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  const refused = await open()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15'])
  expect((await read(page)).status).toBe(200)
  api.app.pay.streams.stop()
  for (const stream of streams) expect(await stream.text()).toContain(': come again')
  expect(api.app.pay.streams.count()).toBe(0)
})

test('a transfer shows on the page of its own organization alone, and one that is held counts as sent', async () => {
  const awaiting = await onRamp(api, payer)
  const page = await openPage(awaiting)
  const message = awaiting.transferInstructions?.type === 'fiat' ? awaiting.transferInstructions.transferMessage : ''
  const see = (organizationId: string, late = false) =>
    api.app.database.query({
      text: `insert into svc.sightings (method, external_id, asset, amount, message, state, observed_at, recorded_at,
                                        expected_organization_id)
             select 'ACH', $1, 'USD', 12000, $2, 'SEEN', case when $4 then expires_at else svc.now() end, svc.now(), $3
               from svc.transactions where transaction_id = $5`,
      values: [newId(), message, organizationId, late, awaiting.transactionId],
    })
  await see(newId())
  await see(payer.organizationId, true)
  expect(await (await read(page)).text()).not.toContain('is on its way')
  await see(payer.organizationId)
  const shown = await (await read(page)).text()
  expect(shown).toContain('$120.00 is on its way')
  expect(shown).not.toContain('Confirmations')

  const other = await onRamp(api, payer)
  const transfer = { amount: '500.00', currency: 'USD', rail: 'ACH', reference: transferReference(other) }
  const sent = await sendDeposit(api, payer.bank, { ...transfer, senderName: 'Ivan Blocked' })
  await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  const held = await (await read(await openPage(other))).text()
  // The payer does not learn that it is held.
  expect(held).toContain('role="status"><p>$500.00 is on its way.</p></div>')
  expect(held).toContain('We see your payment')
  expect(held).not.toContain(transfer.reference)
})

test('money that was too much goes back, and the payment is complete', async () => {
  const awaiting = await onRamp(api, payer)
  expect(await (await read(await openPage(awaiting))).text()).toContain('The money must have arrived by <time')
  const transfer = { amount: '501.00', currency: 'USD', rail: 'ACH', reference: transferReference(awaiting) }
  await sendDeposit(api, payer.bank, transfer)
  await waitForTransaction(api, awaiting, { transactionStatus: 'COMPLETED' })
  await eventually(async () => {
    const complete = await (await read(await openPage(awaiting))).text()
    expect(complete).toContain('The payment is complete')
    expect(complete).toContain('$1.00 that was too much was returned.')
    expect(complete).not.toContain('that you sent')
  })
})

test('the script of the page is small', async () => {
  const { folder, entries } = JSON.parse(readFileSync(pointerFile, 'utf8'))
  expect(readFileSync(path.join(path.dirname(pointerFile), folder, `${entries['pay.js']}.gz`)).length).toBeLessThan(
    5_000,
  )
})
