import { afterAll, expect, test } from 'vitest'
import type { ChainNode } from '../../../src/chains/node.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { makeScanner } from '../../support/chains/own-scanner.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'

/** An operator adopts a chain far below the head. The worker of the service does not scan Base: the test takes its turns. */
const network = 'BASE'
const world = await startScanned({ settings: async () => ({ SVC_BASE_RPC_URLS: '' }) })
const { api, chains, rows, until, seenAt, makeWallet } = world
const { control } = chains
const stranger = await openOutsideWallet(chains, network)
const second = await openOutsideWallet(chains, network)
afterAll(() => expectVerified(api))

const headOf = async () => (await control.status()).find((each) => each.network === network)?.head.number ?? 0

test('deposits that wait for a later block of the adopted chain do not keep others from becoming final', async () => {
  const scanner = makeScanner(world, network)
  const { wallet, address } = await makeWallet()
  const { address: other } = await makeWallet()
  await control.pause(network)
  const from = (await headOf()) + 1
  const gone: string[] = []
  // Each in a block of its own, and more blocks than one turn finalizes.
  for (let count = 0; count < 40; count += 1) {
    gone.push(await stranger.transfer(address, 1_000_000n))
    await control.mine(network, { blocks: 1 })
  }
  const kept = await second.transfer(other, 1_000_000n)
  await control.mine(network, { blocks: 3 })
  while ((await scanner.turn()) === 'MOVED');
  await until(async () => expect(await availableIn(api, wallet, 'USDC', network)).toBe('40.000000'))
  await control.reorg(network, { depth: (await headOf()) - from + 1, drop: gone, force: true, place: 'last' })
  await control.mine(network, { blocks: 300 })
  expect(await scanner.turn()).toBe('HALTED')
  await rows(
    `update svc.chain_scans set is_resuming = true, may_adopt = true, lease_until = null, fence = fence + 1
      where network = '${network}'`,
  )
  await scanner.release()
  const adopting = makeScanner(world, network)
  expect(await adopting.turn()).toBe('MOVED')
  expect(await adopting.turn()).toBe('MOVED')
  const [scan] = await rows<{ number: string }>(
    `select block_number::text as number from svc.chain_scans where network = '${network}'`,
  )
  expect(Number(scan?.number)).toBeLessThan(await headOf())
  expect(await seenAt(other)).toMatchObject([{ externalId: expect.stringContaining(kept), state: 'FINAL' }])
  while ((await adopting.turn()) === 'MOVED');
  // At the head, what is in no block is gone.
  expect(new Set((await seenAt(address)).map(({ state }) => state))).toEqual(new Set(['ORPHANED']))
  await adopting.release()
})

test('nodes whose head is below all remembered blocks are behind, or have another chain: then the network halts', async () => {
  await control.mine(network, { blocks: 12 })
  const scanner = makeScanner(world, network)
  while ((await scanner.turn()) === 'MOVED');
  await scanner.release()
  const owner = openDatabase({ connection: api.database.owner })
  await owner.query({ text: `delete from svc.chain_blocks where network = '${network}' and slot < 1024` })
  await owner.close()
  const turnWith = async (node: Partial<ChainNode>) => {
    const other = makeScanner(world, network, { node })
    const turn = await other.turn()
    await other.release()
    return turn
  }
  const [low, lower] = [
    await stranger.client.getBlock({ blockNumber: 9n }),
    await stranger.client.getBlock({ blockNumber: 7n }),
  ]
  const refOf = ({ number, hash, parentHash, timestamp }: typeof low) => ({ number, hash, parentHash, timestamp })
  const heads = async () => ({ latest: refOf(low), final: refOf(lower) })
  expect(await turnWith({ heads })).toBe('IDLE')
  const block = async (number: bigint) => ({ ...refOf(low), number, hash: `0x${'5'.repeat(64)}` as const })
  expect(await turnWith({ heads, block })).toBe('HALTED')
})
