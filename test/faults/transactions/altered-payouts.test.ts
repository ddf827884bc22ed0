import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { rotateSealingKey } from '../../../src/signer/rotation.ts'
import { createSealingKeyService } from '../../../src/signer/sealing-keys.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import type { QuoteWish } from '../../support/money/quotes.ts'
import { advance, type Transaction } from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { payDue as payLanes } from '../../support/rails/test-rail.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { testSignerKey } from '../../support/secrets/signer.ts'

const money = await startMoney()
const { api, rows, organizationId, wallet, bank, external, offRamp } = money
// Each test decides when the signer seals.
await api.signer.stop()
const { customerId } = offRamp
const other = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH({ accountNumber: '000987654321' })))
const toExternal: QuoteWish = {
  customerId,
  from: [wallet, 'USDC', 'BASE', '10'],
  to: [external, 'USDC', 'BASE'],
}
const { advanceAll } = takeOver(money, {})
const payDue = () => untilIdle(() => payLanes(api.app.payouts, 20, 30_000))

/** A change by an attacker with the rights of the owner of the database. */
async function asOwner(text: string): Promise<void> {
  const owner = openDatabase({ connection: api.database.owner })
  try {
    await owner.query({ text })
  } finally {
    await owner.close()
  }
}

type PayoutRow = { payoutId: string; status: string; asset: string; seal: Buffer | null }

async function payoutOf({ transactionId }: Pick<Transaction, 'transactionId'>): Promise<PayoutRow> {
  return first(
    await rows<PayoutRow>(`select payout_id as "payoutId", status, asset, seal from svc.payouts
                            where transaction_id = '${transactionId}' and purpose = 'PAYOUT'`),
  )
}

/** Creates a transaction and its payout, which waits for its seal. */
async function owe(wish: QuoteWish): Promise<Transaction & PayoutRow> {
  const transaction = first(await createMany(money, wish, 1))
  await untilIdle(advanceAll)
  return { ...transaction, ...(await payoutOf(transaction)) }
}

const transfersOf = ({ payoutId }: PayoutRow) =>
  rows(`select requests from svc.sandbox_transfers where reference = '${payoutId}'`)

test('while no signer runs, payouts wait; the next signer seals them, and each leaves once', async () => {
  const owed = [await owe(offRamp), await owe(toExternal)]
  await payDue()
  expect(await Promise.all(owed.map(async (each) => (await payoutOf(each)).status))).toEqual(['WAITING', 'WAITING'])
  expect(await readMetric(api, 'svc_payouts_unsealed')).toBe('2')
  await api.signer.sealAll()
  // A restart: another process with the same key.
  await api.signer.stop()
  await payDue()
  expect(await Promise.all(owed.map(async (each) => (await payoutOf(each)).status))).toEqual(['CONFIRMED', 'CONFIRMED'])
  expect(await Promise.all(owed.map(transfersOf))).toEqual([[{ requests: 1 }], [{ requests: 1 }]])
  // The tokens of the off-ramp wait to be collected.
  expect(await readMetric(api, 'svc_payouts_unsealed')).toBe('1')
  await api.signer.sealAll()
  expect(await readMetric(api, 'svc_payouts_unsealed')).toBe('0')
})

test('a withdrawn payout that a process makes due once more does not leave', async () => {
  const owed = await owe(offRamp)
  await api.signer.sealAll()
  const rejected = await api.post(`/transactions/${owed.transactionId}/resolve`, { action: 'REJECT', reason: 'a test' })
  expect(rejected.status).toBe(200)
  expect((await payoutOf(owed)).status).toBe('REFUSED')
  const set = (status: string, due: string) =>
    api.app.database.query({
      text: `update svc.payouts set status = $2, due_at = ${due}, resolved_at = null where payout_id = $1`,
      values: [owed.payoutId, status],
    })
  await set('WAITING', 'svc.now()')
  await payDue()
  expect(await transfersOf(owed)).toEqual([])
  expect((await api.app.ledger.readHalts(api.app.database)).isHalted(owed.asset)).toBe(true)
  await set('REFUSED', 'null')
  await api.app.ledger.resumePayouts({ reason: 'restored', force: true })
})

/** Ends the halt once the operator has restored the rows, and lets the payout leave. */
async function resume(): Promise<void> {
  const report = await api.app.verify()
  expect(await api.app.ledger.resumePayouts({ reason: 'restored', force: false, report })).toMatchObject({
    outcome: 'RESUMED',
  })
  await advance(api, 'PT5M')
  await payDue()
}

const account = (id: string) => `update svc.payment_accounts set %s where payment_account_id = '${id}'`
const payout = `update svc.payouts set %s where payout_id = '$payout'`
const details = (id: string) => `(select sealed_details from svc.payment_accounts where payment_account_id = '${id}')`

test.each([
  ['the amount of a payout', offRamp, payout, `amount = amount + 1`, `amount = amount - 1`],
  [
    'the account of a payout',
    offRamp,
    payout,
    `payment_account_id = '${other.paymentAccountId}'`,
    `payment_account_id = '${bank}'`,
  ],
  ['the release of a payout', offRamp, payout, 'is_released = true', 'is_released = false'],
  ['the address of an external wallet', toExternal, account(external), `address = '${makeEvmAddress()}'`, undefined],
  [
    'the details of a bank account',
    offRamp,
    account(bank),
    `sealed_details = ${details(other.paymentAccountId)}`,
    undefined,
  ],
  [
    'the seal of another payout',
    offRamp,
    payout,
    `seal = (select seal from svc.payouts where seal is not null and payout_id <> '$payout' limit 1)`,
    undefined,
  ],
])('%s, altered after it was sealed, is found before anything leaves', async (_, wish, statement, alter, restore) => {
  const owed = await owe(wish)
  await api.signer.sealAll()
  const change = (set: string) => asOwner(statement.replace('%s', set).replaceAll('$payout', owed.payoutId))
  const [before] = await rows<{ address: string; details: string; seal: string }>(
    `select address, encode(sealed_details, 'hex') as details, encode(payout.seal, 'hex') as seal
       from svc.payment_accounts join svc.payouts as payout using (organization_id, payment_account_id)
      where payout.payout_id = '${owed.payoutId}'`,
  )
  await change(alter)
  await payDue()
  expect(await transfersOf(owed)).toEqual([])
  expect(api.logs.filter((line) => line.includes(owed.payoutId) && line.includes('"level":"error"'))).not.toEqual([])
  const { isHalted } = await api.app.ledger.readHalts(api.app.database)
  expect([isHalted(owed.asset), isHalted('EUR')]).toEqual([true, false])
  const stillAltered = await api.app.verify()
  const refused = { reason: 'not restored', force: false, report: stillAltered } as const
  expect(await api.app.ledger.resumePayouts(refused)).toMatchObject({ outcome: 'STILL_VIOLATED' })

  const previous = alter.startsWith('address')
    ? `address = '${before?.address}'`
    : alter.startsWith('seal =')
      ? `seal = '\\x${before?.seal}'`
      : `sealed_details = '\\x${before?.details}'`
  await change(restore ?? previous)
  await resume()
  expect(await transfersOf(owed)).toEqual([{ requests: 1 }])
})

const insertPayout = (columns: string) => `
  insert into svc.payouts (organization_id, payout_id, transaction_id, deposit_id, customer_id, purpose, method, asset,
    amount, payment_account_id, from_wallet_id, pays_from, held_at, status, due_at, created_at) select ${columns}`

test.each([
  ['without a transaction that owes it', 'REPAYMENT', '5000', 'WAITING', 'its money is not reserved'],
  ['of a transaction that was never executed', 'PAYOUT', '995', 'WAITING', 'the ledger has no conversion for it'],
  ['of more than its transaction owes', 'PAYOUT', '5000', 'WAITING', 'its transaction owes something else'],
  ['that refunds a transaction in progress', 'REFUND', '995', 'WAITING', 'its transaction is not FAILED'],
])('the signer never seals an obligation %s', async (_, purpose, amount, status, problem) => {
  const [transaction] = await createMany(money, offRamp, 1)
  const payoutId = newId()
  // The transaction is PROCESSING, and its obligation does not exist yet.
  await asOwner(`update svc.transactions set status = 'PROCESSING', step = 'PAYOUT', due_at = null
                  where transaction_id = '${transaction?.transactionId}'`)
  await api.app.database.query({
    text: insertPayout(`'${organizationId}', '${payoutId}', '${transaction?.transactionId}', null, '${customerId}',
      '${purpose}', 'ACH', 'USD', ${amount}, '${bank}', null, 'usd-main', ${purpose === 'PAYOUT' ? null : `'TREASURY'`}, '${status}', svc.now(), svc.now()`),
  })
  await api.signer.sealAll()
  await payDue()
  expect(api.signer.problems).toContain(`payout ${payoutId} is not sealed: ${problem}`)
  expect(await rows(`select status from svc.payouts where payout_id = '${payoutId}'`)).toEqual([{ status: 'WAITING' }])
  expect(await rows(`select from svc.sandbox_transfers where reference = '${payoutId}'`)).toEqual([])
  const { checks } = await api.app.verify()
  const violations = checks.flatMap((check) => check.violations)
  expect(violations).toContain(`payout ${payoutId} of organization ${organizationId} is not sealed: ${problem}`)
  expect(Number(await readMetric(api, 'svc_payouts_unsealed'))).toBeGreaterThan(0)
  await asOwner(`delete from svc.payouts where payout_id = '${payoutId}';
                 update svc.transactions set status = 'CREATED' where transaction_id = '${transaction?.transactionId}'`)
})

test('an obligation that claims to be on its way already does not leave without a seal', async () => {
  const payoutId = newId()
  const { transactionId } = first(await createMany(money, offRamp, 1))
  await api.app.database.query({
    text: insertPayout(`'${organizationId}', '${payoutId}', '${transactionId}', null, '${customerId}', 'PAYOUT', 'ACH',
      'USD', 995, '${bank}', null, 'usd-main', null, 'SENDING', svc.now(), svc.now()`),
  })
  await payDue()
  expect(await rows(`select from svc.sandbox_transfers where reference = '${payoutId}'`)).toEqual([])
  const { checks } = await api.app.verify()
  expect(checks.find(({ name }) => name === 'every payout that left was sealed')).toMatchObject({ ok: false })
  await asOwner(`delete from svc.payouts where payout_id = '${payoutId}';
                 update svc.payout_halts set resumed_at = clock_timestamp()`)
})

test('a service wallet whose address the signer did not derive gets no seal', async () => {
  const [assigned] = await rows<{ address: string }>(
    `select address from svc.payment_accounts where payment_account_id = '${wallet}'`,
  )
  const set = (address: string) =>
    asOwner(`update svc.payment_accounts set address = '${address}', seal = null, seal_due_at = clock_timestamp()
              where payment_account_id = '${wallet}'`)
  await set(makeEvmAddress())
  await api.signer.sealAll()
  expect(api.signer.problems).toContain(
    `payment account ${wallet} is not sealed: its address is not derived from a seed`,
  )
  await set(assigned?.address ?? '')
  await api.signer.sealAll()
  expect(await rows(`select seal_problem from svc.payment_accounts where payment_account_id = '${wallet}'`)).toEqual([
    { seal_problem: null },
  ])
})

test('after a rotation of the sealing key, what was sealed before leaves, and the former key is refused', async () => {
  const owed = await owe(offRamp)
  await api.signer.sealAll()
  const { seal: former } = await payoutOf(owed)
  const signers = openForTest(api.database.signer)
  const rotate = () =>
    rotateSealingKey(signers, createSealingKeyService({ database: signers, signerKey: testSignerKey }))
  await asOwner(`update svc.payouts set amount = amount + 1 where payout_id = '${owed.payoutId}'`)
  expect(await rotate()).toMatchObject({ wrong: [`the seal of payout ${owed.payoutId} is wrong`], retired: [] })
  await asOwner(`update svc.payouts set amount = amount - 1 where payout_id = '${owed.payoutId}'`)
  const { keyId, wrong, retired } = await rotate()
  expect([wrong, retired.length]).toEqual([[], 2])
  const { seal } = await payoutOf(owed)
  expect([seal, former].map((each) => each?.subarray(1, 9).toString('hex') === keyId)).toEqual([true, false])
  // A signer in operation uses the new key from its next round on.
  const next = await owe(offRamp)
  await api.signer.sealAll()
  await payDue()
  expect(await Promise.all([owed, next].map(transfersOf))).toEqual([[{ requests: 1 }], [{ requests: 1 }]])
})
