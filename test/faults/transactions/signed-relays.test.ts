import { beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { startMoney } from '../../support/money/money-stories.ts'
import { first } from '../../support/runner/first.ts'
import { makeSigner } from '../../support/secrets/signer.ts'

/** The signer bounds what a relayer may spend, and one request that it cannot read keeps it from no other. */

const money = await startMoney()
const { api, rows } = money
const app = api.app.database
// A fill at 28 gwei costs 0.588 thousandths of a coin.
const signer = makeSigner(api.database, { SVC_BASE_MAX_FEE_GWEI: '100', SVC_BASE_GAS_PER_HOUR: '1' })
const gwei = 10n ** 9n
let relayer = ''

beforeAll(async () => {
  await api.signer.stop()
  relayer = first(
    await rows<{ address: string }>(
      `select address from svc.service_addresses where kind = 'EVM' and role = 'RELAYER' and retired_at is null`,
    ),
  ).address
})

/** Asks to fill a nonce, with the rights of a process. */
async function fill(nonce: number, version: number, gweiPerGas: bigint, network = 'BASE'): Promise<void> {
  await app.query({
    text: 'insert into svc.relay_nonces (network, relayer, nonce) values ($1, $2, $3) on conflict do nothing',
    values: [network, relayer, nonce],
  })
  await app.query({
    text: `insert into svc.relay_transactions (network, relayer, nonce, version, gas_limit, max_fee, tip)
           values ($1, $2, $3, $4, 21000, $5, 0)`,
    values: [network, relayer, nonce, version, gweiPerGas * gwei],
  })
}

async function decide(): Promise<void> {
  await signer.signAll()
  await signer.stop()
}

async function read(nonce: number, version: number) {
  return first(
    await rows<{ problem: string | null; isSigned: boolean; isRetried: boolean; refusals: number }>(
      `select problem, raw is not null as "isSigned", retry_at is not null as "isRetried", refusals
         from svc.relay_transactions where nonce = ${nonce} and version = ${version}`,
    ),
  )
}

const signed = { problem: null, isSigned: true, isRetried: false }

test('a replacement counts only for what it may cost more: one version of a nonce is executed', async () => {
  await fill(1, 1, 28n)
  await decide()
  await fill(1, 2, 40n)
  await fill(1, 3, 46n)
  await decide()
  expect([await read(1, 1), await read(1, 2), await read(1, 3)]).toMatchObject([signed, signed, signed])
})

test('a budget stops a transaction for a while: the same version is signed once there is room', async () => {
  await fill(2, 1, 28n)
  await decide()
  const stopped = { problem: 'GAS_PER_HOUR', isSigned: false, isRetried: true }
  expect(await read(2, 1)).toMatchObject({ ...stopped, refusals: 1 })
  await decide()
  expect(await read(2, 1)).toMatchObject({ ...stopped, refusals: 1 })
  const owner = openDatabase({ connection: api.database.owner })
  const retry = `update svc.relay_transactions set retry_at = clock_timestamp() where retry_at is not null`
  await owner.query({ text: retry })
  await decide()
  expect(await read(2, 1)).toMatchObject({ ...stopped, refusals: 2 })
  await owner.query({ text: `update svc.relay_transactions set decided_at = decided_at - interval '1 hour'` })
  await owner.query({ text: retry })
  await owner.close()
  await decide()
  expect(await read(2, 1)).toMatchObject(signed)
})

test('a request that the signer fails to read gets a problem, and the others their signatures', async () => {
  await fill(3, 1, 1n, 'NOWHERE')
  await fill(4, 1, 1n)
  await decide()
  expect(await read(3, 1)).toMatchObject({ problem: expect.stringContaining('the signer failed'), isSigned: false })
  expect(await read(4, 1)).toMatchObject(signed)
})
