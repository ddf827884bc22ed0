import { afterAll, expect, test } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { createScanOperator } from '../../../src/chains/scanner/operator.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { startLyingNode } from '../../support/chains/lying-node.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** Networks that cannot be scanned, and networks that break their promise. The others go on. */
const nodes: Partial<Record<EvmNetwork, Awaited<ReturnType<typeof startLyingNode>>>> = {}
const world = await startScanned({
  finalityBlocks: 2,
  settings: async (rpcUrls) => {
    nodes.ARBITRUM = await startLyingNode(rpcUrls.ARBITRUM)
    nodes.ARBITRUM.hangs()
    nodes.OPTIMISM = await startLyingNode(rpcUrls.OPTIMISM)
    nodes.OPTIMISM.lies((call, answer) => (call.method === 'eth_chainId' ? { result: '0x1' } : answer))
    nodes.POLYGON = await startLyingNode(rpcUrls.POLYGON)
    // The function decimals() of the token answers 18.
    nodes.POLYGON.lies((call, answer) =>
      call.method === 'eth_call' && JSON.stringify(call.params).includes('0x313ce567')
        ? { result: `0x${'12'.padStart(64, '0')}` }
        : answer,
    )
    return {
      SVC_ARBITRUM_RPC_URLS: nodes.ARBITRUM.url,
      SVC_OPTIMISM_RPC_URLS: nodes.OPTIMISM.url,
      SVC_POLYGON_RPC_URLS: nodes.POLYGON.url,
      SVC_RPC_TIMEOUT_MS: '500',
    }
  },
})
const { api, chains, until, rows, seenAt, makeWallet } = world
const { control } = chains
afterAll(() => expectVerified(api))

const million = 10n ** 6n
const pays = async (network: EvmNetwork) => {
  const stranger = await openOutsideWallet(chains, network)
  const { wallet, address } = await makeWallet()
  const hash = await stranger.transfer(address, 5n * million)
  return { stranger, wallet, address, hash }
}
const credited = (network: EvmNetwork, wallet: string, amount = '5.000000') =>
  until(async () => expect(await availableIn(api, wallet, 'USDC', network)).toBe(amount))
const stateOf = async (network: EvmNetwork) => (await api.app.chains.list()).find((each) => each.network === network)
const concerns = async () => ((await api.get('/readyz')).body as { concerns: string[] }).concerns

test('a network whose node hangs delays no other, and catches up', async () => {
  const stuck = await pays('ARBITRUM')
  const base = await pays('BASE')
  await credited('BASE', base.wallet)
  expect(await seenAt(stuck.address)).toEqual([])
  nodes.ARBITRUM?.lies()
  await credited('ARBITRUM', stuck.wallet)
})

test.each([
  ['OPTIMISM', 'of another chain id', 'WRONG_CHAIN'],
  ['POLYGON', 'whose token has other decimals', 'WRONG_TOKEN'],
] as const)('%s is not scanned with nodes %s', async (network, _what, problem) => {
  const { address, wallet } = await pays(network)
  await until(() => expect(api.logs.join('\n')).toContain(`"problem":"${problem}"`))
  expect(api.logs.join('\n')).not.toContain(nodes[network]?.url)
  expect(await seenAt(address)).toEqual([])
  nodes[network]?.lies()
  await credited(network, wallet)
  await until(async () => expect(await stateOf(network)).toMatchObject({ problem: null }))
})

test('a final block that is replaced halts its network alone, until an operator resumes it', async () => {
  const before = await pays('ETHEREUM')
  await credited('ETHEREUM', before.wallet)
  await control.reorg('ETHEREUM', { depth: 4, force: true })
  await until(async () => expect((await stateOf('ETHEREUM'))?.haltedAt).not.toBeNull())
  expect(await concerns()).toEqual(expect.arrayContaining(['CHAINS_HALTED', 'PAYOUTS_HALTED']))
  expect(await readMetric(api, 'svc_chains_halted')).toBe('1')
  const halts = await rows<{ asset: string }>(
    'select asset from svc.payout_halts where resumed_at is null order by asset',
  )
  expect(halts.map(({ asset }) => asset)).toEqual(['EURC/ETHEREUM', 'USDC/ETHEREUM'])
  const waiting = await pays('ETHEREUM')
  const base = await pays('BASE')
  await credited('BASE', base.wallet)
  expect(await seenAt(waiting.address)).toEqual([])
  // The nodes still contradict the record, so the network halts again.
  const first = (await stateOf('ETHEREUM'))?.haltedAt
  expect(await api.app.chains.resume({ network: 'ETHEREUM', reason: 'try again', adopt: false })).toBe(true)
  await until(async () => {
    const { haltedAt = null } = (await stateOf('ETHEREUM')) ?? {}
    expect(haltedAt).not.toBeNull()
    expect(haltedAt).not.toEqual(first)
  })
  expect(await api.app.chains.resume({ network: 'ETHEREUM', reason: 'the chain is right', adopt: true })).toBe(true)
  await credited('ETHEREUM', waiting.wallet)
  // The transfer moved to another block of the adopted chain, and is credited once.
  expect(await availableIn(api, before.wallet, 'USDC', 'ETHEREUM')).toBe('5.000000')
  expect(await before.stranger.balanceOf(before.address)).toBe(5n * million)
  expect(await api.app.chains.resume({ network: 'ETHEREUM', reason: 'twice', adopt: false })).toBe(false)
  const acts = await rows<{ action: string }>(
    `select action from svc.audit where action like 'chain.%' order by audit_id`,
  )
  expect(acts.map(({ action }) => action)).toEqual(['chain.resumed', 'chain.resumed'])
})

test('a deposit whose final block is dropped is reversed when the chain is adopted, and its return waits', async () => {
  const stranger = await openOutsideWallet(chains, 'BASE')
  const { wallet, address } = await makeWallet()
  const signed = await stranger.signTransfer(address, 5n * million)
  const hash = await stranger.client.sendRawTransaction({ serializedTransaction: signed })
  await credited('BASE', wallet)
  await control.reorg('BASE', { depth: 4, drop: [hash], force: true })
  await until(async () => expect((await stateOf('BASE'))?.haltedAt).not.toBeNull())
  expect(await availableIn(api, wallet)).toBe('5.000000')
  await api.app.chains.resume({ network: 'BASE', reason: 'the chain is right', adopt: true })
  await until(async () =>
    expect(await seenAt(address)).toMatchObject([{ state: 'ORPHANED', depositStatus: 'REVERSED' }]),
  )
  expect(await stranger.balanceOf(address)).toBe(0n)
  // The same transaction comes back in a block that is not final yet: an operator decides about it once it is.
  await stranger.client.sendRawTransaction({ serializedTransaction: signed })
  await until(async () => expect(await readMetric(api, 'svc_sightings_quarantined')).toBe('1'))
  expect(await stranger.balanceOf(address)).toBe(5n * million)
  const next = await pays('BASE')
  await credited('BASE', next.wallet)
})

test('a deposit that moves to a block far above, which is not final yet, stays through the adoption', async () => {
  const { wallet, address } = await pays('OPTIMISM')
  await credited('OPTIMISM', wallet)
  await control.pause('OPTIMISM')
  // More than the scanner records in one step.
  await control.mine('OPTIMISM', { blocks: 140 })
  await world.caughtUp('OPTIMISM')
  await control.reorg('OPTIMISM', { depth: 145, force: true, place: 'last' })
  await until(async () => expect((await stateOf('OPTIMISM'))?.haltedAt).not.toBeNull())
  await api.app.chains.resume({ network: 'OPTIMISM', reason: 'the chain is right', adopt: true })
  await world.caughtUp('OPTIMISM')
  expect(await seenAt(address)).toMatchObject([{ state: 'SEEN', depositStatus: 'CREDITED' }])
  await control.resume('OPTIMISM')
  await until(async () => expect(await seenAt(address)).toMatchObject([{ state: 'FINAL', depositStatus: 'CREDITED' }]))
  expect(await availableIn(api, wallet, 'USDC', 'OPTIMISM')).toBe('5.000000')
})

test('a chain whose fork is below the remembered blocks is adopted, and no rescan hides the conflict', async () => {
  const { wallet, address } = await pays('POLYGON')
  await credited('POLYGON', wallet)
  const owner = openDatabase({ connection: api.database.owner })
  await owner.query({ text: `delete from svc.chain_blocks where network = 'POLYGON' and slot < 1024` })
  await owner.close()
  await control.reorg('POLYGON', { depth: 4, force: true })
  await until(async () => expect((await stateOf('POLYGON'))?.haltedAt).not.toBeNull())
  expect(await api.app.chains.rescan({ network: 'POLYGON', reason: 'to be safe', fromBlock: 1n })).toBe('HALTED')
  await api.app.chains.resume({ network: 'POLYGON', reason: 'the chain is right', adopt: true })
  await until(async () => expect((await stateOf('POLYGON'))?.haltedAt).toBeNull())
  await until(async () => expect(await seenAt(address)).toMatchObject([{ state: 'FINAL', depositStatus: 'CREDITED' }]))
})

test('nodes that answer but stand still are an alarm, unless chains rest', async () => {
  const shared = { database: api.app.database, audit: {} as never, actor: 'a test', solana: undefined }
  const operatorOf = (doChainsRest: boolean) =>
    createScanOperator({ ...shared, nodes: api.app.chains.nodes, doChainsRest })
  const isFrozen = async () =>
    (await operatorOf(false).list()).find(({ network }) => network === 'ARBITRUM')?.isFrozen ?? false
  expect(await isFrozen()).toBe(false)
  await rows(`update svc.chain_scans set moved_at = moved_at - interval '6 minutes' where network = 'ARBITRUM'`)
  expect([await isFrozen(), (await operatorOf(false).count()).behind]).toEqual([true, 1])
  expect((await operatorOf(true).count()).behind).toBe(0)
  await control.mine('ARBITRUM', { blocks: 1 })
  await until(async () => expect(await isFrozen()).toBe(false))
})

test('a permission to adopt that was not needed ends with the next block', async () => {
  await rows(
    `update svc.chain_scans set may_adopt = true, lease_until = null, fence = fence + 1 where network = 'BASE'`,
  )
  const paid = await pays('BASE')
  await credited('BASE', paid.wallet)
  await control.reorg('BASE', { depth: 4, force: true })
  await until(async () => expect((await stateOf('BASE'))?.haltedAt).not.toBeNull())
})
