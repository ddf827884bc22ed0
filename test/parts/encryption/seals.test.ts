import { expect, test } from 'vitest'
import { createSealService } from '../../../src/custody/seals.ts'
import { custodyChecks } from '../../../src/custody/store.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { verify } from '../../../src/db/verify.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { SealedObligation } from '../../../src/lib/seals/content.ts'
import { writeObligation } from '../../../src/lib/seals/content.ts'
import { keyIdOfSeal, openSealingKey, sealContent } from '../../../src/lib/seals/seal.ts'
import { sealDestinations } from '../../../src/signer/seal-store.ts'
import { createSealer } from '../../../src/signer/sealer.ts'
import { createSealingKeyService } from '../../../src/signer/sealing-keys.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const database = await makeDatabase()
const obligation: SealedObligation = {
  organizationId: newId(),
  payoutId: newId(),
  transactionId: newId(),
  depositId: null,
  customerId: newId(),
  purpose: 'PAYOUT',
  method: 'ACH',
  asset: 'USD',
  amount: '100',
  paymentAccountId: newId(),
  detailsVersion: 1,
  fromWalletId: null,
  paysFrom: 'usd-main',
  heldAt: null,
  isReleased: false,
}
const keysOf = (signerKey: Buffer) => createSealingKeyService({ database: openForTest(database.signer), signerKey })
const seal = async (signerKey: Buffer) =>
  sealContent((await keysOf(signerKey).openOrCreate()).inUse, writeObligation(obligation))
const isSealed = (made: Buffer) =>
  createSealService({ database: openForTest(database.app) }).isObligationSealed({ ...obligation, seal: made })
const first = Buffer.alloc(32, 1)
const second = Buffer.alloc(32, 2)

async function asOwner(text: string): Promise<void> {
  const owner = openDatabase({ connection: database.owner })
  await owner.query({ text })
  await owner.close()
}

test('concurrent first starts make one key, and a restarted signer uses it', async () => {
  const opened = await Promise.all([1, 2, 3, 4].map(() => keysOf(first).openOrCreate()))
  expect(new Set(opened.map(({ inUse }) => inUse.keyId)).size).toBe(1)
  expect(await isSealed(await seal(first))).toBe(true)
})

test('after the signer key was replaced, the next sealing key is made and seals of the former one stay valid', async () => {
  const [before, after] = [await seal(first), await seal(second)]
  expect(before.subarray(0, 9)).not.toEqual(after.subarray(0, 9))
  expect([await isSealed(before), await isSealed(after)]).toEqual([true, true])
})

test('the seal of a retired key, or of a key that the signer did not publish, is refused', async () => {
  const former = await seal(second)
  await seal(Buffer.alloc(32, 3))
  await asOwner('update svc.sealing_keys set retired_at = clock_timestamp() where replaced_at is not null')
  expect(await isSealed(former)).toBe(false)
  expect(await isSealed(sealContent(openSealingKey(Buffer.alloc(32, 9)), writeObligation(obligation)))).toBe(false)
})

test.each([
  [`insert into svc.sealing_keys (key_id, public_key, sealed_secret, signer_key_id) values ('a', '', '', '')`],
  ['update svc.sealing_keys set retired_at = null'],
  ['select sealed_secret from svc.sealing_keys'],
  [`update svc.payouts set seal = ''`],
  [`update svc.payment_accounts set seal = ''`],
  [`insert into svc.payouts (seal) values ('')`],
  [`insert into svc.payment_accounts (seal) values ('')`],
])('the API and the workers cannot run "%s"', async (text) => {
  await expect(openForTest(database.app).query({ text })).rejects.toThrow('permission denied')
})

test.each([
  ['update svc.payouts set amount = amount'],
  ['update svc.payment_accounts set address = address'],
  ['select sealed_profile from svc.payment_accounts'],
  ['select customer_id from svc.customers'],
])('the signer cannot run "%s"', async (text) => {
  await expect(openForTest(database.signer).query({ text })).rejects.toThrow('permission denied')
})

async function insertAccount(): Promise<{ organizationId: string; id: string }> {
  const [organizationId, id] = [newId(), newId()]
  await asOwner(`insert into svc.payment_accounts (organization_id, payment_account_id, customer_id, payment_account_type,
                   status, is_third_party, currency, payment_method, data_key_id, sealed_profile, details_version,
                   requested_at, created_at)
                 values ('${organizationId}', '${id}', gen_random_uuid(), 'EXTERNAL_BANK_ACCOUNT', 'ACTIVE', false, 'USD',
                   'ACH', gen_random_uuid(), '', 3, svc.now(), svc.now())`)
  return { organizationId, id }
}

test('a signer that has read former coordinates does not seal the present ones', async () => {
  const { organizationId, id } = await insertAccount()
  const signers = openForTest(database.signer)
  const writeSeal = async (detailsVersion: number) => {
    const outcome = { organizationId, id, detailsVersion, problem: null, recheckInSeconds: 60 }
    await signers.inTx((tx) => sealDestinations(tx, [{ ...outcome, seal: Buffer.from([detailsVersion]) }]))
    const text = 'select seal from svc.payment_accounts where payment_account_id = $1'
    return signers.query({ text, values: [id] })
  }
  expect(await writeSeal(2)).toEqual([{ seal: null }])
  expect(await writeSeal(3)).toEqual([{ seal: Buffer.from([3]) }])
})

test('a signer whose key another one replaces seals with the new key in its next round', async () => {
  const sealingKeys = keysOf(Buffer.alloc(32, 5))
  const signers = openForTest(database.signer)
  const sealer = createSealer({ database: signers, sealingKeys, openSeeds: async () => [], onProblem: () => {} })
  await sealer.sealDue()
  const { id } = await insertAccount()
  await asOwner(`insert into svc.payouts (organization_id, payout_id, purpose, method, asset, amount, pays_from, status, created_at)
                 values (gen_random_uuid(), gen_random_uuid(), 'REBALANCE', 'BASE', 'USDC/BASE', 1, 'TREASURY', 'WAITING', svc.now())`)
  const { inUse } = await sealingKeys.replace()
  const readSeal = () =>
    signers.query<{ seal: Buffer | null }>({
      text: 'select seal from svc.payment_accounts where payment_account_id = $1',
      values: [id],
    })
  await sealer.sealDue()
  expect(await readSeal()).toEqual([{ seal: null }])
  await sealer.sealDue()
  const [{ seal: made } = { seal: null }] = await readSeal()
  expect(made && keyIdOfSeal(made)).toBe(inUse.keyId)
})

test('the check of grants finds a process that may write seals', async () => {
  const app = openForTest(database.app)
  const violations = async () => (await verify(app, custodyChecks)).checks.flatMap((check) => check.violations)
  expect(await violations()).toEqual([])
  await asOwner(`grant update (seal) on svc.payouts to svc_app; grant insert (seal) on svc.payment_accounts to svc_app`)
  expect(await violations()).toEqual(['svc_app may insert payment_accounts.seal', 'svc_app may update payouts.seal'])
})
