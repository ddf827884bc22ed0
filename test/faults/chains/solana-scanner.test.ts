import { randomBytes } from 'node:crypto'
import type { Address } from '@solana/kit'
import { afterAll, expect, test } from 'vitest'
import { createScanOperator } from '../../../src/chains/scanner/operator.ts'
import { withHistory } from '../../../src/chains/solana/scanner/history.ts'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { writeBase58 } from '../../../src/lib/addresses/base58.ts'
import { newId } from '../../../src/lib/ids.ts'
import { about, type Lie, startLyingNode } from '../../support/chains/lying-node.ts'
import { takeOver } from '../../support/chains/own-solana-scanner.ts'
import { connectSolana } from '../../support/chains/solana-client.ts'
import { startSolana, tokenAccountOf } from '../../support/chains/solana-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** Nodes of Solana that lie, freeze or drown one account: others go on, and no deposit is lost or invented. */
const world = await startSolana({ finalityBlocks: 2 })
const { api, control, rows, makeWallet, seenAt } = world
const [liar, second] = [await startLyingNode(world.rpcUrl), await startLyingNode(world.rpcUrl)]
const stranger = await connectSolana(world.rpcUrl)
for (const currency of ['NATIVE', 'USDC']) {
  await control.faucet('SOLANA', { key: newId(), address: stranger.wallet.address, currency, amount: '100000000000' })
}
const scanner = await takeOver(world, { rpcUrls: [liar.url], frozenMs: 1_500 })
afterAll(() => expectVerified(api))

type Wallet = Awaited<ReturnType<typeof makeWallet>>
const million = 1_000_000n
const pay = async ({ address }: Wallet, amount: bigint) =>
  stranger.send(await stranger.payment(address as Address, amount * million), {}, 'finalized')
const credited = ({ wallet }: Wallet, amount: bigint, by: Pick<typeof scanner, 'until'> = scanner) =>
  by.until(async () => expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe(`${amount}.000000`))
const problemOf = async () =>
  (await rows<{ problem: string | null }>(`select problem from svc.chain_scans where network = 'SOLANA'`))[0]?.problem
const unscanned = () => api.app.chains.unscanned()

/** A lie about the list of one account. */
const aboutList = (account: string, change: (list: unknown[]) => unknown[]): Lie =>
  about('getSignaturesForAddress', (list: unknown[], [address]) => (address === account ? change(list) : list))

test('an account that cannot be scanned is named until it can, and delays no other', async () => {
  const [bad, good] = [await makeWallet(), await makeWallet()]
  const account = await tokenAccountOf(bad.address)
  liar.lies(aboutList(account, () => []))
  await pay(bad, 1n)
  await pay(good, 2n)
  await credited(good, 2n)
  await scanner.until(async () => expect(await unscanned()).toMatchObject([{ account, problem: 'INCOMPLETE' }]))
  const since = (await unscanned())[0]?.since
  expect(await readMetric(api, 'svc_chain_accounts_unscanned')).toBe('1')
  await pay(good, 3n)
  await credited(good, 5n)
  expect(await unscanned()).toMatchObject([{ account, since, owner: bad.address }])
  expect([await seenAt(bad.address), await problemOf()]).toEqual([[], null])
  await rows(`update svc.token_accounts set problem_since = problem_since - interval '6 minutes' where account = $1`, [
    account,
  ])
  expect((await api.app.chains.count()).behind).toBe(1)
  liar.lies()
  await credited(bad, 1n)
  expect([await unscanned(), await readMetric(api, 'svc_chain_accounts_unscanned')]).toEqual([[], '0'])
})

test('a flood on one account makes no turn long, and its deposit comes when the flood is read', async () => {
  const [flooded, other] = [await makeWallet(), await makeWallet()]
  let pages = 0
  const flood = () => {
    pages += 1
    const made = { slot: 1, err: null, memo: null, blockTime: null, confirmationStatus: 'finalized' }
    return Array.from({ length: 1_000 }, () => ({ ...made, signature: writeBase58(randomBytes(64)) }))
  }
  await pay(flooded, 1n)
  await pay(other, 2n)
  liar.lies(aboutList(await tokenAccountOf(flooded.address), flood))
  await scanner.until(async () => {
    expect(pages).toBeGreaterThan(0)
    expect(pages).toBeLessThan(20)
  })
  await credited(other, 2n)
  expect(await seenAt(flooded.address)).toEqual([])
  liar.lies()
  await credited(flooded, 1n)
})

test('a transaction of a newer version is read, with those beside it', async () => {
  const to = await makeWallet()
  const signature = await pay(to, 1n)
  liar.lies(({ method, params }, answer) => {
    const [name, config] = params as [string, { maxSupportedTransactionVersion?: number }]
    if (method !== 'getTransaction' || name !== signature || (config.maxSupportedTransactionVersion ?? 0) > 0)
      return answer
    return { error: { code: -32_015, message: 'Transaction version (1) is not supported by the requesting client' } }
  })
  await pay(to, 2n)
  await credited(to, 3n)
  liar.lies()
})

test('nodes may list the transactions of one slot in any order', async () => {
  const to = await makeWallet()
  const account = await tokenAccountOf(to.address)
  type Listed = { slot: number }
  liar.lies(
    aboutList(account, (list) =>
      [...Map.groupBy(list as Listed[], ({ slot }) => slot).values()].flatMap((inSlot) => inSlot.toReversed()),
    ),
  )
  await pay(to, 1n)
  await credited(to, 1n)
  await control.pause('SOLANA')
  for (const amount of [2n, 4n, 8n]) {
    await stranger.submit((await stranger.sign(await stranger.payment(to.address as Address, amount * million))).wire)
  }
  await control.mine('SOLANA', { blocks: 1 })
  await control.resume('SOLANA')
  await credited(to, 15n)
  await pay(to, 16n)
  await credited(to, 31n)
  expect(await seenAt(to.address)).toHaveLength(5)
  liar.lies()
})

test('a slot that no time explains is not recorded, and the network goes on', async () => {
  const to = await makeWallet()
  await scanner.turn()
  await rows(`update svc.token_accounts set due_at = clock_timestamp()`)
  const far = 10 ** 12
  let lies = 2
  liar.lies(({ method, params }, answer) => {
    if (method === 'getSlot' && lies > 0) {
      lies -= 1
      return { result: far }
    }
    const [addresses, config] = params as [string[], { minContextSlot?: number } | undefined]
    if (method !== 'getMultipleAccounts' || config?.minContextSlot !== far) return answer
    return { result: { context: { slot: far }, value: addresses.map(() => null) } }
  })
  expect(await scanner.turn()).toBe('PROBLEM')
  await pay(to, 1n)
  await credited(to, 1n)
  liar.lies()
})

test('nodes whose final slot rests are reported as frozen', async () => {
  await scanner.until(async () => expect(await problemOf()).toBeNull())
  await control.pause('SOLANA')
  await scanner.until(async () => expect(await problemOf()).toBe('UNAVAILABLE'))
  await control.resume('SOLANA')
  await scanner.until(async () => expect(await problemOf()).toBeNull())
})

test('of three nodes two must agree: a forged amount is outvoted, and without two honest nodes nothing is recorded', async () => {
  await scanner.release()
  const cautious = await takeOver(world, { rpcUrls: [liar.url, second.url, world.rpcUrl], quorum: 2 })
  type Read = { meta: { postTokenBalances: { uiTokenAmount: { amount: string } }[] } } | null
  const forge = about('getTransaction', (read: Read) => {
    for (const { uiTokenAmount } of read?.meta.postTokenBalances ?? []) uiTokenAmount.amount += '0'
    return read
  })
  liar.lies(forge)
  const to = await makeWallet()
  await pay(to, 1n)
  await credited(to, 1n, cautious)
  second.fails(503)
  await pay(to, 2n)
  await cautious.until(async () => {
    const wanted = { account: await tokenAccountOf(to.address), problem: 'DISAGREEMENT' }
    expect(await unscanned()).toContainEqual(expect.objectContaining(wanted))
  })
  expect(await seenAt(to.address)).toHaveLength(1)
  liar.lies()
  await credited(to, 3n, cautious)
  second.lies()
  await cautious.release()
})

test('a rescan reads accounts anew: a wrong cursor is cured, and known deposits count once', async () => {
  const to = await makeWallet()
  await pay(to, 1n)
  await credited(to, 1n, world)
  const account = await tokenAccountOf(to.address)
  await rows(`update svc.token_accounts set balance = 7000000 where account = $1`, [account])
  await pay(to, 2n)
  await world.until(async () => expect(await unscanned()).toMatchObject([{ account, problem: 'INCOMPLETE' }]))
  expect(await api.app.chains.rescanSolana({ account: 'none', reason: 'a typo' })).toBe(0)
  expect(await api.app.chains.rescanSolana({ account, reason: 'a wrong cursor' })).toBe(1)
  await credited(to, 3n, world)
  expect(await api.app.chains.rescanSolana({ account: null, reason: 'to be sure' })).toBeGreaterThan(3)
  await pay(to, 4n)
  await credited(to, 7n, world)
  expect(await seenAt(to.address)).toHaveLength(3)
})

test('a rescan drops no cursor while the nodes lack the first transactions of an account', async () => {
  await scanner.release()
  const to = await makeWallet()
  await pay(to, 1n)
  await pay(to, 2n)
  await credited(to, 3n, world)
  const account = await tokenAccountOf(to.address)
  const cursor = () => rows(`select signature, balance::text from svc.token_accounts where account = $1`, [account])
  const before = await cursor()
  const { solana, nodes } = api.app.chains
  if (!solana) throw new Error('there are no nodes')
  const { database } = api.app
  const audit = createAudit(randomBytes(32))
  const operatorWith = (node: typeof solana) =>
    createScanOperator({ database, audit, actor: 'a test', nodes, solana: withHistory(node), doChainsRest: true })
  const pruned: typeof solana = {
    ...solana,
    signaturesOf: async (address, range) => {
      const { signatures, isAll } = await solana.signaturesOf(address, range)
      return { signatures: signatures.slice(1), isAll }
    },
  }
  const empty: typeof solana = { ...solana, signaturesOf: async () => ({ signatures: [], isAll: true }) }
  for (const node of [pruned, empty]) {
    await expect(operatorWith(node).rescanSolana({ account, reason: 'a node that prunes' })).rejects.toThrow(/lack/)
  }
  expect(await cursor()).toEqual(before)
  expect(await api.app.chains.rescanSolana({ account, reason: 'a node with all of them' })).toBe(1)
  await pay(to, 4n)
  await credited(to, 7n, world)
})
