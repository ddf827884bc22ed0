import { expect, test } from 'vitest'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  expectVerified,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { testMasterKey } from '../../support/runner/api.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

/** Two different bank entries under one reference: the second is kept for the operator of the deployment. */
const { api } = await startHeard()
const customer = await makeActive(api, 'US')
const { customerId } = customer
const { bank, wallet } = await makeAccounts(api, customer)

const report = async (more: object) => {
  const entry = { amount: '10.00', currency: 'USD', rail: 'ACH', ...more }
  const { status, body } = await api.post(`/sandbox/payment-accounts/${bank}/deposits`, entry)
  return [status, body.sightingStatus]
}
const depositsOf = (externalId: string) =>
  api.app.database.query({
    text: 'select amount from svc.deposits where external_id like $1 order by deposit_id',
    values: [`${externalId}%`],
  })
const quarantined = () => readMetric(api, 'svc_sightings_quarantined')

async function run(...args: string[]) {
  const settings = {
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: await makeDataFolder(),
  }
  const command = svc(['deposits', ...args], settings)
  return { code: await command.exited, output: command.output() }
}

test('an identical repeat of a bank entry changes nothing', async () => {
  const entryReference = `statement-${newId()}`
  expect(await report({ entryReference })).toEqual([200, 'RECORDED'])
  expect(await report({ entryReference })).toEqual([200, 'REPEATED'])
  await waitForDeposit(api, entryReference, { depositStatus: 'UNMATCHED' })
  expect(await report({ entryReference })).toEqual([200, 'REPEATED'])
  expect(await depositsOf(entryReference)).toHaveLength(1)
  expect(await quarantined()).toBe('0')
})

test('another entry under the same reference is quarantined, and the operator accepts or dismisses it', async () => {
  const created = await createTransaction(api, {
    customerId,
    from: [bank, 'USD', 'ACH', '7.00'],
    to: [wallet, 'USDC', 'BASE'],
  })
  const reference = transferReference(created)
  const entryReference = `statement-${newId()}`
  expect(await report({ entryReference })).toEqual([200, 'RECORDED'])
  const other = { entryReference, amount: '7.00', reference }
  expect(await report(other)).toEqual([200, 'QUARANTINED'])
  expect(await report(other)).toEqual([200, 'QUARANTINED'])
  expect(await report({ entryReference, amount: '11.00' })).toEqual([200, 'QUARANTINED'])
  expect(await quarantined()).toBe('2')
  await waitForDeposit(api, entryReference, { depositStatus: 'UNMATCHED', amount: '10.00' })
  expect(await depositsOf(entryReference)).toEqual([{ amount: '1000' }])

  const listed = await run('quarantined')
  expect(listed.code).toBe(0)
  const lines = listed.output.trim().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(`ACH  7.00 USD  ${entryReference}  differs in amount, message, text or sender name$`),
    expect.stringMatching(`ACH  11.00 USD  ${entryReference}  differs in amount$`),
  ])
  const [accepted = '', dismissed = ''] = lines.map((line) => line.split('  ')[0] ?? '')
  const reason = ['--reason', 'The bank has confirmed it']
  const { output } = await run('accept', accepted, ...reason)
  const ownReference = output.trim()
  expect(ownReference).not.toBe(entryReference)
  await waitForDeposit(api, ownReference, { depositStatus: 'APPLIED', amount: '7.00' })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect((await run('dismiss', dismissed, ...reason)).code).toBe(0)
  const { accept, list } = api.app.quarantinedSightings
  for (const quarantineId of [accepted, dismissed]) {
    expect(await accept({ quarantineId, reason: 'a test' })).toBeUndefined()
  }
  expect(await list()).toEqual([])
  expect(await quarantined()).toBe('0')

  // A later repeat of a decided entry changes nothing.
  expect(await report(other)).toEqual([200, 'REPEATED'])
  expect(await report({ entryReference, amount: '11.00' })).toEqual([200, 'REPEATED'])
  expect(await depositsOf(entryReference)).toEqual([{ amount: '1000' }, { amount: '700' }])
  const acts = await api.app.database.query<{ action: string; organizationId: string }>({
    text: `select action, organization_id as "organizationId" from svc.audit where action like 'sighting.%' order by at`,
  })
  expect(acts).toEqual([
    { action: 'sighting.accepted', organizationId: platformOrganizationId },
    { action: 'sighting.dismissed', organizationId: platformOrganizationId },
  ])
  await expectVerified(api)
})

test('of concurrent entries under one reference one is recorded and none is lost', async () => {
  const entryReference = `statement-${newId()}`
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => report({ entryReference, amount: `${1 + (at % 4)}.00` })),
  )
  const counts = Map.groupBy(answers, ([, sightingStatus]) => sightingStatus)
  expect([counts.get('RECORDED')?.length, counts.get('REPEATED')?.length]).toEqual([1, 2])
  expect(counts.get('QUARANTINED')).toHaveLength(9)
  expect(await quarantined()).toBe('3')
})

test.each([
  ['its text', { reference: 'Invoice 17' }, { reference: 'Invoice 18' }, 'text or sender name'],
  ['the name of its sender', { senderName: 'Ada Miller' }, { senderName: 'Adam Miller' }, 'text or sender name'],
  ['its rail', { rail: 'ACH' }, { rail: 'WIRE' }, 'rail'],
])('an entry that differs only in %s is quarantined', async (_, first, second, difference) => {
  const before = Number(await quarantined())
  const entryReference = `statement-${newId()}`
  expect(await report({ entryReference, ...first })).toEqual([200, 'RECORDED'])
  expect(await report({ entryReference, ...first })).toEqual([200, 'REPEATED'])
  expect(await report({ entryReference, ...second })).toEqual([200, 'QUARANTINED'])
  expect(Number(await quarantined())).toBe(before + 1)
  const { output } = await run('quarantined')
  const line = output.split('\n').find((each) => each.includes(entryReference)) ?? ''
  expect(line.endsWith(`differs in ${difference}`)).toBe(true)
  expect((await run('dismiss', line.split('  ')[0] ?? '', '--reason', 'The bank has corrected it')).code).toBe(0)
})

test('tokens under the reference of a bank entry are an entry of their own', async () => {
  const entryReference = `statement-${newId()}`
  const tokens = { amount: '5', currency: 'USDC', chain: 'BASE', entryReference }
  const send = async () => {
    const { status, body } = await api.post(`/sandbox/payment-accounts/${wallet}/deposits`, tokens)
    return [status, body.sightingStatus]
  }
  expect(await report({ entryReference })).toEqual([200, 'RECORDED'])
  expect(await send()).toEqual([200, 'RECORDED'])
  expect(await send()).toEqual([200, 'REPEATED'])
  expect(await report({ entryReference })).toEqual([200, 'REPEATED'])
  await expect.poll(() => depositsOf(entryReference)).toHaveLength(2)
})
