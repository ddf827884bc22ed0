import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import { advance, waitForTransaction } from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** A payout that an operator settles as refused is refunded. So its transfer must not leave any more. */
const world = await startPaying()
const { api, chains, rows, until } = world
const { control } = chains
const network = 'BASE'
const { pay, relaysOf, transfersTo, expectPaidOnce } = await tellPayouts(world, network)

/** Changes rows as no process may. */
async function force(change: string, payoutId?: string) {
  const owner = openDatabase({ connection: api.database.owner })
  const only = payoutId === undefined ? '' : ` where payout_id = '${payoutId}'`
  await owner.query({ text: `${change}${only}` })
  await owner.close()
}

test('an operator cannot refuse it while the chain may execute it; a refused transfer is replaced by a filled nonce', async () => {
  await control.pause(network)
  const paid = await pay()
  await until(async () => expect(first(await relaysOf(paid)).sends).toBeGreaterThan(0))
  const { payoutId } = first(
    await rows<{ payoutId: string }>('select payout_id as "payoutId" from svc.payouts where transaction_id = $1', [
      paid.transactionId,
    ]),
  )
  const wanted = { payoutId, outcome: 'refused', reference: 'x', reason: 'The network stands still' } as const
  expect(await api.app.manualSettlements.settle(wanted)).toEqual({ result: 'MAY_LEAVE' })
  // Nor as confirmed: nothing would look after the transaction.
  expect(await api.app.manualSettlements.settle({ ...wanted, outcome: 'confirmed' })).toEqual({ result: 'MAY_LEAVE' })
  // As if it had been settled all the same.
  await force(`update svc.payouts set status = 'REFUSED', due_at = null, resolved_at = svc.now()`, payoutId)
  await until(async () => expect((await relaysOf(paid)).at(-1)).toMatchObject({ version: 2, sends: 1 }))
  await control.resume(network)
  await until(async () => expect((await relaysOf(paid)).at(-1)).toMatchObject({ state: 'MINED', isSuccessful: false }))
  expect(await transfersTo(paid.to)).toEqual([])
  const next = await pay()
  await waitForTransaction(api, next, { transactionStatus: 'COMPLETED' })
  // A record that says paid, although the chain proves that it never was, is contradicted.
  await force(`update svc.payouts set status = 'CONFIRMED', reason = null`, payoutId)
  await advance(api, 'PT61M')
  await until(async () => {
    // The proof needs a final block after the end of the authorization. An earlier question comes to nothing.
    await force(`update svc.payouts set due_at = svc.now()`, payoutId)
    expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('1')
  })
})

test('authorizations that expire while no transaction arrives are filled, not broadcast, and the next attempt pays', async () => {
  await control.fault(network, { kind: 'drop_transaction', calls: 1_000 })
  const paid = [await pay(), await pay()]
  for (const attempts of [1, 2, 3]) {
    for (const each of paid) {
      await until(async () => {
        const sent = (await relaysOf(each)).filter(({ version, sends }) => version === 1 && sends > 0)
        expect(sent.length).toBeGreaterThanOrEqual(attempts)
      })
    }
    if (attempts < 3) await advance(api, 'PT61M')
  }
  await control.clearFaults(network)
  for (const each of paid) {
    await waitForTransaction(api, each, { transactionStatus: 'COMPLETED' })
    await expectPaidOnce(each)
  }
  expect(await rows('select revert_reason from svc.relay_nonces where revert_reason is not null')).toEqual([])
})

test('while the relayer has no coins, payouts wait without a nonce', async () => {
  const story = await tellPayouts(world, 'ARBITRUM')
  // The coins that the sandbox gives a new relayer do not arrive.
  await control.pause('ARBITRUM')
  const refused = await story.pay()
  const refusals = `select from svc.relay_transactions where network = 'ARBITRUM' and send_refusal = 'NO_FUNDS'`
  await until(async () => expect(await rows(refusals)).not.toEqual([]))
  await force(`update svc.relay_nonces set allocated_at = allocated_at - interval '2 minutes'`)
  const waiting = await story.pay()
  await until(async () => {
    const [payout] = await rows<object>(
      'select status, asks > 0 as "isPostponed" from svc.payouts where transaction_id = $1',
      [waiting.transactionId],
    )
    expect(payout).toEqual({ status: 'WAITING', isPostponed: true })
  })
  expect(await story.relaysOf(waiting)).toEqual([])
  await control.resume('ARBITRUM')
  await waitForTransaction(api, refused, { transactionStatus: 'COMPLETED' })
  await advance(api, 'PT2M')
  await waitForTransaction(api, waiting, { transactionStatus: 'COMPLETED' })
})

test('coins that another relayer lacks, or that an earlier version lacked, hold up no payout', async () => {
  // A transaction of a relayer that is no longer in use waits for coins, and nothing broadcasts it in this test.
  await force(`
    insert into svc.relay_nonces (network, relayer, nonce, allocated_at)
    values ('${network}', '0x00000000000000000000000000000000000000aa', 7, clock_timestamp() - interval '2 minutes')`)
  await force(`
    insert into svc.relay_transactions (network, relayer, nonce, version, gas_limit, max_fee, tip, requested_at, hash, raw,
           decided_at, sent_at, sends, send_refusal, send_problem)
    values ('${network}', '0x00000000000000000000000000000000000000aa', 7, 1, 21000, 1, 0,
           clock_timestamp() - interval '2 minutes', '0xaa', '\\xaa', clock_timestamp(),
           clock_timestamp() + interval '1 hour', 1, 'NO_FUNDS', 'insufficient funds')`)
  const paid = await pay()
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  await force(`delete from svc.relay_transactions where hash = '0xaa'`)
  await force(`delete from svc.relay_nonces where relayer = '0x00000000000000000000000000000000000000aa'`)
  // The first version of a waiting transaction was refused. The second one, with a higher fee, was not.
  await control.pause(network)
  const replaced = await pay()
  await until(async () => expect(first(await relaysOf(replaced)).sends).toBeGreaterThan(0))
  await control.fees(network, { multiplier: 50 })
  await until(async () => expect((await relaysOf(replaced)).at(-1)).toMatchObject({ version: 2, sends: 1 }))
  await force(`
    update svc.relay_transactions as version
       set send_refusal = 'NO_FUNDS', requested_at = version.requested_at - interval '2 minutes'
      from svc.relay_nonces as nonce
     where nonce.network = version.network and nonce.relayer = version.relayer and nonce.nonce = version.nonce
       and nonce.state = 'OPEN' and version.version = 1`)
  await force(`update svc.relay_nonces set allocated_at = allocated_at - interval '2 minutes'`)
  const next = await pay()
  await until(async () => expect(await relaysOf(next)).not.toEqual([]))
  await control.fees(network, { multiplier: 1 })
  await control.resume(network)
  for (const each of [replaced, next]) {
    await waitForTransaction(api, each, { transactionStatus: 'COMPLETED' })
    await expectPaidOnce(each)
  }
})
