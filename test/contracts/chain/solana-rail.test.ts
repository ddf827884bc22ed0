import { afterAll, beforeAll, expect, test } from 'vitest'
import { readClock } from '../../../src/db/business-clock.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { referenceKeyOf } from '../../../src/lib/solana/transfer.ts'
import type { PayoutOrder, Rail } from '../../../src/transactions/payouts/rail.ts'
import { startLocalSolana } from '../../support/chains/local-chains.ts'
import { createObligations } from '../../support/chains/obligations.ts'
import { readSolana } from '../../support/chains/solana-world.ts'
import { advance } from '../../support/money/transactions.ts'
import { makeSolanaAddress } from '../../support/money/wallet-addresses.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { testRail } from '../../support/rails/rail-contract.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'

/** The rail of Solana keeps the promises of the port, with a real signer and a real runtime. */
const chains = await startLocalSolana()
const database = await makeDatabaseWithAddresses()
const api = await startApi({}, { database, chains })
const { app } = api
const owner = openDatabase({ connection: database.owner })
const rail = app.chainPayouts.rails.find(({ methods }) => methods.includes('SOLANA')) as Rail
const client = readSolana(chains.rpcUrls.SOLANA)
const reserve = makeSolanaAddress()
const amount = 1_000n
const { commit, workerOf } = createObligations({ owner, sealAll: api.signer.sealAll, network: 'SOLANA', amount })
const worker = workerOf(rail)

beforeAll(async () => {
  await owner.query({
    text: `insert into svc.reserve_addresses (kind, address, registered_by) values ('SOLANA', $1, 'a test')`,
    values: [reserve],
  })
  const treasury = (await app.custody.findServiceAddress('SOLANA', 'TREASURY')) ?? ''
  const gift = { key: 'treasury', address: treasury, currency: 'USDC', amount: '1000000' }
  await chains.control.faucet('SOLANA', gift)
  api.signer.start()
})
afterAll(() => owner.close())

const paidAfterDeath: string[] = []
const upkeep = () =>
  app.chainPayouts.upkeeps
    .find((each) => each.network === 'SOLANA')
    ?.keepUp({
      bookGas: async () => {},
      expedite: async () => {},
      report: async (_, { signature }) => paidAfterDeath.push(signature),
      onFailure: (error) => {
        if (!/was proven dead, and paid/.test(String(error))) throw error
      },
    })

const makeOrder = (): Omit<PayoutOrder, 'reference' | 'shortReference' | 'notAfter'> => ({
  purpose: 'REBALANCE',
  attempt: 1,
  amount,
  originator: { customerId: null, name: '' },
  memo: 'a test',
  method: 'SOLANA',
  asset: 'USDC/SOLANA',
  from: { type: 'TREASURY' },
  destination: { type: 'ADDRESS', address: reserve },
})

type Row = { transferId: string; state: string; signature: string | null; problem: string | null; attempt: number }
const transfersOf = (reference: string) =>
  owner.query<Row>({
    text: `select transfer_id as "transferId", state, signature, problem, attempt from svc.solana_transfers
            where payout_id = $1 order by requested_at`,
    values: [reference],
  })

/** Lets every blockhash of now expire in a final block. */
const expire = () => chains.control.mine('SOLANA', { blocks: 160 })

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

const call = () => ({ signal: new AbortController().signal })

async function prepare(notAfterMs = 600_000) {
  const notAfter = new Date((await readClock(app.database)).now.getTime() + notAfterMs)
  const reference = newId()
  const order: PayoutOrder = { ...makeOrder(), reference, shortReference: newId().slice(0, 15), notAfter }
  const batch = first((await worker.prepare([order], call())).batches)
  const { content, ...committed } = batch
  const attempt = { ...first(batch.items), ...committed, rail: rail.name, attempt: 1, content: async () => content }
  return { reference, order, batch, ask: () => rail.ask(order, [attempt], call()) }
}

/** Begins another attempt, as if the worker believed that the first one were dead. */
async function attemptAgain({ reference, order }: Awaited<ReturnType<typeof prepare>>) {
  await owner.query({ text: 'update svc.payouts set attempts = 2 where payout_id = $1', values: [reference] })
  const { batches, declined } = await rail.prepare([{ ...order, attempt: 2 }], call())
  return { keys: batches.flatMap(({ items }) => items.map(({ key }) => key)), declined }
}

/** Asks the signer for a second transaction, past the rail. */
async function askSigner(reference: string): Promise<string | null> {
  const transferId = newId()
  const { value } = await client.rpc.getLatestBlockhash().send()
  await owner.query({
    text: `insert into svc.solana_transfers (transfer_id, payout_organization_id, payout_id, attempt, treasury_address,
                  relayer, blockhash, last_valid_block_height, compute_unit_price)
           select $1, payout_organization_id, payout_id, (select attempts from svc.payouts where payout_id = $2),
                  treasury_address, relayer, $3, $4, compute_unit_price
             from svc.solana_transfers where payout_id = $2 limit 1`,
    values: [transferId, reference, value.blockhash, value.lastValidBlockHeight],
  })
  return eventually(async () => {
    const decided = (await transfersOf(reference)).find((each) => each.transferId === transferId)
    expect(decided?.signature ?? decided?.problem).toBeTruthy()
    return decided?.problem ?? null
  })
}

const mayPay = 'an earlier transaction may still pay, or has paid'

test('a signature without committed bytes is used by the next attempt, and no second one is made', async () => {
  const prepared = await prepare()
  expect((await attemptAgain(prepared)).keys).toEqual([first(prepared.batch.items).key])
  expect(await transfersOf(prepared.reference)).toHaveLength(1)
})

test('committed bytes that have not expired: the next attempt waits, and the signer refuses a second signature', async () => {
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
  expect(await askSigner(prepared.reference)).toBe(null)
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

/** Lets a transaction count as dead, as if nodes had been wrong together, and lets it pay all the same. */
async function payAfterDeath(prepared: Awaited<ReturnType<typeof prepare>>): Promise<string> {
  await commit(rail, prepared.batch)
  await app.database.query({
    text: `update svc.solana_transfers set state = 'DEAD', height = last_valid_block_height + 1, slot = 1,
                  settled_at = clock_timestamp()
            where payout_id = $1`,
    values: [prepared.reference],
  })
  await rail.submit(prepared.batch, call())
  const [{ signature } = { signature: null }] = await transfersOf(prepared.reference)
  await eventually(async () => {
    const { value } = await client.rpc.getSignatureStatuses([signature as never]).send()
    expect(value[0]?.confirmationStatus).toBe('finalized')
  })
  return signature ?? ''
}

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
