import { afterEach, expect, test } from 'vitest'
import { type EvmNetwork, evmNetworks } from '../../../src/catalog/chain-ids.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'

/** Deposits on real chains, from the transfer of a stranger's wallet to the balance that the API shows. */
const world = await startScanned()
const { api, chains, until, seenAt, makeWallet } = world
afterEach(() => expectVerified(api))

const pairs: readonly (readonly [EvmNetwork, string])[] = [
  ...evmNetworks.map((network) => [network, 'USDC'] as const),
  ['BASE', 'EURC'],
  ['ETHEREUM', 'EURC'],
]

test.each(pairs)('a transfer on %s in %s becomes a deposit once it is final', async (network, currency) => {
  const { wallet, address } = await makeWallet()
  const stranger = await openOutsideWallet(chains, network, currency)
  const hash = await stranger.transfer(address, 25_000_000n)
  await until(async () => expect(await availableIn(api, wallet, currency, network)).toBe('25.000000'))
  expect(await stranger.balanceOf(address)).toBe(25_000_000n)
  const { blockNumber } = await stranger.receipt(hash)
  expect(await seenAt(address)).toEqual([
    {
      externalId: `${hash}:0`,
      state: 'FINAL',
      amount: '25000000',
      blockNumber: String(blockNumber),
      depositStatus: 'CREDITED',
    },
  ])
  expect((await stranger.client.getBlock({ blockTag: 'finalized' })).number).toBeGreaterThanOrEqual(blockNumber)
})
