import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { deriveKey } from '../../../src/encryption/deployment-secrets.ts'
import { createFormToken } from '../../../src/lib/form-link.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { createPending } from '../../support/forms/bank-form.ts'
import { type FormClient, openFormClient } from '../../support/forms/form-client.ts'
import { accountEvents, bankAccounts } from '../../support/money/payment-accounts.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi({ SVC_PAYMENT_METHODS: 'ACH,SEPA,CA_INTERAC,BASE' })
const worker = await api.app.startWorker()
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(async () => {
  await worker.stop()
  await owner.close()
})

const newForm = async (more: Parameters<typeof createPending>[1] = {}) => {
  const pending = await createPending(api, more)
  return { ...pending, form: await openFormClient(pending.link) }
}
const send = (form: FormClient, path: string, externalBankAccount: unknown, headers?: Record<string, string>) =>
  form.call('POST', `bank-account/${path}`, { externalBankAccount }, headers)
const stateOf = (form: FormClient) => form.call('GET', 'bank-account/state')
const versionOf = async (id: string) => {
  const text = 'select version from svc.payment_accounts where payment_account_id = $1'
  return (await owner.query<{ version: number }>({ text, values: [id] }))[0]?.version
}
const ach = bankAccounts.ACH()

test('a link becomes a session in a cookie of its own, and opens nothing for other purposes', async () => {
  const { id, link, form, customerId } = await newForm()
  const exchanged = await fetch(link, { redirect: 'manual' })
  expect(exchanged.headers.get('location')).toBe('/forms/bank-account')
  expect(exchanged.headers.get('set-cookie')).toMatch(
    /^svc_bank_form=[\w-]+; Path=\/forms; HttpOnly; SameSite=Lax; Max-Age=1800$/,
  )
  const key = deriveKey(api.secret, 'form links')
  const tokens = {
    guessed: createFormToken(Buffer.alloc(32), 'bank-account', id, 1),
    'of another purpose': createFormToken(key, 'verify', id, 1),
    'of a customer': createFormToken(key, 'bank-account', customerId, 1),
    'of a newer version': createFormToken(key, 'bank-account', id, 2),
    short: 'abc',
  }
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await fetch(`${api.baseUrl}/forms/bank-account/${token}`, { redirect: 'manual' })
    expect([name, answer.status, answer.headers.get('set-cookie')]).toEqual([name, 404, null])
    expect(await answer.text()).toContain('This link does not work')
  }
  // The session of one kind of form is none of the other, under either name of the cookie.
  const { verificationLink = '' } = await createCustomer(api)
  const verification = await openFormClient(verificationLink)
  const [, bankSession] = form.cookie.split('=')
  const [, verifySession] = verification.cookie.split('=')
  const asBank = { cookie: `svc_bank_form=${verifySession}` }
  const asVerification = { cookie: `svc_form=${bankSession}` }
  expect((await form.call('GET', 'bank-account/state', undefined, asBank)).status).toBe(401)
  expect((await verification.call('GET', 'state', undefined, asVerification)).status).toBe(401)
  expect((await stateOf(form)).status).toBe(200)
})

test.each([
  ['the page of another site', { origin: 'https://evil.example' }],
  ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
  ['a page without the token', { 'x-form-token': '' }],
  ['a page with the token of another session', { 'x-form-token': 'x'.repeat(43) }],
])('%s changes nothing', async (_name, headers) => {
  const { id, form } = await newForm()
  for (const path of ['check', 'account']) expect((await send(form, path, ach, headers)).status).toBe(403)
  expect((await api.get(`/payment-accounts/${id}`)).body.paymentAccountStatus).toBe('PENDING')
})

test('the token of one form sends nothing to the account of another customer', async () => {
  const mine = await newForm()
  const foreign = await newForm()
  const crossed = { cookie: foreign.form.cookie, 'x-form-token': mine.form.token }
  expect((await send(mine.form, 'account', ach, crossed)).status).toBe(403)
  expect((await send(mine.form, 'account', ach)).status).toBe(200)
  expect((await api.get(`/payment-accounts/${foreign.id}`)).body.paymentAccountStatus).toBe('PENDING')
})

test('answers are judged as by the API, each problem at its field with a rule', async () => {
  const { id, form } = await newForm({ account: { isThirdParty: true } })
  const problemsOf = async (account: unknown) => {
    const checked = await send(form, 'check', account)
    const saved = await send(form, 'account', account)
    expect([checked.status, saved.status, saved.body.error]).toEqual([200, 400, 'BAD_REQUEST'])
    const { problems } = checked.body as unknown as { problems: { field: string; rule: string }[] }
    const { details } = saved.body as unknown as { details: { field: string; rule: string }[] }
    expect(details.map(({ field, rule }) => [field, rule])).toEqual(problems.map(({ field, rule }) => [field, rule]))
    const byApi = await api.post(`/sandbox/payment-accounts/${id}/complete`, { externalBankAccount: account })
    const refused = byApi.body as unknown as { details?: { field: string }[] }
    if (refused.details) expect(refused.details.map(({ field }) => field)).toEqual(problems.map(({ field }) => field))
    return problems.map(({ field, rule }) => `${field.replace('externalBankAccount.', '')} ${rule}`)
  }
  expect(await problemsOf({ bankAccountPaymentMethod: 'ACH', routingNumber: '021000022', accountNumber: '1' })).toEqual(
    ['routingNumber ROUTING_NUMBER', 'accountNumber DIGITS', 'bankAccountOwner REQUIRED'],
  )
  expect(await problemsOf({ ...bankAccounts.SEPA(), iban: 'XX12', surprise: true })).toEqual([
    'surprise INVALID',
    'iban IBAN_COUNTRY',
  ])
  // A rail that this deployment does not offer is no choice of the form.
  expect(await problemsOf(bankAccounts.WIRE())).toEqual(['bankAccountPaymentMethod CHOICE'])
  const state = (await stateOf(form)).body as unknown as { rails: { rail: string }[] }
  expect(state.rails.map(({ rail }) => rail)).toEqual(['ACH', 'SEPA', 'CA_INTERAC'])
  for (const body of [[], {}, null]) expect((await form.call('POST', 'bank-account/account', body)).status).toBe(400)
  expect(await versionOf(id)).toBe(1)
})

test('two windows and a lost answer make one version and one event, and the number never comes back', async () => {
  const { id, link, form } = await newForm()
  const other = await openFormClient(link)
  const sent = [form, other, form, other].map((each) => send(each, 'account', ach))
  const answers = await Promise.all(sent)
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const late = await send(other, 'account', { ...ach, accountNumber: '999888777666' })
  expect([late.status, late.body.error]).toEqual([409, 'CONFLICT'])
  // The same numbers written in groups are the same account; another owner is not.
  expect((await send(form, 'account', { ...ach, accountNumber: '0001 2345-6789' })).status).toBe(200)
  const renamed = { type: 'INDIVIDUAL', firstName: 'Eve', lastName: 'Other' }
  expect((await send(form, 'account', { ...ach, bankAccountOwner: renamed })).status).toBe(409)
  const { body } = await stateOf(form)
  expect(body).toEqual({
    status: 'SAVED',
    version: 2,
    isSandbox: true,
    nickname: '',
    account: { rail: 'ACH', mask: '****6789', bankName: 'First Example Bank', ownerName: 'Ada Example' },
  })
  expect(JSON.stringify(answers)).not.toContain('12345678')
  expect(await versionOf(id)).toBe(2)
  await expect
    .poll(() => accountEvents(api, id))
    .toEqual(['payment_account.created PENDING', 'payment_account.updated ACTIVE'])
  const acts = await owner.query({
    text: `select actor from svc.audit where subject_id = $1 and action = 'payment_account.completed'`,
    values: [id],
  })
  expect(acts).toEqual([{ actor: 'hosted form' }])
})

test('a link of a deleted account says no more, and that of an erased customer opens nothing', async () => {
  const { id, link, customerId, form } = await newForm({ account: { nickname: 'Rent' } })
  expect((await api.delete(`/payment-accounts/${id}`)).status).toBe(200)
  expect((await stateOf(form)).body).toEqual({ status: 'CLOSED', version: 2, isSandbox: true, nickname: '' })
  expect((await send(form, 'account', ach)).status).toBe(409)
  expect((await send(form, 'check', ach)).status).toBe(409)
  expect((await api.post(`/customers/${customerId}/erase`)).status).toBe(200)
  expect((await stateOf(form)).status).toBe(401)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(404)
})
