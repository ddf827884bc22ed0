import { expect, test } from 'vitest'
import { reviveTransfers } from '../../../src/chains/solana/payouts/death-store.ts'
import { readTransfersOf } from '../../../src/chains/solana/payouts/store.ts'
import { readClock } from '../../../src/db/business-clock.ts'
import { newId } from '../../../src/lib/ids.ts'
import { referenceKeyOf } from '../../../src/lib/solana/transfer.ts'
import { startSolanaRail } from '../../support/chains/solana-rail-world.ts'
import { advance } from '../../support/money/transactions.ts'
import { makeSolanaAddress } from '../../support/money/wallet-addresses.ts'
import { importServiceSeed } from '../../support/money/wallets.ts'
import { testRail } from '../../support/rails/rail-contract.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'

/** The rail of Solana keeps the promises of the port, with a real signer and a real runtime. */
const world = await startSolanaRail()
const { api, app, chains, owner, client, rail, worker, commit, call, makeOrder, expire, upkeep, paidAfterDeath } = world
const { transfersOf, prepare, attemptAgain, askSigner, payAfterDeath, pauseSlots } = world

testRail('Solana', () => ({
  rail: worker,
  makeOrder,
  now: async () => (await readClock(app.database)).now,
  pass: async (seconds) => {
    await eventually(async () => {
      await upkeep()
      const open = await app.database.query({
        text: `select from svc.solana_transfers where state = 'OPEN' and sends > 0`,
      })
      expect(open).toEqual([])
    })
    await advance(api, `PT${seconds}S`)
    await expire()
  },
  countPayments: async (reference) => {
    // Every transaction of an obligation names its key.
    const named = await client.rpc.getSignaturesForAddress(referenceKeyOf(reference) as never).send()
    return named.filter(({ err }) => err === null).length
  },
}))

const mayPay = 'an earlier transaction may still pay, or has paid'

test('a signature without committed bytes is used by the next attempt, and no second one is made', async () => {
  await pauseSlots()
  const prepared = await prepare()
  expect((await attemptAgain(prepared)).keys).toEqual([first(prepared.batch.items).key])
  expect(await transfersOf(prepared.reference)).toHaveLength(1)
})

test('committed bytes that have not expired: the next attempt waits, and the signer refuses a second signature', async () => {
  await pauseSlots()
  const prepared = await prepare()
  await commit(rail, prepared.batch)
  const { keys, declined } = await attemptAgain(prepared)
  expect(keys).toEqual([])
  expect(declined).toMatchObject([{ outcome: 'NOT_NOW', why: 'an earlier transaction may still pay' }])
  expect(await askSigner(prepared.reference)).toBe(mayPay)
  // Without the proof, the end of the blockhash changes nothing.
  await expire()
  expect(await askSigner(prepared.reference)).toBe(mayPay)
  expect(await prepared.ask()).toMatchObject({
    state: 'DEAD',
    proof: expect.stringContaining('is unknown at the final'),
  })
  await eventually(async () => expect(await askSigner(prepared.reference)).toBe(null))
})

test('a transaction that paid is never followed by a second one', async () => {
  const prepared = await prepare()
  await worker.submit(prepared.batch, call())
  await eventually(async () => {
    await upkeep()
    expect(await prepared.ask()).toMatchObject({ state: 'CONFIRMED' })
  })
  await expire()
  expect(await askSigner(prepared.reference)).toBe(mayPay)
})

test('no process can turn a transaction that has ended into a dead one, or change how it ended', async () => {
  const prepared = await prepare()
  await worker.submit(prepared.batch, call())
  await eventually(async () => {
    await upkeep()
    expect(await transfersOf(prepared.reference)).toMatchObject([{ state: 'FINAL' }])
  })
  const forge = (change: string) =>
    app.database.query({
      text: `update svc.solana_transfers set ${change} where payout_id = $1 returning transfer_id`,
      values: [prepared.reference],
    })
  const dead = `state = 'DEAD', height = last_valid_block_height + 1, is_successful = null, fee = null, rent = null`
  expect(await forge(dead)).toEqual([])
  expect(await forge('is_successful = false')).toEqual([])
  expect(await transfersOf(prepared.reference)).toMatchObject([{ state: 'FINAL' }])
  await expire()
  expect(await askSigner(prepared.reference)).toBe(mayPay)
})

test('no process can invent the end of a transaction: the signer asks the nodes itself', async () => {
  const paid = await prepare()
  await payAfterDeath(paid)
  expect(await askSigner(paid.reference)).toBe(mayPay)
  await pauseSlots()
  const open = await prepare()
  await app.database.query({
    text: `update svc.solana_transfers set state = 'DEAD', height = last_valid_block_height + 1, slot = 1,
                  settled_at = clock_timestamp()
            where payout_id = $1`,
    values: [open.reference],
  })
  expect(await askSigner(open.reference)).toBe(mayPay)
  const failed = await prepare()
  await app.database.query({
    text: `update svc.solana_transfers set state = 'FINAL', is_successful = false, fee = 1, rent = 0, slot = 1,
                  settled_at = clock_timestamp()
            where payout_id = $1`,
    values: [failed.reference],
  })
  expect(await askSigner(failed.reference)).toBe(mayPay)
  await expire()
  await eventually(async () => expect(await askSigner(open.reference)).toBe(null))
})

test('a last valid block that a request forges makes no transaction dead while its blockhash is valid', async () => {
  await pauseSlots()
  const { reference } = await prepare()
  await owner.query({
    text: 'update svc.solana_transfers set last_valid_block_height = 1 where payout_id = $1',
    values: [reference],
  })
  const [transfer] = await readTransfersOf(app.database, [reference])
  if (!transfer) throw new Error('it has no transfer')
  const { blockhash, signature } = transfer
  const death = {
    blockhash,
    signature: signature ?? '',
    lastValidBlockHeight: 1n,
    reference: referenceKeyOf(reference),
  }
  expect(await app.chains.solana?.findDeath(death)).toBeUndefined()
  await expire()
  expect(await app.chains.solana?.findDeath(death)).toMatchObject({ height: expect.any(BigInt) })
})

test('a proof that does not go past the last valid block cannot be written', async () => {
  const { reference } = await prepare()
  const forge = (height: string) =>
    app.database.query({
      text: `update svc.solana_transfers set state = 'DEAD', height = ${height}, slot = 1, settled_at = clock_timestamp()
              where payout_id = $1`,
      values: [reference],
    })
  await expect(forge('last_valid_block_height')).rejects.toThrow(/violates check constraint/)
})

test('a transaction that counted as dead and is in a block is the next attempt itself: it is confirmed, without an alarm', async () => {
  const prepared = await prepare()
  const signature = await payAfterDeath(prepared)
  expect(await attemptAgain(prepared)).toEqual({ keys: [first(prepared.batch.items).key], declined: [] })
  await eventually(async () => {
    await upkeep()
    expect(await transfersOf(prepared.reference)).toMatchObject([{ state: 'FINAL', signature }])
  })
  expect(await prepared.ask()).toMatchObject({ state: 'CONFIRMED', externalReference: signature })
  expect(paidAfterDeath).toEqual([])
  // So it is when the upkeep has ended it before the next attempt.
  expect((await attemptAgain(prepared)).keys).toEqual([first(prepared.batch.items).key])
})

test('a transaction that counted as dead and paid a payout with another outcome is reported', async () => {
  const prepared = await prepare()
  const signature = await payAfterDeath(prepared)
  expect((await attemptAgain(prepared)).keys).toHaveLength(1)
  await owner.query({
    text: `update svc.payouts set status = 'REFUSED', due_at = null, resolved_at = svc.now() where payout_id = $1`,
    values: [prepared.reference],
  })
  await eventually(async () => {
    await upkeep()
    expect(paidAfterDeath).toEqual([signature])
  })
})

test('an operator cannot withdraw a payout whose transaction counted as dead and is in a block', async () => {
  const prepared = await prepare()
  await payAfterDeath(prepared)
  expect(await rail.withdraw?.(prepared.order, [], call())).toBe(false)
  expect(await transfersOf(prepared.reference)).toMatchObject([{ state: 'OPEN' }])
  const dead = await prepare()
  await commit(rail, dead.batch)
  await expire()
  expect(await dead.ask()).toMatchObject({ state: 'DEAD' })
  // A node that is behind does not prove it anew.
  await chains.control.fault('SOLANA', { kind: 'stale_head', calls: 1_000 })
  expect(await rail.withdraw?.(dead.order, [], call()).catch(() => false)).toBe(false)
  await chains.control.clearFaults('SOLANA')
  expect(await rail.withdraw?.(dead.order, [], call())).toBe(true)
})

test('a payout is not refused while a transaction that counted as dead is in a block', async () => {
  const prepared = await prepare()
  const signature = await payAfterDeath(prepared)
  expect(await prepared.ask()).toMatchObject({ state: 'PENDING' })
  expect(await prepared.ask()).toMatchObject({ state: 'CONFIRMED', externalReference: signature })
})

test('for an hour, the upkeep asks once more about transactions that are dead', async () => {
  const prepared = await prepare()
  await payAfterDeath(prepared)
  const diedBefore = (interval: string) =>
    owner.query({
      text: `update svc.solana_transfers set settled_at = clock_timestamp() - $2::interval where payout_id = $1`,
      values: [prepared.reference, interval],
    })
  for (const interval of ['1 second', '2 hours']) {
    await diedBefore(interval)
    await upkeep()
    expect(await transfersOf(prepared.reference)).toMatchObject([{ state: 'DEAD' }])
  }
  await diedBefore('1 minute')
  await upkeep()
  expect(await transfersOf(prepared.reference)).toMatchObject([{ state: 'FINAL' }])
})

test('an old reading revives no later death, and nothing leaves while another transaction may pay', async () => {
  const prepared = await prepare()
  const signature = await payAfterDeath(prepared)
  const [read] = await readTransfersOf(app.database, [prepared.reference])
  if (!read) throw new Error('it has no transfer')
  await owner.query({
    text: 'update svc.solana_transfers set height = height + 1 where payout_id = $1',
    values: [prepared.reference],
  })
  await reviveTransfers(app.database, [read])
  expect(await transfersOf(prepared.reference)).toMatchObject([{ state: 'DEAD' }])
  // Two workers: the nodes of one do not have it, and those of the other have it a moment later.
  const second = await prepare()
  await owner.query({
    text: 'update svc.solana_transfers set payout_id = $2 where payout_id = $1',
    values: [second.reference, prepared.reference],
  })
  await reviveTransfers(app.database, await readTransfersOf(app.database, [prepared.reference]))
  const [outcome] = await rail.submit(second.batch, call())
  expect(outcome).toMatchObject({ outcome: 'UNKNOWN', why: expect.stringContaining('another transaction') })
  const [, late] = await transfersOf(prepared.reference)
  const { value } = await client.rpc.getSignatureStatuses([late?.signature as never]).send()
  expect([value, signature]).toEqual([[null], expect.any(String)])
})

test('what goes back to a sender waits until it has a token account: we pay for none', async () => {
  const notAfter = new Date((await readClock(app.database)).now.getTime() + 600_000)
  const destination = { type: 'ADDRESS', address: makeSolanaAddress() } as const
  for (const purpose of ['RETURN', 'REFUND'] as const) {
    const order = { ...makeOrder(), purpose, destination, reference: newId(), shortReference: 'none', notAfter }
    const { batches, declined } = await rail.prepare([order], call())
    expect(batches).toEqual([])
    expect(declined).toMatchObject([{ outcome: 'NOT_NOW', why: expect.stringContaining('no token account') }])
    expect(await transfersOf(order.reference)).toEqual([])
  }
})

test('a node that is behind, or does not know the transaction, proves no death', async () => {
  const { reference, batch, ask } = await prepare()
  await worker.submit(batch, call())
  await eventually(async () => expect(await ask()).toMatchObject({ state: 'CONFIRMED' }))
  await chains.control.fault('SOLANA', { kind: 'null_receipt', calls: 1 })
  expect((await ask()).state).not.toBe('DEAD')
  await expire()
  await chains.control.fault('SOLANA', { kind: 'null_receipt', calls: 2 })
  expect((await ask()).state).not.toBe('DEAD')
  await chains.control.clearFaults('SOLANA')
  expect(await transfersOf(reference)).toMatchObject([{ state: 'OPEN' }])
  expect(await ask()).toMatchObject({ state: 'CONFIRMED' })
})

test('two batches at the same time promise the tokens of a former treasury once', async () => {
  const former = (await app.custody.findServiceAddress('SOLANA', 'TREASURY')) ?? ''
  await importServiceSeed(api)
  const successor = (await app.custody.findServiceAddress('SOLANA', 'TREASURY')) ?? ''
  const [open] = await owner.query<{ promised: string }>({
    text: `select coalesce(sum(value), 0)::text as promised from svc.solana_transfers where state = 'OPEN'`,
  })
  const left = BigInt(open?.promised ?? 0) + 1_500n
  const drained = String((await client.balanceOf(former)) - left)
  const burn = { key: newId(), currency: 'USDC', act: 'burn', account: former, amount: drained } as const
  await chains.control.administer('SOLANA', burn)
  await eventually(async () => expect(await client.balanceOf(former)).toBe(left))
  const made = await Promise.all([prepare(), prepare()])
  const senders = await owner.query<{ sender: string }>({
    text: 'select from_address as sender from svc.solana_transfers where payout_id = any($1)',
    values: [made.map(({ reference }) => reference)],
  })
  expect(senders.map(({ sender }) => sender).toSorted()).toEqual([former, successor].toSorted())
})
