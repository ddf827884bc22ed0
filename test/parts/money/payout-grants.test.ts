import { expect, test } from 'vitest'
import { appRole, openDatabase } from '../../../src/db/database.ts'
import { grantChecks } from '../../../src/db/grants.ts'
import { verify } from '../../../src/db/verify.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const database = await makeDatabase()
const app = () => openForTest(database.app)

test.each([
  // table, columns that no process may change
  ['payouts', 'amount'],
  ['payouts', 'asset'],
  ['payouts', 'method'],
  ['payouts', 'customer_id'],
  ['payouts', 'payment_account_id'],
  ['payouts', 'purpose'],
  ['payouts', 'transaction_id'],
  ['payouts', 'deposit_id'],
  ['payouts', 'from_wallet_id'],
  ['payouts', 'pays_from'],
  ['payouts', 'held_at'],
  ['payouts', 'is_released'],
  ['payment_accounts', 'address'],
  ['payment_accounts', 'customer_id'],
  ['payment_accounts', 'payment_account_type'],
  ['payment_accounts', 'currency'],
  ['payment_accounts', 'payment_method'],
  ['payment_accounts', 'status'],
  ['payment_accounts', 'account_hash'],
  ['payment_accounts', 'sealed_details'],
  ['payment_accounts', 'data_key_id'],
  ['deposits', 'amount'],
  ['deposits', 'asset'],
  ['deposits', 'method'],
  ['deposits', 'external_id'],
  ['deposits', 'customer_id'],
  ['deposits', 'held_at'],
  ['bank_account_rails', 'bank_account_id'],
  ['sightings', 'amount'],
  ['sightings', 'asset'],
  ['sightings', 'external_id'],
  ['sightings', 'message'],
  ['transactions', 'customer_id'],
  ['transactions', 'source_payment_account_id'],
  ['transactions', 'source_amount'],
  ['transactions', 'destination_payment_account_id'],
  ['transactions', 'destination_asset'],
])('the API and the workers cannot change %s.%s', async (table, column) => {
  const change = app().query({ text: `update svc.${table} set ${column} = ${column}` })
  await expect(change).rejects.toThrow(`permission denied for table ${table}`)
})

test('the check of grants finds a grant that is too wide', async () => {
  const checked = app()
  const violations = async () => (await verify(checked, grantChecks)).checks.flatMap((check) => check.violations)
  expect(await violations()).toEqual([])
  const owner = openDatabase({ connection: database.owner })
  await owner.query({
    text: `grant update (amount) on svc.payouts to ${appRole}; grant update on svc.sightings to ${appRole}`,
  })
  await owner.close()
  const found = await violations()
  expect(found).toContain('svc_app may update payouts.amount')
  expect(found).toContain('svc_app may update sightings.message')
})
