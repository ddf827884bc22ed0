import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { idAt } from '../../../src/db/checks/settled.ts'
import { clientConfig } from '../../../src/db/database.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { readMetric } from '../../support/runner/metrics.ts'

const api = await startApi({}, { database: await makeDatabase({ areChecksDue: true }) })
const { checks, ledger, database } = api.app
const superuser = new pg.Client(clientConfig({ connection: api.database.owner }))
await superuser.connect()
afterAll(() => superuser.end())

const halts = async () => (await ledger.readHalts(database)).halts
const isHalted = async (asset: string) => (await ledger.readHalts(database)).isHalted(asset)
const metric = (name: string) => readMetric(api, name)
const passAll = async () => {
  await checks.register()
  await checks.checkQuickly()
  while ((await checks.checkFully()).hasMore);
}

/** Posts a deposit to a wallet of a new organization. */
async function deposit(asset = 'USDC/BASE', entries = 1) {
  const [organizationId, paymentAccountId] = [newId(), newId()]
  const post = (reference: string, content: facts.PostingContent) =>
    database.inTx((tx) => ledger.post(tx, [{ organizationId, reference, ...content }]))
  for (let number = 0; number < entries; number += 1) {
    await post(`deposit:${number}`, facts.depositToWallet({ paymentAccountId, asset, amount: 100n }))
  }
  return { organizationId, paymentAccountId, post }
}

test('within a minute an altered posting is found, and payouts of its asset are halted', async () => {
  await deposit()
  await passAll()
  expect([await halts(), await metric('svc_invariants_violated')]).toEqual([[], '0'])
  const { organizationId } = await deposit('USDC/SOLANA')
  await superuser.query('update svc.entries set amount = amount + 1 where organization_id = $1', [organizationId])
  expect(await checks.checkQuickly()).toMatchObject({ failed: 0 })
  expect([await isHalted('USDC/SOLANA'), await isHalted('USDC/BASE')]).toEqual([true, false])
  expect(await metric('svc_invariants_violated')).not.toBe('0')
  // The checkpoint has passed the posting at some time; the violation stays until a complete pass no longer finds it.
  await checks.checkQuickly()
  expect(await metric('svc_invariants_violated')).not.toBe('0')
  await superuser.query('update svc.entries set amount = amount - 1 where organization_id = $1', [organizationId])
  expect(await api.app.verify()).toMatchObject({ ok: true })
  expect(await metric('svc_invariants_violated')).toBe('0')
  expect(await isHalted('USDC/SOLANA')).toBe(true)
  await ledger.resumePayouts({ reason: 'corrected', force: true })
  expect(await halts()).toEqual([])
})

test('a posting that is committed late is checked, although its id is older than others', async () => {
  await passAll()
  await superuser.query(`update svc.checks set checkpoint = null, registered_at = now()`)
  const { organizationId } = await deposit('USDC/BASE')
  const late = idAt(Date.now() - 30 * 60_000)
  await superuser.query('begin')
  await superuser.query(
    `insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount)
     select organization_id, $2, 1, account_id, 5 from svc.ledger_accounts
      where organization_id = $1 and kind = 'CUSTODY'`,
    [organizationId, late],
  )
  await checks.checkQuickly()
  expect(await halts()).toEqual([])
  await superuser.query('commit')
  await checks.checkQuickly()
  expect(await isHalted('USDC/BASE')).toBe(true)
  await superuser.query('delete from svc.entries where posting_id = $1', [late])
  expect(await api.app.verify()).toMatchObject({ ok: true })
  await ledger.resumePayouts({ reason: 'corrected', force: true })
  // With no database transaction open, the checkpoint moves.
  await checks.checkQuickly()
  const [first] = (await checks.read()).filter(({ isQuick }) => isQuick)
  expect(first?.checkpoint && first.checkpoint > late).toBe(true)
})

test('without new postings the checks stay fresh, and the next posting is checked', async () => {
  await passAll()
  await superuser.query(`update svc.checks set checkpoint = $1, quick_at = now() - interval '1 hour'`, [
    idAt(Date.now()),
  ])
  const before = await checks.read()
  const { checked, failed } = await checks.checkQuickly()
  const quick = (await checks.read()).filter(({ isQuick }) => isQuick)
  expect([checked, failed]).toEqual([quick.length, 0])
  for (const { name, quickAt } of quick) {
    const last = before.find((each) => each.name === name)?.quickAt
    expect(quickAt && last && quickAt > last, name).toBe(true)
  }
  const { organizationId } = await deposit('EURC/BASE')
  await superuser.query('update svc.entries set amount = amount + 1 where organization_id = $1', [organizationId])
  await checks.checkQuickly()
  expect(await isHalted('EURC/BASE')).toBe(true)
  await superuser.query('update svc.entries set amount = amount - 1 where organization_id = $1', [organizationId])
  expect(await api.app.verify()).toMatchObject({ ok: true })
  await ledger.resumePayouts({ reason: 'corrected', force: true })
})

test('a check that cannot run raises its own alarm, and halts payouts when its last success is too old', async () => {
  await passAll()
  await superuser.query('revoke select on svc.reserves from svc_app')
  const { failed } = await checks.checkQuickly()
  expect(failed).toBeGreaterThan(0)
  expect(await metric('svc_checks_not_run')).toBe(String(failed))
  expect(await metric('svc_invariants_violated')).toMatch(/^nan$/i)
  expect(await halts()).toEqual([])
  const stored = await checks.read()
  const reserved = stored.find(({ name }) => name === 'reserved amounts are the sum of open reserves')
  expect(reserved).toMatchObject({ quickFailure: 'PostgreSQL error 42501' })
  expect(stored.find(({ name }) => name === 'a fact is posted once')).toMatchObject({ quickFailure: null })

  await superuser.query(
    `update svc.checks set quick_at = quick_at - interval '16 minutes' where quick_failure is not null`,
  )
  expect(await isHalted('EUR')).toBe(true)
  await ledger.recordOverdueChecks()
  expect(await halts()).toMatchObject([{ kind: 'NOT_CHECKED', asset: null }])
  expect(await metric('svc_payouts_halted')).toBe('1')
  expect((await api.get('/readyz', { apiKey: null })).body).toMatchObject({ concerns: ['PAYOUTS_HALTED'] })

  await superuser.query('grant select on svc.reserves to svc_app')
  await checks.checkQuickly()
  await ledger.recordOverdueChecks()
  expect(await halts()).toEqual([])
  expect(await metric('svc_invariants_violated')).toBe('0')
})

test('hours since the complete check are no alarm while recent postings are checked', async () => {
  await passAll()
  await superuser.query(`update svc.checks set checked_at = checked_at - interval '2 hours'`)
  await checks.checkQuickly()
  expect(Number(await metric('svc_check_age_seconds'))).toBeLessThan(3_600)
  expect(Number(await metric('svc_full_check_age_seconds'))).toBeGreaterThanOrEqual(7_200)
  const { body } = await api.get('/ledger/check')
  expect(body.ageSeconds).toBeLessThan(3_600)
})

test('without a worker that checks, payouts are halted; a worker that starts checks at once', async () => {
  await passAll()
  await superuser.query(`update svc.checks set quick_at = quick_at - interval '1 hour'`)
  expect(await isHalted('USD')).toBe(true)
  expect(Number(await metric('svc_check_age_seconds'))).toBeGreaterThanOrEqual(3_600)
  const worker = await api.app.startWorker()
  await superuser.query(`update svc.duties set due_at = now() where duty = 'check recent postings'`)
  await eventually(async () => expect(await halts()).toEqual([]))
  await worker.stop()
})

test('an operator can resume payouts without a check, for as long as its set age', async () => {
  await passAll()
  await superuser.query(`update svc.checks set quick_at = quick_at - interval '1 hour'`)
  const resumed = await ledger.resumePayouts({ reason: 'The checks are being repaired', force: true })
  expect(resumed).toMatchObject({ outcome: 'RESUMED', ended: [{ kind: 'NOT_CHECKED', asset: null }] })
  expect(await halts()).toEqual([])
  await superuser.query(`update svc.payout_halts set resumed_at = resumed_at - interval '16 minutes'`)
  expect(await isHalted('USD')).toBe(true)
  await checks.checkQuickly()
})

test('a check of another version halts nothing', async () => {
  await superuser.query(`insert into svc.checks (name, is_money, is_quick, registered_at)
                         values ('an old check', true, true, now() - interval '1 year')`)
  expect(await isHalted('USD')).toBe(true)
  await passAll()
  expect(await halts()).toEqual([])
})

test('a wallet with more entries than a slice is summed in parts', async () => {
  const { organizationId } = await deposit('USDC/BASE', 120)
  const name = 'customer balances are the sum of their entries, whose sequence has no gap'
  const check = ledger.checks.find((each) => each.name === name)
  if (!check || !('slice' in check)) throw new Error('the check has no slices')
  const findAll = async () => {
    const found = []
    let slices = 0
    let next: Parameters<typeof check.slice>[1]
    do {
      const slice = await check.slice(database, next, 50)
      found.push(...slice.found.map(({ organizationId: of }) => of))
      next = slice.next
      slices += 1
    } while (next)
    return { found, slices }
  }
  expect(await findAll()).toEqual({ found: [], slices: expect.any(Number) })
  await superuser.query(
    'update svc.entries set amount = amount + 1 where organization_id = $1 and account_sequence = 70',
    [organizationId],
  )
  const { found, slices } = await findAll()
  expect(found).toEqual([organizationId])
  expect(slices).toBeGreaterThan(3)
  await superuser.query(
    'update svc.entries set amount = amount - 1 where organization_id = $1 and account_sequence = 70',
    [organizationId],
  )
})

test('a deposit that is spent twice, and clearing below zero, halt payouts of their asset', async () => {
  await passAll()
  const { organizationId, post } = await deposit('EURC/BASE')
  const [depositId, transactionId] = [newId(), newId()]
  await superuser.query(
    `insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status, seen_at,
            created_at, updated_at)
     values ($1, $2, 'ACH', 'twice', 'USD', 500, 'usd-main', 'UNMATCHED', now(), now(), now())`,
    [organizationId, depositId],
  )
  const usd = { asset: 'USD', amount: 500n }
  await post(`deposit:${depositId}:received`, facts.depositToSuspense({ ...usd, at: 'usd-main' }))
  await checks.checkQuickly()
  expect(await halts()).toEqual([])
  await post(`deposit:${depositId}:resolution`, facts.resolveSuspense({ ...usd, to: { customer: newId() } }))
  await post(`deposit:${depositId}:return`, facts.resolveSuspense({ ...usd, to: { holding: 'usd-main' } }))
  await checks.checkQuickly()
  const [halt, ...others] = await halts()
  expect(halt).toMatchObject({ kind: 'VIOLATED', asset: 'USD' })
  expect(halt?.checks).toContain('suspense is never below zero for a deposit')
  expect(others).toEqual([])
  await ledger.resumePayouts({ reason: 'corrected', force: true })

  await superuser.query(
    `insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status,
            source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
            destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
            exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history,
            status_written_at, step, created_at, updated_at)
     values ($1, $2, $2, $2, 'PROCESSING', $2, true, 'EUR', 'SEPA', 5, $2, false, 'EUR', 'SEPA', 5, '1', 0, 0, true, now(),
             '{}', '{}', '{}', 'PAYOUT', now(), now())`,
    [organizationId, transactionId],
  )
  await post(`transaction:${transactionId}:refund`, facts.refund({ asset: 'EUR', amount: 5n, at: 'eur-main' }))
  await checks.checkQuickly()
  const found = (await halts()).find(({ asset }) => asset === 'EUR')
  expect(found?.checks).toContain('clearing is never below zero for a transaction')
  await superuser.query(`delete from svc.deposits where deposit_id = $1`, [depositId])
  await superuser.query(`delete from svc.transactions where transaction_id = $1`, [transactionId])
  await ledger.resumePayouts({ reason: 'corrected', force: true })
})

test('an integrator sees the age of the proof, and no violation of another organization', async () => {
  await passAll()
  const proof = (await api.get('/ledger/check')).body
  expect(proof).toMatchObject({ ok: true, checkedAt: expect.any(String), ageSeconds: expect.any(Number) })
  expect(proof.checks[0]).toMatchObject({ state: 'OK', checkedAt: expect.any(String), violations: [] })
  const { organizationId } = await deposit()
  await superuser.query('update svc.entries set amount = amount + 1 where organization_id = $1', [organizationId])
  await checks.checkQuickly()
  const after = (await api.get('/ledger/check')).body
  expect(after).toMatchObject({ ok: true })
  expect(JSON.stringify(after)).not.toContain(organizationId)
  await superuser.query('update svc.entries set amount = amount - 1 where organization_id = $1', [organizationId])
  await api.app.verify()
  await ledger.resumePayouts({ reason: 'corrected', force: true })
})
