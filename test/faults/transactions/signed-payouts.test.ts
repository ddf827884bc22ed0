import { recoverTypedDataAddress, type TypedData } from 'viem'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { nonceOf } from '../../../src/lib/evm/authorization.ts'
import { newId } from '../../../src/lib/ids.ts'
import { resumeSigning, stopSigning } from '../../../src/signer/signing/service.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { first } from '../../support/runner/first.ts'
import { makeSigner } from '../../support/secrets/signer.ts'

/** The signer signs what it derives from a sealed obligation, within its limits, and nothing that a process asks for. */

const money = await startMoney()
const { api, rows, wallet, external, offRamp } = money
await api.signer.stop()
const { customerId } = offRamp
const { advanceAll } = takeOver(money, {})
const limited = makeSigner(api.database, {
  SVC_SIGNER_LIMIT_PER_TRANSACTION: '100',
  SVC_SIGNER_LIMIT_PER_HOUR: '150',
  SVC_SIGNER_LIMIT_PER_DAY: '200',
})
const app = api.app.database

async function asOwner(text: string): Promise<void> {
  const owner = openDatabase({ connection: api.database.owner })
  await owner.query({ text }).finally(() => owner.close())
}

/** A sealed payout to an external wallet, whose attempt has begun. */
async function begin(amount = '10'): Promise<string> {
  const wish = { customerId, from: [wallet, 'USDC', 'BASE', amount], to: [external, 'USDC', 'BASE'] } as const
  const { transactionId } = first(await createMany(money, wish, 1))
  await untilIdle(advanceAll)
  await api.signer.sealAll()
  await api.signer.stop()
  const { payoutId } = first(
    await rows<{ payoutId: string }>(
      `update svc.payouts set status = 'SENDING', attempts = 1 where transaction_id = '${transactionId}'
       returning payout_id as "payoutId"`,
    ),
  )
  return payoutId
}

type Decision = { problem: string | null; signature: Buffer | null; to: string; from: string; value: string }

/** Asks for a signature with the rights of a process. */
async function ask(payoutId: string, { attempt = 1, validFor = 600 } = {}): Promise<string> {
  const authorizationId = newId()
  await app.query({
    text: `insert into svc.transfer_authorizations
                  (authorization_id, payout_organization_id, payout_id, attempt, valid_before, after_block)
           select $1, organization_id, payout_id, $3, extract(epoch from svc.now())::bigint + $4, 0
             from svc.payouts where payout_id = $2`,
    values: [authorizationId, payoutId, attempt, validFor],
  })
  return authorizationId
}

async function read(authorizationId: string): Promise<Decision> {
  return first(
    await rows<Decision>(
      `select problem, signature, to_address as "to", from_address as "from", value::text from svc.transfer_authorizations
        where authorization_id = '${authorizationId}'`,
    ),
  )
}

async function decide(payoutId: string, signer = api.signer, options = {}): Promise<Decision> {
  const authorizationId = await ask(payoutId, options)
  await signer.signAll()
  await signer.stop()
  return read(authorizationId)
}

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const satisfies TypedData

test('the signature is of the wallet that pays, over the sealed receiver and amount', async () => {
  const payoutId = await begin()
  const { signature, from, to, value, problem } = await decide(payoutId)
  expect(problem).toBeNull()
  const accounts = await rows<{ id: string; address: string }>(
    'select payment_account_id as id, address from svc.payment_accounts where address is not null',
  )
  const addressOf = (id: string) => accounts.find((account) => account.id === id)?.address
  expect([from, to]).toEqual([addressOf(wallet), addressOf(external)])
  const [stored] = await rows<{ validBefore: string; amount: string }>(
    `select valid_before as "validBefore", amount from svc.transfer_authorizations
       join svc.payouts using (payout_id) where payout_id = '${payoutId}'`,
  )
  expect(value).toBe(stored?.amount)
  const signedBy = await recoverTypedDataAddress({
    domain: {
      name: 'USDC',
      version: '2',
      chainId: 84_532,
      verifyingContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    },
    types,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as `0x${string}`,
      to: to as `0x${string}`,
      value: BigInt(value),
      validAfter: 0n,
      validBefore: BigInt(stored?.validBefore ?? 0),
      nonce: nonceOf(payoutId),
    },
    signature: `0x${signature?.toString('hex')}`,
  })
  expect(signedBy).toBe(from)
})

test('a second authorization waits until the first is over, and until the attempt that has it is proven dead', async () => {
  const payoutId = await begin()
  const signed = await ask(payoutId)
  await api.signer.signAll()
  expect((await read(signed)).signature).not.toBeNull()
  const refusal = { signature: null, problem: 'an earlier authorization may still be used' }
  expect(await decide(payoutId)).toMatchObject(refusal)
  const expire = `update svc.transfer_authorizations set valid_before = 1 where authorization_id = '${signed}'`
  await asOwner(`insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
                 values ('${signed}', 'x', '', svc.now(), svc.now())`)
  await asOwner(`insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
                 select organization_id, payout_id, 1, '${signed}', '${signed}' from svc.payouts where payout_id = '${payoutId}'`)
  await asOwner(expire)
  await asOwner(`update svc.payouts set attempts = 2 where payout_id = '${payoutId}'`)
  expect(await decide(payoutId, api.signer, { attempt: 2 })).toMatchObject(refusal)
  await asOwner(`insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
                 select organization_id, payout_id, 1, svc.now(), 'DEAD' from svc.payouts where payout_id = '${payoutId}'`)
  expect((await decide(payoutId, api.signer, { attempt: 2 })).problem).toBeNull()
})

test('two requests for one payout in one batch get one signature', async () => {
  const payoutId = await begin()
  const asked = [await ask(payoutId), await ask(payoutId)]
  await api.signer.signAll()
  await api.signer.stop()
  const decided = await Promise.all(asked.map(read))
  expect(decided.filter(({ signature }) => signature !== null)).toHaveLength(1)
})

const payout = (change: string) => (id: string) => `update svc.payouts set ${change} where payout_id = '${id}'`

// biome-ignore format: a table is read by column
test.each<[string, (id: string) => string, string, object?]>([
  ['an attempt that is over',      payout(`status = 'SENT'`),                      'its attempt is over'],
  ['another attempt',              payout('attempts = 2'),                         'its attempt is over'],
  ['an altered amount',            payout('amount = amount - 1'),                  'owes something else'],
  ['an altered release',           payout('is_released = true'),                   'the seal of the obligation is wrong'],
  ['a smaller reserve',            (id) => `update svc.reserves set amount = amount + 1 where reference = (select format('transaction:%s:source', transaction_id) from svc.payouts where payout_id = '${id}')`, 'its money is not reserved'],
  ['a payout that was paid',       (id) => `insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome) select organization_id, payout_id, 1, svc.now(), 'CONFIRMED' from svc.payouts where payout_id = '${id}'`, 'withdrawn, refused or paid'],
  ['a payout that was withdrawn',  (id) => `insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome) select organization_id, payout_id, 1, svc.now(), 'WITHDRAWN' from svc.payouts where payout_id = '${id}'`, 'withdrawn, refused or paid'],
  ['a validity of a day',          () => 'select',                                 'its validity is too long', { validFor: 86_400 }],
  ['a validity that is over',      () => 'select',                                 'or over', { validFor: 0 }],
])('%s is not signed', async (_, change, problem, options = {}) => {
  const payoutId = await begin()
  await asOwner(change(payoutId))
  const decision = await decide(payoutId, api.signer, options)
  expect([decision.problem, decision.signature]).toEqual([expect.stringContaining(problem), null])
})

test('an altered address of the receiver is not signed', async () => {
  const payoutId = await begin()
  const set = (address: string) =>
    asOwner(`update svc.payment_accounts set address = '${address}' where payment_account_id = '${external}'`)
  const [before] = await rows<{ address: string }>(
    `select address from svc.payment_accounts where payment_account_id = '${external}'`,
  )
  await set(makeEvmAddress())
  expect((await decide(payoutId)).problem).toBe('the seal of its account is wrong')
  await set(before?.address ?? '')
})

test('limits hold per transaction, per hour and per day, inside one batch too', async () => {
  await asOwner('update svc.transfer_authorizations set counts = false where counts')
  const payouts = [await begin('101'), await begin('80'), await begin('80'), await begin('60')]
  const asked: string[] = []
  for (const id of payouts) asked.push(await ask(id))
  await limited.signAll()
  const problems = async () => Promise.all(asked.map(async (id) => (await read(id)).problem))
  expect(await problems()).toEqual(['LIMIT_PER_TRANSACTION', null, 'LIMIT_PER_HOUR', null])
  // An hour later: what was signed counts for its day, whether it was committed or not.
  await asOwner(`update svc.transfer_authorizations set decided_at = decided_at - interval '1 hour' where counts`)
  expect((await decide(payouts[2] ?? '', limited)).problem).toBe('LIMIT_PER_DAY')
  await asOwner(`update svc.transfer_authorizations set decided_at = decided_at - interval '1 day' where counts`)
  expect((await decide(payouts[2] ?? '', limited)).problem).toBeNull()
})

test('a stop ends all signatures at once, until it is resumed', async () => {
  const payoutId = await begin()
  const operator = openDatabase({ ...api.database.signer, connections: 1 })
  await stopSigning(operator, 'a test', 'ada')
  const authorizationId = await ask(payoutId)
  await api.signer.signAll()
  expect(await read(authorizationId)).toMatchObject({ problem: null, signature: null })
  expect(await resumeSigning(operator, 'ada')).toBe(1)
  await api.signer.signAll()
  expect((await read(authorizationId)).signature).not.toBeNull()
  await api.signer.stop()
  await operator.close()
})

test('no process can write a signature, change a request or stop the signer; the signer can ask for nothing', async () => {
  const refused = (statement: Promise<unknown>) => expect(statement).rejects.toThrow(/permission denied/)
  const asSigner = openDatabase({ ...api.database.signer, connections: 1 })
  for (const text of [
    `update svc.transfer_authorizations set signature = ''`,
    `update svc.transfer_authorizations set valid_before = 1`,
    `update svc.transfer_authorizations set payout_id = authorization_id`,
    `insert into svc.transfer_authorizations (authorization_id, signature) values (gen_random_uuid(), '')`,
    `update svc.relay_transactions set raw = ''`,
    `update svc.relay_transactions set max_fee = 1`,
    `insert into svc.signing_stops (stop_id, reason, stopped_by) values (gen_random_uuid(), 'x', 'x')`,
    `delete from svc.transfer_authorizations`,
  ])
    await refused(app.query({ text }))
  for (const text of [
    `insert into svc.transfer_authorizations (authorization_id) values (gen_random_uuid())`,
    `update svc.transfer_authorizations set valid_before = 1`,
    `insert into svc.relay_transactions (network) values ('BASE')`,
    `update svc.relay_transactions set gas_limit = 1`,
  ])
    await refused(asSigner.query({ text }))
  await asSigner.close()
})

/** Proves that the first attempt is dead, with committed bytes, and begins the second. */
async function die(payoutId: string, authorizationId: string): Promise<void> {
  await asOwner(`insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
                 values ('${authorizationId}', 'x', '', svc.now(), svc.now())`)
  await asOwner(`insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
                 select organization_id, payout_id, 1, '${authorizationId}', '${authorizationId}'
                   from svc.payouts where payout_id = '${payoutId}'`)
  await asOwner(`insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
                 select organization_id, payout_id, 1, svc.now(), 'DEAD' from svc.payouts where payout_id = '${payoutId}'`)
  await asOwner(`update svc.transfer_authorizations set valid_before = 1 where authorization_id = '${authorizationId}'`)
  await asOwner(`update svc.payouts set attempts = 2 where payout_id = '${payoutId}'`)
}

test('a payout keeps its first sender for ever: the nonce of another sender would be unused', async () => {
  const payoutId = await begin()
  const signed = await ask(payoutId)
  await api.signer.signAll()
  await die(payoutId, signed)
  const from = (address: string) =>
    asOwner(`update svc.transfer_authorizations set from_address = '${address}' where authorization_id = '${signed}'`)
  const { from: first } = await read(signed)
  await from(makeEvmAddress())
  const problem = 'an earlier authorization pays from another address'
  expect(await decide(payoutId, api.signer, { attempt: 2 })).toMatchObject({ problem, signature: null })
  await from(first)
  expect((await decide(payoutId, api.signer, { attempt: 2 })).problem).toBeNull()
})

test('an obligation waits while a refused one of the same transaction has a signature that is not over', async () => {
  const [refused, other] = [await begin(), await begin()]
  const signed = await ask(refused)
  await api.signer.signAll()
  await asOwner(payout(`status = 'REFUSED', resolved_at = svc.now()`)(refused))
  await asOwner(
    payout(`transaction_id = (select transaction_id from svc.payouts where payout_id = '${refused}')`)(other),
  )
  const waits = 'an authorization of a refused payout of its transaction or deposit may still be used'
  expect((await decide(other)).problem).toBe(waits)
  await asOwner(`update svc.transfer_authorizations set valid_before = 1 where authorization_id = '${signed}'`)
  expect((await decide(other)).problem).not.toBe(waits)
})

test('in production the signer judges validity by its own clock, which no process can move', async () => {
  const production = makeSigner(api.database, {}, 'production')
  const payouts = [await begin(), await begin()]
  const [signed, moved] = [await ask(payouts[0] ?? ''), await ask(payouts[1] ?? '', { validFor: 86_400 })]
  await app.query({ text: `update svc.clock set ahead = ahead + interval '1 day'` })
  await production.signAll()
  expect((await read(signed)).problem).toBeNull()
  expect((await read(moved)).problem).toContain('its validity is too long')
  await asOwner(`update svc.transfer_authorizations set valid_before = extract(epoch from clock_timestamp())::bigint - 60
                  where authorization_id = '${signed}'`)
  const again = await ask(payouts[0] ?? '', { validFor: 600 - 86_400 })
  await production.signAll()
  // Its time is over, but not by the margin: a network's clock may be late.
  expect((await read(again)).problem).toBe('an earlier authorization may still be used')
  await production.stop()
  await app.query({ text: `update svc.clock set ahead = ahead - interval '1 day'` })
})
