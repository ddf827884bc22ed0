import { afterAll, expect, test } from 'vitest'
import { createEvmNode } from '../../../src/adapters/chains/evm/evm-node.ts'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { chainIds } from '../../../src/catalog/chain-ids.ts'
import { rewindScan } from '../../../src/chains/scanner/state-store.ts'
import { LeaseLost } from '../../../src/db/work.ts'
import { domainSeparatorOf } from '../../../src/lib/evm/authorization.ts'
import type { Finality } from '../../../src/lib/settings/chains.ts'
import { about, startLyingNode } from '../../support/chains/lying-node.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { makeScanner } from '../../support/chains/own-scanner.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'

/** Scanners that die or lose their lease in the middle of a turn. The worker of the service does not scan Base. */
const world = await startScanned({ settings: async () => ({ SVC_BASE_RPC_URLS: '' }) })
const { api, chains, rows, until, seenAt, makeWallet } = world
const { deposits } = api.app
const stranger = await openOutsideWallet(chains, 'BASE')
afterAll(() => expectVerified(api))

const cursor = async () =>
  (await rows<{ number: string }>(`select block_number::text as number from svc.chain_scans where network = 'BASE'`))[0]
const headNumber = () => stranger.client.getBlockNumber()
const pay = async () => {
  const { wallet, address } = await makeWallet()
  const hash = await stranger.transfer(address, 4_000_000n)
  const { blockNumber } = await stranger.receipt(hash)
  await until(async () => expect(await headNumber()).toBeGreaterThanOrEqual(blockNumber + 2n))
  return { wallet, address }
}
/** Takes turns until the scanner has nothing more to do. */
const finish = async (scanner: ReturnType<typeof makeScanner>) => {
  while ((await scanner.turn()) === 'MOVED');
  await scanner.release()
}
const died = new Error('the process died')
const die = () => {
  throw died
}

test('a scanner that dies between a sighting and the cursor has recorded neither', async () => {
  await finish(makeScanner(world, 'BASE'))
  const before = await cursor()
  const { wallet, address } = await pay()
  const dying = makeScanner(world, 'BASE', {
    deposits: {
      ...deposits,
      recordSighting: async (tx, sighting) => {
        await deposits.recordSighting(tx, sighting)
        return die()
      },
    },
  })
  await expect(dying.turn()).rejects.toThrow(died)
  expect([await seenAt(address), await cursor()]).toEqual([[], before])
  await dying.release()
  await finish(makeScanner(world, 'BASE'))
  expect(await cursor()).toEqual({ number: String(await headNumber()) })
  await until(async () => expect(await availableIn(api, wallet)).toBe('4.000000'))
})

test('a scanner that dies before a transfer is final leaves it to the next', async () => {
  const { wallet, address } = await pay()
  const dying = makeScanner(world, 'BASE', { onPoint: (point) => point === 'chain window recorded' && die() })
  await expect(dying.turn()).rejects.toThrow(died)
  expect(await seenAt(address)).toMatchObject([{ state: 'SEEN', depositStatus: null }])
  await dying.release()
  await finish(makeScanner(world, 'BASE'))
  await until(async () => expect(await availableIn(api, wallet)).toBe('4.000000'))
})

test('one worker scans a network at a time, and one that lost its lease records nothing', async () => {
  const { wallet, address } = await pay()
  const reading = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const options = { chainId: chainIds.sandbox.BASE, rpcUrls: [chains.rpcUrls.BASE], quorum: 1, timeoutMs: 5_000 }
  const node = createEvmNode(createOutboundHttp(), { network: 'BASE', ...options })
  const slow = makeScanner(world, 'BASE', {
    leaseMs: 200,
    node: {
      transfersIn: async (block) => {
        reading.resolve()
        await goOn.promise
        return node.transfersIn(block)
      },
    },
  })
  const slowTurn = slow.turn()
  await reading.promise
  const quick = makeScanner(world, 'BASE')
  // The quick one waits for the end of the lease.
  await until(async () => expect(await quick.turn()).not.toBe('NOT_HELD'))
  await finish(quick)
  // The chain grows, so that the slow one would move the cursor back.
  await chains.control.mine('BASE', { blocks: 3 })
  await finish(quick)
  const after = await cursor()
  goOn.resolve()
  await expect(slowTurn).rejects.toBeInstanceOf(LeaseLost)
  expect(await cursor()).toEqual(after)
  await until(async () => expect(await availableIn(api, wallet)).toBe('4.000000'))
  expect(await seenAt(address)).toHaveLength(1)
})

test('while two nodes that must agree do not, nothing is recorded', async () => {
  const [honest, wrong] = [await startLyingNode(chains.rpcUrls.BASE), await startLyingNode(chains.rpcUrls.BASE)]
  const before = await cursor()
  const { wallet, address } = await pay()
  wrong.lies(
    about('eth_getBlockReceipts', (receipts: { logs: object[] }[]) =>
      receipts.map((receipt) => ({
        ...receipt,
        logs: receipt.logs.map((log) => ({ ...log, data: `0x${'7'.padStart(64, '0')}` })),
      })),
    ),
  )
  const problems: string[] = []
  const scanner = makeScanner(world, 'BASE', {
    rpcUrls: [honest.url, wrong.url],
    onProblem: (_, problem) => problems.push(problem),
  })
  expect(await scanner.turn()).toBe('PROBLEM')
  expect([problems, await seenAt(address), await cursor()]).toEqual([['DISAGREEMENT'], [], before])
  wrong.lies()
  await finish(scanner)
  await until(async () => expect(await availableIn(api, wallet)).toBe('4.000000'))
})

test('a node that falls behind takes nothing back', async () => {
  const node = await startLyingNode(chains.rpcUrls.BASE)
  const scanner = makeScanner(world, 'BASE', { rpcUrls: [node.url] })
  await chains.control.pause('BASE')
  const { address } = await makeWallet()
  await stranger.transfer(address, 4_000_000n)
  const old = await stranger.client.getBlockNumber()
  await chains.control.mine('BASE', { blocks: 1 })
  expect(await scanner.turn()).toBe('MOVED')
  expect(await seenAt(address)).toMatchObject([{ state: 'SEEN' }])
  const reached = await cursor()
  await chains.control.fault('BASE', { kind: 'stale_head', calls: 1 })
  expect(await scanner.turn()).toBe('IDLE')
  expect([await cursor(), await seenAt(address)]).toMatchObject([reached, [{ state: 'SEEN' }]])
  expect(BigInt(reached?.number ?? 0)).toBe(old + 1n)
  await chains.control.mine('BASE', { blocks: 2 })
  await finish(scanner)
  await until(async () => expect(await seenAt(address)).toMatchObject([{ depositStatus: 'CREDITED' }]))
})

test('a rescan while the newest block is replaced leaves no transfer behind that holds up the others', async () => {
  await chains.control.pause('BASE')
  const scanner = makeScanner(world, 'BASE')
  const gone = await makeWallet()
  const hash = await stranger.transfer(gone.address, 4_000_000n)
  await chains.control.mine('BASE', { blocks: 1 })
  await finish(scanner)
  expect(await seenAt(gone.address)).toMatchObject([{ state: 'SEEN' }])
  const { blockNumber } = await stranger.receipt(hash)
  const parent = await stranger.client.getBlock({ blockNumber: blockNumber - 1n })
  await api.app.database.inTx((tx) => rewindScan(tx, 'BASE', { number: parent.number, hash: parent.hash }))
  const depth = Number((await headNumber()) - parent.number)
  await chains.control.reorg('BASE', { depth, drop: [hash] })
  await chains.control.resume('BASE')
  const { wallet } = await pay()
  await finish(makeScanner(world, 'BASE'))
  expect(await seenAt(gone.address)).toMatchObject([{ state: 'ORPHANED', depositStatus: null }])
  await until(async () => expect(await availableIn(api, wallet)).toBe('4.000000'))
})

// biome-ignore format: a table is read by column
test.each<[Finality, number]>([
  [{ blocks: 4 }, 4],
  ['finalized',   2],
  ['safe',        0],
])('by the rule %j a transfer is final once %i blocks are on top of it', async (finality, blocks) => {
  const options = { chainId: chainIds.sandbox.BASE, rpcUrls: [chains.rpcUrls.BASE], quorum: 1, timeoutMs: 5_000 }
  const node = createEvmNode(createOutboundHttp(), { network: 'BASE', ...options })
  // The local chain calls no block safe before it is final: here the newest one is.
  const heads: typeof node.heads = (tag) => node.heads(tag === 'safe' ? 'latest' : tag)
  const scanner = makeScanner(world, 'BASE', { finality, node: { heads } })
  await chains.control.pause('BASE')
  const { address } = await makeWallet()
  await stranger.transfer(address, 4_000_000n)
  for (let onTop = 0; onTop <= blocks; onTop += 1) {
    await chains.control.mine('BASE', { blocks: 1 })
    while ((await scanner.turn()) === 'MOVED');
    expect(await seenAt(address)).toMatchObject([{ state: onTop < blocks ? 'SEEN' : 'FINAL' }])
  }
  await scanner.release()
  await chains.control.resume('BASE')
})

test('a token that signs for a domain of its own choice is not the token that our signer knows', async () => {
  const named = { name: 'Another Coin', version: '2', chainId: chainIds.sandbox.BASE, contract: stranger.token }
  const word = (number: number) => number.toString(16).padStart(64, '0')
  const nameAnswer = `0x${word(32)}${word(named.name.length)}${Buffer.from(named.name).toString('hex').padEnd(64, '0')}`
  const answers = new Map<unknown, string>([
    ['0x06fdde03', nameAnswer],
    ['0x3644e515', `0x${domainSeparatorOf(named).toString('hex')}`],
  ])
  const node = await startLyingNode(chains.rpcUrls.BASE)
  node.lies((call, answer) => {
    const result = call.method === 'eth_call' && answers.get((call.params[0] as { data: string }).data)
    return result ? { result } : answer
  })
  const problems: string[] = []
  const scanner = makeScanner(world, 'BASE', { rpcUrls: [node.url], onProblem: (_, problem) => problems.push(problem) })
  expect(await scanner.turn()).toBe('PROBLEM')
  expect(problems).toEqual(['WRONG_TOKEN'])
  await scanner.release()
})
