import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { newId } from '../../../src/lib/ids.ts'
import {
  carelessCaller,
  collectibleForger,
  eventForger,
  unindexedForger,
  wordsOf,
} from '../../support/chains/hostile-contracts.ts'
import { about, startLyingNode } from '../../support/chains/lying-node.ts'
import { type OutsideWallet, openOutsideWallet, tokenAbi } from '../../support/chains/outside-wallet.ts'
import { makeScanner } from '../../support/chains/own-scanner.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'

/** Transfers that look like deposits and are none. The service scans Base through a node that can be made to lie. */
let lying: Awaited<ReturnType<typeof startLyingNode>>
const world = await startScanned({
  finalityBlocks: 4,
  settings: async (rpcUrls) => {
    lying = await startLyingNode(rpcUrls.BASE)
    // Polygon is left to the control at the end.
    return { SVC_BASE_RPC_URLS: lying.url, SVC_POLYGON_RPC_URLS: '' }
  },
})
const { api, chains, rows, until, caughtUp, seenAt } = world
const { control } = chains
const network = 'BASE'
const million = 10n ** 6n
const stranger = await openOutsideWallet(chains, network)
const [forger, collectible, unindexed, careless] = [
  await stranger.deploy(eventForger),
  await stranger.deploy(collectibleForger),
  await stranger.deploy(unindexedForger),
  await stranger.deploy(carelessCaller),
]
const [service] = await rows<{ address: string }>(
  `select address from svc.service_addresses where kind = 'EVM' and role = 'TREASURY'`,
)
const treasury = service?.address ?? ''
const transferOf = (to: string, units: bigint) =>
  encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to as Hex, units] })

afterEach(() => lying.lies())
afterAll(() => expectVerified(api))

/** Adds to the receipts of a node; the chain itself has nothing of it. */
const inReceipts = (change: (receipt: { status: string; logs: { logIndex: string; topics: string[] }[] }) => object) =>
  about('eth_getBlockReceipts', (receipts: never[]) => receipts.map(change))
const topicOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

type Fake = [what: string, oddity: string | undefined, plant: (address: string) => Promise<unknown>]

// biome-ignore format: a table is read by column
const fakes: Fake[] = [
  ['an event of another contract',            'FOREIGN_TOKEN', (to) => stranger.send(forger, wordsOf([stranger.address, to, 1_000n * million]))],
  ['an event that names our treasury',        'FOREIGN_TOKEN', (to) => stranger.send(forger, wordsOf([treasury, to, 1_000n * million]))],
  ['an event that names the true token',      'FOREIGN_TOKEN', (to) => stranger.send(forger, wordsOf([stranger.token, to, 1_000n * million]))],
  ['an event of a mint',                      'FOREIGN_TOKEN', (to) => stranger.send(forger, wordsOf([0n, to, 1_000n * million]))],
  ['an event of all tokens in the world',     'FOREIGN_TOKEN', (to) => stranger.send(forger, wordsOf([stranger.address, to, 2n ** 256n - 1n]))],
  ['an event with more than an address',      'NO_AMOUNT',     (to) => stranger.send(forger, wordsOf([stranger.address, `0x${'9'.repeat(24)}${to.slice(2)}`, million]))],
  ['a collectible',                           'NO_AMOUNT',     (to) => stranger.send(collectible, wordsOf([stranger.address, to, 7n]))],
  ['an event without topics',                 undefined,       (to) => stranger.send(unindexed, wordsOf([stranger.address, to, million]))],
  ['a true transfer of nothing',              'ZERO_VALUE',    (to) => stranger.transfer(to, 0n)],
  ['a transfer of nothing in its own name',   undefined,       (to) => stranger.send(stranger.token, encodeFunctionData({ abi: tokenAbi, functionName: 'transferFrom', args: [to as Hex, stranger.address, 0n] }))],
  ['an allowance',                            undefined,       (to) => stranger.approve(to, 1_000n * million)],
  ['a transfer that failed',                  undefined,       (to) => stranger.transfer(to, 10n ** 30n)],
  ['a call that failed inside a transaction', undefined,       (to) => stranger.send(careless, wordsOf([stranger.token], transferOf(to, million)))],
  ['coins of the network',                    undefined,       (to) => stranger.send(to as Hex, '0x', 10n ** 18n)],
  ['an address that looks the same',          undefined,       (to) => stranger.transfer(`${to.slice(0, 10)}${'0'.repeat(24)}${to.slice(-8)}`.toLowerCase(), million)],
  ['a transfer to the token itself',          undefined,       () => stranger.transfer(stranger.token, million)],
  ['a transfer of our own treasury',          undefined,       (to) => control.faucet(network, { key: newId(), address: to, currency: 'USDC', amount: String(million), from: treasury })],
  ['dust',                                    undefined,       (to) => stranger.transfer(to, 1n)],
]

// All of them are planted before the first test, so that their blocks become final together.
const planted = new Map<string, { wallet: string; address: string; truth: string }>()
for (const [what, , plant] of fakes) {
  const made = await world.makeWallet()
  await plant(made.address)
  planted.set(what, { ...made, truth: await stranger.transfer(made.address, 3n * million) })
}
await caughtUp(network)

test.each(fakes)('%s is not credited', async (what, oddity) => {
  const { wallet, address, truth } = planted.get(what) ?? { wallet: '', address: '', truth: '' }
  await expectOnly(address, wallet, truth)
  const kept = await rows<{ kind: string }>('select kind from svc.chain_oddities where lower(to_address) = lower($1)', [
    address,
  ])
  expect(kept.map(({ kind }) => kind)).toEqual(oddity === undefined ? [] : [oddity])
})

// biome-ignore format: a table is read by column
const lies: [what: string, lie: (address: string) => Parameters<typeof lying.lies>[0]][] = [
  ['invents a transfer',               (to) => inReceipts((receipt) => ({ ...receipt, logs: [...receipt.logs, ...receipt.logs.map((log, at) => ({ ...log, logIndex: `0x${(200 + at).toString(16)}`, topics: [log.topics[0], log.topics[1], topicOf(to)] }))] }))],
  ['lists a transfer twice',           () => inReceipts((receipt) => ({ ...receipt, logs: [...receipt.logs, ...receipt.logs] }))],
  ['lists no transfers',               () => inReceipts((receipt) => ({ ...receipt, logs: [] }))],
  ['has no receipts',                  () => about('eth_getBlockReceipts', () => [])],
  ['reports a failure as a success',   () => inReceipts((receipt) => ({ ...receipt, status: receipt.status === '0x1' ? '0x0' : '0x1' }))],
]

test.each(lies)('while a node %s, no more than the truth is credited', async (_, lie) => {
  const { wallet, address } = await world.makeWallet()
  const other = await world.makeWallet()
  lying.lies(lie(address))
  await stranger.transfer(address, 10n ** 30n)
  const elsewhere = await stranger.transfer(other.address, 2n * million)
  const truth = await stranger.transfer(address, 3n * million)
  await stranger.receipt(truth)
  const calls = lying.calls()
  await until(() => expect(lying.calls()).toBeGreaterThan(calls + 5))
  expect(await availableIn(api, wallet)).toMatch(/^[03]\.000000$/)
  lying.lies()
  await api.app.chains.rescan({ network, reason: 'a node was wrong', fromBlock: 1n })
  await expectOnly(address, wallet, truth)
  await expectOnly(other.address, other.wallet, elsewhere, '2.000000')
})

test('a block that is scanned twice is credited once', async () => {
  const { wallet, address } = await world.makeWallet()
  const truth = await stranger.transfer(address, 3n * million)
  await expectOnly(address, wallet, truth)
  expect(await api.app.chains.rescan({ network, reason: 'once more', fromBlock: 1n })).toBe('RESCANNED')
  await caughtUp(network)
  await expectOnly(address, wallet, truth)
})

test('a transaction that reaches no block is not credited', async () => {
  const { wallet, address } = await world.makeWallet()
  await control.fault(network, { kind: 'drop_transaction', calls: 1 })
  await stranger.transfer(address, 5n * million)
  const truth = await stranger.transfer(address, 3n * million)
  await expectOnly(address, wallet, truth)
})

test('a transfer that a reorganization drops is not credited', async () => {
  const { address } = await world.makeWallet()
  const chain = await vanish(network, address, () => caughtUp(network))
  await expectAsOnChain(address, chain)
})

test('control: with finality ignored, the same transfer is credited', async () => {
  const { address } = await world.makeWallet()
  const scanner = makeScanner(world, 'POLYGON', { isEveryBlockFinal: true })
  const chain = await vanish('POLYGON', address, async () => {
    await scanner.turn()
    await until(async () => expect(await seenAt(address)).toMatchObject([{ depositStatus: 'CREDITED' }]))
  })
  await expect(expectAsOnChain(address, chain)).rejects.toThrow()
})

/** Waits until the true transfer is credited, and expects that nothing else was. */
async function expectOnly(address: string, wallet: string, truth: string, amount = '3.000000'): Promise<void> {
  await caughtUp(network)
  await until(async () => expect(await availableIn(api, wallet)).toBe(amount))
  const credited = (await seenAt(address)).filter(({ depositStatus }) => depositStatus !== null)
  expect(credited).toMatchObject([{ externalId: `${truth}:0`, state: 'FINAL', depositStatus: 'CREDITED' }])
}

/** A transfer that is in a block, is seen, and vanishes with the block. */
async function vanish(on: EvmNetwork, address: string, look: () => Promise<unknown>): Promise<OutsideWallet> {
  const sender = await openOutsideWallet(chains, on)
  await control.pause(on)
  await sender.transfer(address, 9n * million)
  await control.mine(on, { blocks: 1 })
  await look()
  expect(await seenAt(address)).toHaveLength(1)
  await control.reorg(on, { depth: 1, drop: true })
  await control.mine(on, { blocks: 5 })
  await control.resume(on)
  return sender
}

async function expectAsOnChain(address: string, { balanceOf }: OutsideWallet): Promise<void> {
  expect(await balanceOf(address)).toBe(0n)
  expect((await seenAt(address)).filter(({ depositStatus }) => depositStatus !== null)).toEqual([])
}
