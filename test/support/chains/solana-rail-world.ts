import { afterAll, expect, onTestFinished } from 'vitest'
import { readClock } from '../../../src/db/business-clock.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { PayoutOrder, Rail } from '../../../src/transactions/payouts/rail.ts'
import { makeSolanaAddress } from '../money/wallet-addresses.ts'
import { makeDatabaseWithAddresses } from '../money/wallets.ts'
import { startApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { first } from '../runner/first.ts'
import { startLocalSolana } from './local-chains.ts'
import { createObligations } from './obligations.ts'
import { readSolana } from './solana-world.ts'

const amount = 1_000n
const reserve = makeSolanaAddress()
const call = () => ({ signal: new AbortController().signal })

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

/** The rail of Solana without the worker around it: a real signer, a real runtime, and a treasury with tokens. */
async function startRail() {
  const chains = await startLocalSolana()
  const database = await makeDatabaseWithAddresses()
  const api = await startApi({}, { database, chains })
  const owner = openDatabase({ connection: database.owner })
  afterAll(() => owner.close())
  await owner.query({
    text: `insert into svc.reserve_addresses (kind, address, registered_by) values ('SOLANA', $1, 'a test')`,
    values: [reserve],
  })
  const { app } = api
  const treasury = (await app.custody.findServiceAddress('SOLANA', 'TREASURY')) ?? ''
  const gift = { key: 'treasury', address: treasury, currency: 'USDC', amount: '1000000' }
  await chains.control.faucet('SOLANA', gift)
  api.signer.start()
  const rail = app.chainPayouts.rails.find(({ methods }) => methods.includes('SOLANA')) as Rail
  const { commit, workerOf } = createObligations({ owner, sealAll: api.signer.sealAll, network: 'SOLANA', amount })
  return { chains, api, app, owner, rail, commit, worker: workerOf(rail), client: readSolana(chains.rpcUrls.SOLANA) }
}

type Started = Awaited<ReturnType<typeof startRail>>

const readTransfersOf = ({ owner }: Started, reference: string) =>
  owner.query<Row>({
    text: `select transfer_id as "transferId", state, signature, problem, attempt from svc.solana_transfers
            where payout_id = $1 order by requested_at`,
    values: [reference],
  })

/** Asks the signer for a second transaction, past the rail; answers why it does not sign, or null. */
async function askSigner(started: Started, reference: string): Promise<string | null> {
  const { client, owner } = started
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
    const decided = (await readTransfersOf(started, reference)).find((each) => each.transferId === transferId)
    expect(decided?.signature ?? decided?.problem).toBeTruthy()
    return decided?.problem ?? null
  })
}

/** The rail of Solana with the steps of its stories. */
export async function startSolanaRail() {
  const started = await startRail()
  const { chains, app, owner, rail, commit, worker, client } = started
  const paidAfterDeath: string[] = []
  const transfersOf = (reference: string) => readTransfersOf(started, reference)
  const prepare = async (notAfterMs = 600_000) => {
    const notAfter = new Date((await readClock(app.database)).now.getTime() + notAfterMs)
    const reference = newId()
    const order: PayoutOrder = { ...makeOrder(), reference, shortReference: newId().slice(0, 15), notAfter }
    const batch = first((await worker.prepare([order], call())).batches)
    const { content, ...committed } = batch
    const attempt = { ...first(batch.items), ...committed, rail: rail.name, attempt: 1, content: async () => content }
    return { reference, order, batch, ask: () => rail.ask(order, [attempt], call()) }
  }
  type Prepared = Awaited<ReturnType<typeof prepare>>
  return {
    ...started,
    call,
    makeOrder,
    paidAfterDeath,
    transfersOf,
    prepare,
    upkeep: () =>
      app.chainPayouts.upkeeps
        .find((each) => each.network === 'SOLANA')
        ?.keepUp({
          bookGas: async () => {},
          expedite: async () => {},
          report: async (_, { signature }) => paidAfterDeath.push(signature),
          onFailure: (error) => {
            if (!/was proven dead, and paid/.test(String(error))) throw error
          },
        }),
    /** Lets no blockhash expire by itself until the test ends: it lives for some seconds only. */
    pauseSlots: async () => {
      await chains.control.pause('SOLANA')
      onTestFinished(async () => void (await chains.control.resume('SOLANA')))
    },
    /** Lets every blockhash of now expire in a final block. */
    expire: () => chains.control.mine('SOLANA', { blocks: 160 }),
    /** Begins another attempt, as if the worker believed that the first one were dead. */
    attemptAgain: async ({ reference, order }: Prepared) => {
      await owner.query({ text: 'update svc.payouts set attempts = 2 where payout_id = $1', values: [reference] })
      const { batches, declined } = await rail.prepare([{ ...order, attempt: 2 }], call())
      return { keys: batches.flatMap(({ items }) => items.map(({ key }) => key)), declined }
    },
    askSigner: (reference: string) => askSigner(started, reference),
    /** Lets a transaction count as dead, as if nodes had been wrong together, and lets it pay all the same. */
    payAfterDeath: async (prepared: Prepared): Promise<string> => {
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
    },
  }
}
