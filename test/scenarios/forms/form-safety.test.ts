import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pointerFile } from '../../../scripts/web.mjs'
import { openDatabase } from '../../../src/db/database.ts'
import { deriveKey } from '../../../src/encryption/deployment-secrets.ts'
import { type FormSession, readSession, sealSession } from '../../../src/forms/session.ts'
import { createFormToken } from '../../../src/lib/form-link.ts'
import { createCustomer, readCustomer } from '../../support/customers/customers.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import { behindProxy, productionSettings } from '../../support/customers/production-api.ts'
import { frontImage, individualAnswers, openFormClient, saveAnswers } from '../../support/forms/form-client.ts'
import { startApi } from '../../support/runner/api.ts'
import { runSvc } from '../../support/runner/process.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())
const newForm = async (body: object = {}) => {
  const customer = await createCustomer(api, body)
  return { customer, form: await openFormClient(customer.verificationLink ?? '') }
}

test('a link becomes a session of 30 minutes in a cookie, and leaves the address', async () => {
  const { verificationLink = '' } = await createCustomer(api)
  const answer = await fetch(verificationLink, { redirect: 'manual' })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/forms/verify')
  expect(answer.headers.get('set-cookie')).toMatch(
    /^svc_form=[\w-]+; Path=\/forms; HttpOnly; SameSite=Lax; Max-Age=1800$/,
  )
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
})

test('guessed, foreign and revoked links open nothing but a friendly page', async () => {
  const { customer, form } = await newForm()
  const key = deriveKey(api.secret, 'form links')
  const tokens = {
    guessed: createFormToken(Buffer.alloc(32), 'verify', customer.customerId, 1),
    'of another purpose': createFormToken(key, 'pay', customer.customerId, 1),
    'of a newer version': createFormToken(key, 'verify', customer.customerId, 2),
    'of no customer': createFormToken(key, 'verify', '019aa0c2-7c00-7000-8000-000000000001', 1),
    short: 'abc',
  }
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await fetch(`${api.baseUrl}/forms/verify/${token}`, { redirect: 'manual' })
    expect([name, answer.status, answer.headers.get('set-cookie')]).toEqual([name, 404, null])
    expect(await answer.text()).toContain('This link does not work')
  }
  expect((await form.call('GET', 'state')).status).toBe(200)
})

test('a revoked link opens nothing, its sessions end, and a new one continues', async () => {
  const { customer, form } = await newForm({ firstName: 'Ada' })
  await saveAnswers(form, individualAnswers)
  const links = [customer.verificationLink ?? '']
  const expectRevoked = async (openForm: typeof form) => {
    const newest = await readCustomer(api, customer)
    expect(links).not.toContain(newest.verificationLink)
    for (const link of links) expect((await fetch(link, { redirect: 'manual' })).status).toBe(404)
    expect((await openForm.call('GET', 'state')).status).toBe(401)
    expect((await openForm.upload(frontImage, Buffer.alloc(1))).status).toBe(401)
    links.push(newest.verificationLink ?? '')
    const continued = await openFormClient(newest.verificationLink ?? '')
    expect((await continued.call('GET', 'state')).body.values).toMatchObject({ kycData: { legalFirstName: 'Ada' } })
    return continued
  }
  const path = `/customers/${customer.customerId}/verification-link/revoke`
  expect((await api.post(path, {})).status).toBe(400)
  const revoked = await api.post(path, { reason: 'Sent to a wrong address' })
  expect([revoked.status, revoked.body.customerStatus]).toEqual([200, 'CREATED'])
  const second = await expectRevoked(form)

  const [organization] = await owner.query<{ id: string }>({
    text: 'select organization_id as id from svc.customers where customer_id = $1',
    values: [customer.customerId],
  })
  const args = ['customers', 'revoke-link', customer.customerId, '--organization', organization?.id ?? '']
  const command = await runSvc(api, [...args, '--reason', 'Lost phone'], { SVC_SANDBOX_BANK: 'memory' })
  expect(command).toMatchObject({ code: 0, output: expect.stringContaining('The link is revoked') })
  await expectRevoked(second)

  const acts = await owner.query({
    text: `select actor from svc.audit where subject_id = $1 and action = 'customer.link_revoked' order by audit_id`,
    values: [customer.customerId],
  })
  expect(acts).toEqual([{ actor: expect.stringMatching(/^api_key:/) }, { actor: 'command line' }])
  expect((await api.post(`/customers/${customer.customerId}/erase`)).status).toBe(200)
  expect(await api.post(path, { reason: 'Erased' })).toMatchObject({ status: 409 })
})

test('a page allows its own scripts alone, and no frame around it', async () => {
  const { form } = await newForm()
  const policy = form.page.headers.get('content-security-policy') ?? ''
  const [, nonce = ''] = /script-src 'nonce-([^']+)'/.exec(policy) ?? []
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe-inline')
  const scripts = form.page.text.match(/<script[^>]*>/g) ?? []
  expect(scripts).toHaveLength(1)
  expect(scripts[0]).toContain(`nonce="${nonce}"`)
  expect(Object.fromEntries(form.page.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
})

test.each([
  ['the page of another site', { origin: 'https://evil.example' }],
  ['a form of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
  ['a page without the token', { 'x-form-token': '' }],
  ['a page with the token of another session', { 'x-form-token': 'x'.repeat(43) }],
])('%s changes nothing', async (_name, headers) => {
  const { form } = await newForm()
  const body = { revision: 0, changes: [{ field: 'kycData.legalFirstName', value: 'Eve' }] }
  expect((await form.call('PATCH', 'draft', body, headers)).status).toBe(403)
  expect((await form.call('POST', 'submission', { revision: 0 }, headers)).status).toBe(403)
  expect((await form.call('GET', 'state')).body.values).toEqual({})
  expect((await form.call('PATCH', 'draft', body)).status).toBe(200)
})

test('numbers and pictures never come back, and the same link continues elsewhere', async () => {
  const { customer, form } = await newForm({ firstName: 'Ada' })
  await saveAnswers(form, { ...individualAnswers, 'kycData.nationalIdNumber': '123-45-6788' })
  const uploaded = await form.upload(frontImage, await makeJpeg())
  expect(uploaded.body.files[frontImage]).toMatchObject({ mediaType: 'image/jpeg', isNew: true })
  const other = await openFormClient(customer.verificationLink ?? '')
  const { body } = await other.call('GET', 'state')
  expect(body.values).toMatchObject({ kycData: { address: { city: 'San Francisco' } } })
  expect(body.given.toSorted()).toEqual(['kycData.documents[0].documentIdNumber', 'kycData.nationalIdNumber'])
  expect(JSON.stringify(body)).not.toMatch(/X1234567|6788|blobId/)
  const { rows } = { rows: await owner.query({ text: 'select sealed_draft::text as draft from svc.form_drafts' }) }
  expect(JSON.stringify(rows)).not.toContain(Buffer.from('San Francisco').toString('hex'))
})

test('two devices do not overwrite each other without noticing', async () => {
  const { form } = await newForm()
  const change = (value: string) => ({ revision: 0, changes: [{ field: 'kycData.legalFirstName', value }] })
  expect((await form.call('PATCH', 'draft', change('Ada'))).body.revision).toBe(1)
  expect(await form.call('PATCH', 'draft', change('Eve'))).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  expect((await form.call('GET', 'state')).body.values).toEqual({ kycData: { legalFirstName: 'Ada' } })
})

test('a draft holds fields of the form alone', async () => {
  const { form } = await newForm()
  const save = (field: string, value: unknown) =>
    form.call('PATCH', 'draft', { revision: 0, changes: [{ field, value }] })
  const wrong: [string, unknown][] = [
    ['kycData.__proto__.x', 'x'],
    ['kycData.constructor', 'x'],
    ['kycData.unknown', 'x'],
    ['kycData.documents[5].subtype', 'PASSPORT'],
    ['kycData.legalFirstName', { nested: true }],
    ['kycData.legalFirstName', 'x'.repeat(2_001)],
    ['kycData.legalFirstName', 'A\u0000da'],
    ['kybData.highRiskActivities', ['GAMB\u0000LING']],
    [frontImage, 'data:image/jpeg;base64,AAAA'],
    [frontImage, { blobId: '019aa0c2-7c00-7000-8000-000000000001' }],
  ]
  for (const [field, value] of wrong) expect([field, (await save(field, value)).status]).toEqual([field, 400])
  const street = await saveAnswers(form, {
    'kycData.address.countryCode': 'US',
    'kycData.address.streetLine1': 'x'.repeat(100),
  })
  const at = 'kycData.address.streetLine1'
  expect(street.body.problems.filter(({ field }) => field === at)).toEqual([])
  const longer = await saveAnswers(form, { [at]: 'x'.repeat(101) })
  expect(longer.body.problems).toContainEqual(expect.objectContaining({ field: at, rule: 'TOO_LONG', demand: '100' }))
})

test('a form is submitted by the rules of the API and locked while it is reviewed', async () => {
  const { customer, form } = await newForm()
  await saveAnswers(form, { ...individualAnswers, 'kycData.address.postalCode': 'ABC' })
  const { revision } = (await form.upload(frontImage, await makeJpeg())).body
  const refused = await form.call('POST', 'submission', { revision })
  expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'kycData.address.postalCode' }] } })
  const saved = await saveAnswers(form, { 'kycData.address.postalCode': '94104' })
  expect(saved.body.problems).toEqual([])
  const submitted = await form.call('POST', 'submission', { revision: saved.body.revision })
  expect(submitted.body).toMatchObject({ status: 'UNDER_REVIEW', values: {} })
  expect(await saveAnswers(form, { 'kycData.legalFirstName': 'Eve' })).toMatchObject({
    status: 400,
    body: { error: 'PATCH_NOT_ALLOWED' },
  })
  expect(await readCustomer(api, customer)).toMatchObject({ customerStatus: 'UNDER_REVIEW' })
  const [draft] = await owner.query<{ isEmpty: boolean }>({
    text: 'select sealed_draft is null as "isEmpty" from svc.form_drafts where customer_id = $1',
    values: [customer.customerId],
  })
  expect(draft).toEqual({ isEmpty: true })
})

test('the first page loads at most 120 KB of compressed script, which browsers may keep', async () => {
  const { form } = await newForm()
  const [, script = ''] = /src="([^"]+)"/.exec(form.page.text) ?? []
  const answer = await fetch(api.baseUrl + script, { headers: { 'accept-encoding': 'gzip' } })
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  const { folder, entries } = JSON.parse(readFileSync(pointerFile, 'utf8'))
  const file = path.join(path.dirname(pointerFile), folder, entries['app.js'])
  expect(readFileSync(`${file}.gz`).length).toBeLessThan(120_000)
  // Everything else is loaded when a customer needs it.
  expect(readFileSync(file, 'utf8')).not.toMatch(/(?:^|[;}])import\s*[\w{*"']/)
  const licence = await fetch(`${api.baseUrl}/forms/assets/libheif-licence.txt`)
  expect(await licence.text()).toMatch(/GNU LESSER GENERAL PUBLIC LICENSE.*GNU GENERAL PUBLIC LICENSE/s)
  for (const name of ['../package.json', '..%2Fpackage.json', 'forms.json', 'app.js']) {
    expect((await fetch(`${api.baseUrl}/forms/assets/${name}`)).status).not.toBe(200)
  }
})

test('production has no ribbon, secure cookies, and a limit for each address', async () => {
  const production = await startApi({ ...productionSettings, SVC_RATE_LIMIT_FORMS: '20' })
  production.app.processState.baseUrl = production.baseUrl
  const customer = await createCustomer(behindProxy(production))
  const token = customer.verificationLink?.split('/').at(-1)
  const link = `${production.baseUrl}/forms/verify/${token}`
  const proxy = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }
  const exchanged = await fetch(link, { redirect: 'manual', headers: proxy })
  // No other host of the same site can plant a cookie of this name.
  expect(exchanged.headers.get('set-cookie')).toMatch(
    /^__Host-svc_form=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1800; Secure$/,
  )
  const form = await openFormClient(link, proxy)
  const state = await form.call('GET', 'state', undefined, { origin: 'https://pay.example.com' })
  expect(state.body).toMatchObject({ status: 'CREATED', isSandbox: false })
  const decided = await form.call(
    'POST',
    'sandbox/decision',
    { outcome: 'APPROVE' },
    { origin: 'https://pay.example.com' },
  )
  expect(decided.status).not.toBe(200)
  // The notice for people, and the files of the pages, obey the same limit. A slow machine gets some requests back in between.
  for (const path of ['api/status', 'verify', 'assets/app.js']) {
    const headers = { ...proxy, cookie: form.cookie, 'x-form-token': form.token }
    const refused = await askUntilRefused(() => fetch(`${production.baseUrl}/forms/${path}`, { headers }))
    expect([path, refused.headers.get('retry-after')]).toEqual([path, '3'])
  }
  const elsewhere = await openFormClient(link, { ...proxy, 'x-forwarded-for': '203.0.113.10' })
  expect((await elsewhere.call('GET', 'status')).status).toBe(200)
  // The addresses of one IPv6 network are one visitor.
  await askUntilRefused((at) => {
    const network = { ...proxy, 'x-forwarded-for': `2001:db8:1:2::${at}` }
    return fetch(`${production.baseUrl}/forms/verify`, { headers: network })
  })
})

/** Asks until the limit of requests is reached, which is refilled while time passes. */
async function askUntilRefused(ask: (at: number) => Promise<Response>): Promise<Response> {
  for (let at = 0; at < 1_000; at++) {
    const answer = await ask(at)
    if (answer.status === 429) return answer
    await answer.arrayBuffer()
  }
  return expect.fail('a thousand requests met no limit')
}

test('a session ends without activity, lives on behind a locked form, and ends after half a day', async () => {
  const { customer, form } = await newForm()
  const key = deriveKey(api.secret, 'form sessions')
  const [, value = ''] = form.cookie.split('=')
  const session = readSession(key, value, Date.now())
  const minute = 60_000
  const aged = (startedMinutesAgo: number, minutesLeft: number) =>
    ({
      ...session,
      startedAtMs: Date.now() - startedMinutesAgo * minute,
      expiresAtMs: Date.now() + minutesLeft * minute,
    }) as FormSession
  /** Polls as the open page does, with a session of this age, and tells how many minutes are left. */
  const poll = async (old: FormSession) => {
    const answer = await form.call('GET', 'status', undefined, { cookie: `svc_form=${sealSession(key, old)}` })
    const { secondsLeft = 0, mostSecondsLeft = 0 } = answer.body as { secondsLeft?: number; mostSecondsLeft?: number }
    const [, kept = '0'] = /Max-Age=(\d+)/.exec(answer.headers.get('set-cookie') ?? '') ?? []
    return [
      answer.status,
      Math.round(secondsLeft / 60),
      Math.round(mostSecondsLeft / 60),
      Math.round(Number(kept) / 60),
    ]
  }
  expect(await poll(aged(28, 2))).toEqual([200, 2, 692, 0])
  expect((await poll(aged(31, -1)))[0]).toBe(401)
  const patched = await api.call('PATCH', `/customers/${customer.customerId}`, {
    body: { kycData: { legalFirstName: 'Ada' } },
  })
  expect(patched.status).toBe(200)
  expect(await poll(aged(28, 2))).toEqual([200, 30, 692, 30])
  expect(await poll(aged(710, 2))).toEqual([200, 10, 10, 10])
  const left = await form.call('POST', 'leave')
  expect(left.headers.get('set-cookie')).toMatch(/^svc_form=; Path=\/forms; .*Max-Age=0/)
})
