import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import {
  type FormClient,
  frontImage,
  individualAnswers,
  openFormClient,
  saveAnswers,
} from '../../support/forms/form-client.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())
let photo: Buffer
beforeAll(async () => {
  photo = await makeJpeg()
})

async function newForm(body: object = {}) {
  const customer = await createCustomer(api, body)
  return { customer, form: await openFormClient(customer.verificationLink ?? '') }
}

/** A customer who has submitted, and was asked for corrections. */
async function askFor(issues: string[]): Promise<FormClient> {
  const { customer, form } = await newForm()
  await saveAnswers(form, individualAnswers)
  const { revision } = (await form.upload(frontImage, photo)).body
  expect((await form.call('POST', 'submission', { revision })).status).toBe(200)
  const path = `/sandbox/customers/${customer.customerId}/verification`
  expect((await api.post(path, { outcome: 'NEEDS_INFO', issues })).status).toBe(200)
  return form
}

const people = 'kybData.associatedPersons'

test('answers and files never reach the person who has moved to the place of another', async () => {
  const { customer, form: desk } = await newForm({ customerType: 'BUSINESS', businessName: 'Example Goods Inc' })
  const phone = await openFormClient(customer.verificationLink ?? '')
  for (const [at, name] of ['Ann', 'Bob', 'Cid'].entries()) {
    await saveAnswers(desk, { [`${people}[${at}]`]: {}, [`${people}[${at}].legalFirstName`]: name })
  }
  const { revision, moves } = (await phone.call('GET', 'state')).body
  expect((await saveAnswers(desk, { [`${people}[0]`]: null })).status).toBe(200)
  const field = `${people}[1].documents[0].frontIdImage`
  const changes = [{ field: `${people}[1].legalLastName`, value: 'Of Bob' }]
  expect(await phone.upload(field, photo, { moves })).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  expect(await phone.call('PATCH', 'draft', { revision, moves, changes })).toMatchObject({ status: 409 })
  // The last words of a page that is closing are added to the newest draft, where their places are the same.
  const kept = { field: 'kybData.businessInfo.dbaName', value: 'Goods' }
  const last = await phone.call('PATCH', 'draft', { revision, moves, isLast: true, changes: [...changes, kept] })
  expect(last).toMatchObject({ status: 200, body: { moves: moves + 1 } })
  expect(last.body.values).toMatchObject({
    kybData: {
      businessInfo: { dbaName: 'Goods' },
      associatedPersons: [{ legalFirstName: 'Bob' }, { legalFirstName: 'Cid' }],
    },
  })
  expect(JSON.stringify(last.body.values)).not.toContain('Of Bob')
  expect((await phone.upload(field, photo, { moves: moves + 1 })).status).toBe(200)
})

test('a person who is added on two devices at once keeps the answers of the first', async () => {
  const { customer, form: desk } = await newForm({ customerType: 'BUSINESS', businessName: 'Example Goods Inc' })
  const phone = await openFormClient(customer.verificationLink ?? '')
  await saveAnswers(desk, { [`${people}[0]`]: {}, [`${people}[0].legalFirstName`]: 'Ann' })
  const again = await saveAnswers(phone, { [`${people}[0]`]: {} })
  expect(again.body.values).toMatchObject({ kybData: { associatedPersons: [{ legalFirstName: 'Ann' }] } })
})

test('a correction opens and shows its own fields, and no others', async () => {
  const form = await askFor(['DATABASE_CHECK_FAILED_ON_POSTAL_CODE'])
  const { body } = await form.call('GET', 'state')
  expect(body.values).toEqual({
    kycData: { address: { countryCode: 'US', postalCode: '94104' }, documents: [{}] },
  })
  expect([body.given, body.files]).toEqual([[], {}])
  for (const field of ['kycData.legalFirstName', 'kycData.address.city', 'kycData.documents[0].type']) {
    expect(await saveAnswers(form, { [field]: 'GOVERNMENT_ID' })).toMatchObject({ status: 400 })
  }
  expect((await form.upload(frontImage, photo)).status).toBe(400)
  const corrected = await saveAnswers(form, { 'kycData.address.postalCode': '94105' })
  expect(corrected.status).toBe(200)
  expect((await form.call('POST', 'submission', { revision: corrected.body.revision })).status).toBe(200)
})

test.each(['AML_MATCH', 'ID_PREVIOUSLY_SEEN', 'FRAUD_WARNING'])('the browser never learns of %s', async (code) => {
  const form = await askFor([code])
  const { body } = await form.call('GET', 'state')
  expect(body.corrections).toMatchObject([{ opens: [], isForSupport: true }])
  expect(JSON.stringify(body)).not.toMatch(/AML|FRAUD|PREVIOUSLY|SUSPICIOUS/i)
})

test('a file that is checked while the form is submitted comes too late, and fills no draft', async () => {
  const { customer, form } = await newForm()
  await saveAnswers(form, individualAnswers)
  const { revision } = (await form.upload(frontImage, photo)).body
  // The row lock of the submission is taken first; the upload waits for it in its own transaction.
  const blocked = await owner.inTx(async (tx) => {
    await tx.query({
      text: `update svc.customers set status = 'UNDER_REVIEW' where customer_id = $1`,
      values: [customer.customerId],
    })
    await tx.query({
      text: `update svc.form_drafts set sealed_draft = null, blob_ids = '{}' where customer_id = $1 and revision = $2`,
      values: [customer.customerId, revision],
    })
    const answer = form.upload(frontImage, photo)
    await expect
      .poll(async () => {
        const waiting = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return (await tx.query<{ n: number }>({ text: waiting }))[0]?.n
      })
      .toBeGreaterThan(0)
    return { answer }
  })
  expect(await blocked.answer).toMatchObject({ status: 400, body: { error: 'PATCH_NOT_ALLOWED' } })
  const [draft] = await owner.query<{ isEmpty: boolean }>({
    text: 'select sealed_draft is null as "isEmpty" from svc.form_drafts where customer_id = $1',
    values: [customer.customerId],
  })
  expect(draft).toEqual({ isEmpty: true })
})

test('a page that waits for the outcome keeps its session; an idle form and an upload do not', async () => {
  const { form } = await newForm()
  expect((await form.call('GET', 'status')).headers.get('set-cookie')).toBeNull()
  await saveAnswers(form, individualAnswers)
  const { body, headers } = await form.upload(frontImage, photo)
  expect(headers.get('set-cookie')).toBeNull()
  await form.call('POST', 'submission', { revision: body.revision })
  expect((await form.call('GET', 'status')).headers.get('set-cookie')).toContain('Max-Age=1800')
})

test('a hidden number and a file have a mark, which tells that another device changed them and nothing else', async () => {
  const number = 'kycData.nationalIdNumber'
  const { customer, form } = await newForm()
  const first = (await saveAnswers(form, { [number]: '078051120' })).body
  const { marks } = (await saveAnswers(form, { 'kycData.legalFirstName': 'Ada' })).body
  expect([first.submission, Object.keys(marks), marks]).toEqual([0, [number], first.marks])
  expect(JSON.stringify(first)).not.toContain('078051120')
  const phone = await openFormClient(customer.verificationLink ?? '')
  const changed = (await saveAnswers(phone, { [number]: '219099999' })).body
  expect(changed.marks[number]).not.toBe(first.marks[number])
  // The same number of another customer has another mark.
  const other = (await saveAnswers((await newForm()).form, { [number]: '078051120' })).body
  expect(other.marks[number]).not.toBe(first.marks[number])
  await saveAnswers(phone, { 'kycData.documents[0].type': 'GOVERNMENT_ID' })
  const uploaded = (await phone.upload(frontImage, photo)).body
  const again = (await phone.upload(frontImage, await makeJpeg())).body
  expect(uploaded.marks[frontImage]).toHaveLength(12)
  expect(again.marks[frontImage]).not.toBe(uploaded.marks[frontImage])
})
