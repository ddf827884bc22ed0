import { expect, test } from 'vitest'
import { findingOfMatch } from '../../../src/verification/checks/watch-list-matches.ts'
import type { Customer } from '../../support/customers/customers.ts'
import { activeCustomer, decideReview, readReview } from '../../support/customers/reviews.ts'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { searchTables } from '../../support/secrets/canary-data.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })
const { database, reviews } = api.app
const conflict = { status: 409, body: { error: 'CONFLICT' } }
const name = 'Quillfeather'
const hit = findingOfMatch({
  listVersion: 1,
  entryNumber: '306',
  listedName: `${name.toUpperCase()}, Ada`,
  score: 100,
  strength: 'match',
  reasons: ['the same name'],
  field: 'kycData.legalLastName',
})
const deactivate = ({ customerId }: Customer) =>
  api.post(`/customers/${customerId}/deactivate`, { reason: 'Asked to leave' })
const erase = ({ customerId }: Customer) => api.post(`/customers/${customerId}/erase`)

test('after an erasure the review shows a watch-list match without the listed name', async () => {
  const customer = await activeCustomer(api, { legalLastName: name })
  await database.inTx((tx) => reviews.openMatchReview(tx, customer, [hit]))
  const headers = { 'x-idempotency-key': customer.customerId }
  const claim = () => api.post(`/reviews/${customer.customerId}/claim`, {}, { headers })
  expect((await claim()).body.findings[0]?.watchList?.listedName).toContain(name.toUpperCase())
  await decideReview(api, customer, { decision: 'APPROVE' }, { headers })
  await deactivate(customer)
  expect((await erase(customer)).status).toBe(200)

  const { findings, decision } = await readReview(api, customer)
  expect({ findings, decision }).toEqual({
    findings: [{ code: 'AML_MATCH', message: expect.any(String), field: 'kycData.legalLastName' }],
    decision: 'APPROVE',
  })
  // The first answer contained the name.
  await eventually(async () => expect(await claim()).toMatchObject(conflict))
  const find = (text: string) => [...(text.match(new RegExp(name, 'gi')) ?? [])]
  expect(await searchTables(api.database.owner, find)).toEqual([])
})

test('an erasure waits for a concurrent watch-list match, and is refused', async () => {
  const owner = openForTest({ connection: api.database.owner })
  const customer = await activeCustomer(api)
  await deactivate(customer)
  const erasing = await database.inTx(async (tx) => {
    await reviews.openMatchReview(tx, customer, [hit])
    let isAnswered = false
    const answer = erase(customer).finally(() => {
      isAnswered = true
    })
    const text = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const isWaiting = async () => (await owner.query({ text })).length > 0
    await eventually(async () => expect(isAnswered || (await isWaiting())).toBe(true))
    return { answer }
  })
  expect(await erasing.answer).toMatchObject(conflict)
  expect(await readReview(api, customer)).toMatchObject({ reviewStatus: 'OPEN' })
})
