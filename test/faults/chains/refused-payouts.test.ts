import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import { waitForTransaction } from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'

/** A payout that an operator settles as refused is refunded. So its transfer must not leave any more. */
const world = await startPaying()
const { api, chains, rows, until } = world
const { control } = chains
const network = 'BASE'
const { pay, relaysOf, transfersTo } = await tellPayouts(world, network)

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
  // As if it had been settled all the same.
  const owner = openDatabase({ connection: api.database.owner })
  const text = `update svc.payouts set status = 'REFUSED', due_at = null, resolved_at = svc.now() where payout_id = $1`
  await owner.query({ text, values: [payoutId] })
  await owner.close()
  await until(async () => expect((await relaysOf(paid)).at(-1)).toMatchObject({ version: 2, sends: 1 }))
  await control.resume(network)
  await until(async () => expect((await relaysOf(paid)).at(-1)).toMatchObject({ state: 'MINED', isSuccessful: false }))
  expect(await transfersTo(paid.to)).toEqual([])
  const next = await pay()
  await waitForTransaction(api, next, { transactionStatus: 'COMPLETED' })
})
