import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { clientConfig } from '../../../src/db/database.ts'
import { depositToWallet } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

/** Violations of one organization must not hide those of another one, or of another asset. */
const api = await startApi()
const { checks, ledger, database } = api.app
const superuser = new pg.Client(clientConfig({ connection: api.database.owner }))
await superuser.connect()
afterAll(() => superuser.end())
const noisy = '00000000-0000-7000-8000-000000000001'
const name = 'reserved amounts are the sum of open reserves'

async function violate(organizationId: string, asset: string, count: number) {
  const wallets = Array.from({ length: count }, () => newId())
  await database.inTx((tx) =>
    ledger.post(
      tx,
      wallets.map((paymentAccountId) => ({
        organizationId,
        reference: `test:${newId()}`,
        ...depositToWallet({ paymentAccountId, asset, amount: 100n }),
      })),
    ),
  )
  await superuser.query('update svc.ledger_accounts set reserved = 1 where organization_id = $1 and holder = any($2)', [
    organizationId,
    wallets,
  ])
}
const isHalted = async (asset: string) => (await ledger.readHalts(database)).isHalted(asset)
const proof = async () => {
  const { body } = await api.get('/ledger/check')
  return (body as { checks: { name: string }[] }).checks.find((each) => each.name === name)
}

test('the violation of our organization is found by the worker beside 100 of another one', async () => {
  const { body } = await api.get('/organizations')
  const own = first(body.organizations).organizationId
  await checks.register()
  await checks.checkQuickly()
  while ((await checks.checkFully()).hasMore);
  expect(await isHalted('USDC/SOLANA')).toBe(false)
  await violate(noisy, 'USDC/BASE', 100)
  await violate(own, 'USDC/SOLANA', 1)
  await checks.checkQuickly()
  await superuser.query('update svc.checks set due_at = now()')
  while ((await checks.checkFully()).hasMore);
  const worker = { halted: [await isHalted('USDC/BASE'), await isHalted('USDC/SOLANA')], proof: await proof() }
  await api.app.verify()
  const command = { halted: [await isHalted('USDC/BASE'), await isHalted('USDC/SOLANA')], proof: await proof() }
  expect(worker.halted).toEqual([true, true])
  expect(command.halted).toEqual([true, true])
  expect(command.proof).toMatchObject({ state: 'VIOLATED' })
})
