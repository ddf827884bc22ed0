import { expect, test } from 'vitest'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { askVirtual, makePayer, onRamp } from '../../support/bank-files/bank-world.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { waitForRates } from '../../support/money/quotes.ts'
import {
  advance,
  expectVerified,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { actingWith, startApi, type TestApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { runSvc } from '../../support/runner/process.ts'

/** Payers of a suspended organization see no instructions, and their money is held. */
const api = await startApi(
  {
    SVC_SANDBOX_VERIFICATION_DELAY: '0',
    SVC_RATE_LIMIT_SANDBOX: '0',
    SVC_SANDBOX_PAYOUT_DELAY: '0',
    SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '5',
  },
  { database: await makeDatabaseWithAddresses() },
)
const { organizations, credentials } = api.app
const visit = async (link = '') => (await fetch(api.baseUrl + new URL(link).pathname, { redirect: 'manual' })).status

async function makeOrganization(name: string) {
  const { organizationId } = await organizations.create({ name, tier: 'BUILDER', parentOrganizationId: null })
  return { organizationId, as: actingWith(api, (await credentials.createFullKey(name, organizationId)).apiKey) }
}

/** Expects that the platform, and no key of the suspended organization, finds the money of a payer and gives it back. */
async function expectReturnByPlatform({ transactionId }: Transaction, organizationId: string): Promise<void> {
  const platform = actingWith(api, (await credentials.createFullKey('Platform', platformOrganizationId)).apiKey)
  // Each process learns of the suspension within a second.
  await expect.poll(async () => (await api.get('/deposits')).status).toBe(403)
  const query = `organizationId=${organizationId}&transactionId=${transactionId}`
  const { depositId } = first((await platform.get(`/deposits?${query}`)).body.deposits)
  const resolve = (as: TestApi, action: string) =>
    as.post(`/deposits/${depositId}/resolve`, { action, reason: 'a test' })
  const listed = await runSvc(api, ['deposits', 'list', '--organization', organizationId])
  expect(listed.output.trim().split('\n')).toHaveLength(3)
  expect(listed.output).toMatch(new RegExp(`^${depositId}  .*  HELD  .*  transaction ${transactionId}$`, 'm'))
  expect((await resolve(api, 'RETURN')).status).toBe(403)
  expect((await resolve(platform, 'CREDIT')).status).toBe(409)
  expect(await resolve(platform, 'RETURN')).toMatchObject({ status: 200, body: { depositStatus: 'RETURNING' } })
}

test('the list of deposits needs an organization that exists', async () => {
  expect((await runSvc(api, ['deposits', 'list'])).code).toBe(2)
  const unknown = ['deposits', 'list', '--organization', newId()]
  expect((await runSvc(api, unknown)).code).toBe(1)
  const { organizationId } = await makeOrganization('Without deposits')
  const none = await runSvc(api, ['deposits', 'list', '--organization', organizationId])
  expect([none.code, none.output]).toEqual([0, expect.stringContaining('No deposit')])
})

test('money that arrives for a suspended organization is held, and applied when it is resumed', async () => {
  const starting = await api.app.startWorker()
  await waitForRates(api)
  const payer = await makePayer(api, 'ACH')
  const { organizationId } = payer
  const paid = await onRamp(api, payer)
  const unpaid = await onRamp(api, payer)
  const returned = await onRamp(api, payer)
  const { paymentAccountId: virtual } = (await askVirtual(api, payer)).body
  await starting.stop()
  const transfer = { amount: '500.00', currency: 'USD', rail: 'ACH' }
  const references = [
    await sendDeposit(api, payer.bank, { ...transfer, reference: transferReference(paid) }),
    await sendDeposit(api, virtual, transfer),
  ]
  const back = await sendDeposit(api, payer.bank, { ...transfer, reference: transferReference(returned) })
  expect(await visit(paid.transferLink)).toBe(303)

  await organizations.suspend(organizationId, 'Fraud')
  // The payer of what is on its way may follow it.
  expect([await visit(unpaid.transferLink), await visit(paid.transferLink)]).toEqual([404, 303])
  const worker = await api.app.startWorker()
  const owner = openForTest({ connection: api.database.owner })
  const expectHeld = (forHours: number) =>
    eventually(async () => {
      const text = `select status, due_at >= svc.now() + $2 * interval '1 hour' as "isPostponed"
                      from svc.deposits where organization_id = $1`
      const deposits = await owner.query({ text, values: [organizationId, forHours] })
      const held = { status: 'HELD', isPostponed: true }
      expect(deposits).toEqual([held, held, held])
    })
  await expectHeld(0)
  expect((await advance((await makeOrganization('Other')).as, 'PT5H')).status).toBe(200)
  await expectHeld(4)
  expect([await visit(unpaid.transferLink), await visit(paid.transferLink)]).toEqual([404, 303])

  await expectReturnByPlatform(returned, organizationId)
  await organizations.resume(organizationId, 'A mistake')
  await expect.poll(() => visit(unpaid.transferLink)).toBe(303)
  for (const referenceId of references) await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  await waitForDeposit(api, back, { depositStatus: 'RETURNED' })
  await worker.stop()
  await expectVerified(api)
})

test('visits to links of a suspended organization lock no customer of another out', async () => {
  const [suspended, neighbour] = [await makeOrganization('Suspended'), await makeOrganization('Neighbour')]
  const { verificationLink: closed } = await createCustomer(suspended.as)
  const { verificationLink: open } = await createCustomer(neighbour.as)
  await organizations.suspend(suspended.organizationId, 'Fraud')
  for (let visits = 0; visits < 12; visits++) expect(await visit(closed)).toBe(404)
  expect(await visit(open)).toBe(303)
})
