import { expect } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import type { TestChains } from '../chains/local-chains.ts'
import { type OutsideWallet, openOutsideWallet } from '../chains/outside-wallet.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import type { ShownAccount } from './reading.ts'

const network = 'BASE'
const units = (text: string) => BigInt(text.replace('.', ''))

/** Kinds of items that follow by themselves. The sums tell whether they are right. */
const inFlight = ['PAYOUT', 'FEES', 'DEPOSIT']

/** Waits for the scanner and the workers. */
function createWaits(api: TestApi, stranger: OutsideWallet) {
  const query = (text: string) => api.app.database.query<{ count: number }>({ text })
  /** Waits until nothing on the chain waits to be recorded, booked or collected. */
  const settle = () =>
    eventually(async () => {
      api.app.chains.wake()
      const [open] = await query(
        `select (select count(*) from svc.payouts where method = 'BASE' and status <> 'CONFIRMED')
              + (select count(*) from svc.sightings where method = 'BASE' and (state <> 'FINAL' or due_at is not null))
              + (select count(*) from svc.relay_nonces where state = 'OPEN') as count`,
      )
      expect(Number(open?.count)).toBe(0)
    })
  /** Waits until the scanner has recorded a block with this transaction. */
  const waitForBlock = async (hash: `0x${string}`) => {
    const { blockNumber } = await stranger.client.waitForTransactionReceipt({ hash })
    await eventually(async () => {
      api.app.chains.wake()
      const [scan] = await query(`select final_number as count from svc.chain_scans where network = 'BASE'`)
      expect(Number(scan?.count)).toBeGreaterThanOrEqual(Number(blockNumber))
    })
  }
  return { settle, waitForBlock }
}

/** The book of a chain beside the ledger: dust, gifts that no operator recorded, and tokens that were taken. */
export async function openChainBook(
  api: TestApi,
  chains: TestChains,
  { organizationId, address }: { organizationId: string; address: string },
) {
  const stranger = await openOutsideWallet(chains, network)
  const treasury = (await api.app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''
  const gifts = new Map<string, bigint>()
  let [dust, taken] = [0n, 0n]
  const { settle, waitForBlock } = createWaits(api, stranger)
  return {
    settle,

    /** A stranger pays the customer, mostly enough for a deposit. */
    receives: async (amount: bigint): Promise<void> => {
      if (amount < 10_000n) dust += amount
      await waitForBlock(await stranger.transfer(address, amount))
    },

    /** Tokens arrive at the treasury, and the operator does not know yet. */
    gives: async (amount: bigint): Promise<void> => {
      const hash = await stranger.transfer(treasury, amount)
      gifts.set(hash, amount)
      await waitForBlock(hash)
    },

    /** The operator records the oldest tokens that arrived at the treasury, and are not recorded yet. */
    records: async (): Promise<void> => {
      const [[hash, amount] = []] = gifts
      if (hash === undefined || amount === undefined) return
      const shown = `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`
      const fund = { organizationId, holding: 'TREASURY', asset: 'USDC/BASE', amount: shown, reason: 'a gift' }
      await api.app.treasury.fund(fund)
      gifts.delete(hash)
    },

    /** Tokens leave the customer's address without us. */
    steals: async (amount: bigint): Promise<void> => {
      taken += amount
      const burnt = { key: newId(), currency: 'USDC', act: 'burn', account: address, amount: String(amount) } as const
      await chains.control.administer(network, burnt)
      // The block of a later transfer is final: so is the one before.
      await waitForBlock(await stranger.transfer(stranger.address, 1n))
    },

    /** The items beside those in flight, as the book explains them. */
    expect: (): string[] =>
      [
        ...[...gifts].map(([hash, amount]) => `UNEXPECTED UNRECORDED ${hash} ${amount}`),
        ...(dust > 0n ? [`UNEXPECTED DUST ${address} ${dust}`] : []),
        ...(taken > 0n ? [`MISSING ADDRESS ${address} ${taken}`] : []),
      ].sort(),

    /** The items of accounts on the network beside those in flight. */
    found: (accounts: readonly ShownAccount[]): string[] =>
      accounts
        .filter(({ account }) => account.startsWith(network))
        .flatMap(({ items }) => items)
        .filter(({ kind }) => !inFlight.includes(kind))
        .map(({ state, kind, reference, amount }) => `${state} ${kind} ${reference} ${units(amount)}`)
        .sort(),
  }
}
