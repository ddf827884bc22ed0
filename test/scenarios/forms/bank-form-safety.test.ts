import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { deriveKey } from '../../../src/encryption/deployment-secrets.ts'
import { createFormToken } from '../../../src/lib/form-link.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { addPending, createPending, sendAccount as send, stateOf } from '../../support/forms/bank-form.ts'
import { openFormClient } from '../../support/forms/form-client.ts'
import { accountEvents, bankAccounts } from '../../support/money/payment-accounts.ts'
import { makeActive } from '../../support/money/quotes.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi({
  SVC_PAYMENT_METHODS: 'ACH,SEPA,CA_INTERAC,BASE',
  SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '20',
})
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

const revoke = (id: string) => api.post(`/payment-accounts/${id}/form-link/revoke`)

test('a revoked link opens nothing, and its forms save nothing', async () => {
  const { id, link, form } = await newForm()
  const revoked = await revoke(id)
  expect(revoked).toMatchObject({ status: 200, body: { pendingPaymentAccountId: id } })
  const { bankAccountFormLink = '' } = revoked.body
  expect(bankAccountFormLink).not.toBe(link)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(404)
  for (const answer of [await stateOf(form), await send(form, 'check', ach), await send(form, 'account', ach)])
    expect(answer.status).toBe(401)
  const renewed = await openFormClient(bankAccountFormLink)
  expect((await send(renewed, 'account', ach)).status).toBe(200)
  // The link of a saved account can be revoked, too.
  expect((await revoke(id)).status).toBe(200)
  expect((await stateOf(renewed)).status).toBe(401)
  await expect.poll(() => accountEvents(api, id)).toHaveLength(4)
  expect((await api.call('DELETE', `/payment-accounts/${id}`)).status).toBe(200)
  expect(await revoke(id)).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
})

test('a link that is revoked while its form saves completes no account', async () => {
  const { id, form } = await newForm()
  const text = `select pid from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`
  const isWaiting = async () => (await api.app.database.query({ text })).length > 0
  const saving = await owner.inTx(async (tx) => {
    await tx.query({
      text: 'update svc.payment_accounts set link_version = link_version + 1 where payment_account_id = $1',
      values: [id],
    })
    const answer = send(form, 'account', ach)
    await expect.poll(isWaiting).toBe(true)
    return { answer }
  })
  expect((await saving.answer).status).toBe(401)
  expect((await api.get(`/payment-accounts/${id}`)).body).toMatchObject({ paymentAccountStatus: 'PENDING' })
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

test('the form offers a rail by which money that waits can go back, as the API opens an account by it', async () => {
  const { organizationId, customerId } = await makeActive(api, 'US')
  const railsOf = async (link: string) => {
    const state = (await stateOf(await openFormClient(link))).body as unknown as { rails: { rail: string }[] }
    return state.rails.map(({ rail }) => rail)
  }
  const { id, link } = await addPending(api, customerId, { isThirdParty: true })
  expect(await railsOf(link)).toEqual(['ACH'])
  const sepa = bankAccounts.SEPA()
  const complete = () => api.post(`/sandbox/payment-accounts/${id}/complete`, { externalBankAccount: sepa })
  expect((await complete()).body.error).toBe('PAYMENT_METHOD_NOT_AVAILABLE')

  // Returned funds in euros.
  await owner.query({
    text: `insert into svc.ledger_accounts (organization_id, account_id, kind, holder, asset, posted, created_at)
           values ($1, $2, 'RETURNED_FUNDS', $3, 'EUR', 1000, now())`,
    values: [organizationId, newId(), customerId],
  })
  expect(await railsOf(link)).toEqual(['ACH', 'SEPA'])
  const saved = await send(await openFormClient(link), 'account', sepa)
  expect([saved.status, saved.body]).toEqual([200, expect.objectContaining({ status: 'SAVED' })])
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

test('two windows and a lost answer make one version and one event, and no guess of the number is answered', async () => {
  const { id, link, form } = await newForm()
  const other = await openFormClient(link)
  const sent = [form, other, form, other].map((each) => send(each, 'account', ach))
  const answers = await Promise.all(sent)
  const [mine, theirs] = answers.map(({ status }) => status)
  expect([mine, theirs].sort()).toEqual([200, 409])
  expect(answers.map(({ status }) => status)).toEqual([mine, theirs, mine, theirs])
  // The key alone tells a repetition, so that the service says nothing about a guessed number.
  const [winner, loser] = mine === 200 ? [form, other] : [other, form]
  const tried = { ...ach, accountNumber: '999888777666' }
  expect((await send(winner, 'account', tried)).status).toBe(200)
  const guesses = [await send(loser, 'account', tried), await send(loser, 'account', ach)]
  const told = guesses.map(({ status, body: refused }) => ({ status, ...(refused as object), requestId: '' }))
  expect(told[0]).toMatchObject({ status: 409, error: 'CONFLICT' })
  expect(told[1]).toEqual(told[0])
  for (const saveKey of [undefined, '', 'short', 7]) {
    const answer = await form.call('POST', 'bank-account/account', { externalBankAccount: ach, saveKey })
    expect([saveKey, answer.status]).toEqual([saveKey, 400])
  }
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
  const { entries } = (await api.get('/audit?actor=hosted%20form&act=payment_account.completed')).body
  expect(entries.map(({ subjectId }) => subjectId)).toContain(id)
})

test('a body that is nested too deep, or an IBAN of another country than the bank, is refused', async () => {
  const { form } = await newForm()
  let deep: unknown = 'x'
  for (let level = 0; level < 3_000; level++) deep = { a: deep }
  for (const path of ['check', 'account']) {
    const answer = await send(form, path, deep)
    expect([path, answer.status, answer.body.error]).toEqual([path, 400, 'BAD_REQUEST'])
  }
  const problemsIn = async (bankCountry: unknown) => {
    const body = { externalBankAccount: bankAccounts.SEPA(), bankCountry }
    return (await form.call('POST', 'bank-account/check', body)).body as unknown as { problems: object[] }
  }
  const problem = { field: 'externalBankAccount.iban', rule: 'IBAN_OF_COUNTRY', demand: 'FR' }
  for (const country of ['FR', 'RE']) expect(await problemsIn(country)).toEqual({ problems: [problem] })
  expect(await problemsIn('DE')).toEqual({ problems: [] })
})

test('the page of a saved account is not kept open by its polls', async () => {
  const { form } = await newForm()
  const poll = async () => (await form.call('GET', 'bank-account/status')).headers.get('set-cookie')
  expect(await poll()).toBeNull()
  expect((await send(form, 'account', ach)).status).toBe(200)
  expect(await poll()).toBeNull()
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

test('guesses that arrive together are counted one by one', async () => {
  const token = createFormToken(deriveKey(api.secret, 'form links'), 'bank-account', newId(), 1)
  const statuses: number[] = []
  const visit = async () => statuses.push((await fetch(`${api.baseUrl}/forms/bank-account/${token}`)).status)
  const visits: Promise<number>[] = []
  await owner.inTx(async (tx) => {
    // No visit is looked up before all are counted.
    await tx.query({ text: 'lock table svc.payment_accounts in access exclusive mode', values: [] })
    visits.push(...Array.from({ length: 40 }, visit))
    await expect.poll(() => statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(19)
  })
  await Promise.all(visits)
  expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(21)
})
