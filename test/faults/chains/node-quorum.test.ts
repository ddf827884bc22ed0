import { afterAll, expect, test } from 'vitest'
import { type EvmNetwork, evmNetworks } from '../../../src/catalog/chain-ids.ts'
import { about, startLyingNode } from '../../support/chains/lying-node.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'

/** Two of three nodes must agree: one that hangs or fails delays nothing, one that forges a receipt credits nothing. */
type Node = Awaited<ReturnType<typeof startLyingNode>>
const nodes: { first?: Node; second?: Node } = {}
const world = await startScanned({
  settings: async (rpcUrls) => {
    const settings: Record<string, string> = { SVC_RPC_QUORUM: '2', SVC_RPC_TIMEOUT_MS: '500' }
    const beside = async (network: EvmNetwork) => startLyingNode(rpcUrls[network])
    for (const network of evmNetworks) {
      const second = await beside(network)
      settings[`SVC_${network}_RPC_URLS`] = `${second.url},${rpcUrls[network]}`
      if (network === 'BASE') nodes.second = second
    }
    nodes.first = await beside('BASE')
    settings.SVC_BASE_RPC_URLS = `${nodes.first.url},${settings.SVC_BASE_RPC_URLS}`
    return settings
  },
})
const { api, chains, until, seenAt, makeWallet } = world
const stranger = await openOutsideWallet(chains, 'BASE')
afterAll(() => expectVerified(api))

async function pay() {
  const { wallet, address } = await makeWallet()
  await stranger.transfer(address, 5_000_000n)
  return { address, isCredited: () => until(async () => expect(await availableIn(api, wallet)).toBe('5.000000')) }
}

test.each([
  ['hangs', (node: Node) => node.hangs()],
  ['answers 503', (node: Node) => node.fails(503)],
] as const)('while a node %s, the two others are enough', async (_how, misbehave) => {
  misbehave(nodes.first as Node)
  const { isCredited } = await pay()
  await isCredited()
  nodes.first?.lies()
})

type Receipt = { logs: { data: string }[] }

test('a node that forges an amount is not believed, and with too few honest nodes nothing is recorded', async () => {
  const forged = `0x${5_000_000_000n.toString(16).padStart(64, '0')}`
  const forge = about('eth_getBlockReceipts', (receipts: Receipt[]) =>
    receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, data: forged })) })),
  )
  nodes.second?.lies(forge)
  // Two honest nodes outvote it.
  const { isCredited } = await pay()
  await isCredited()
  nodes.first?.fails(503)
  const alone = await pay()
  await until(async () => {
    const scan = (await api.app.chains.list()).find(({ network }) => network === 'BASE')
    expect(scan?.problem).not.toBeNull()
  })
  expect(await seenAt(alone.address)).toEqual([])
  nodes.first?.lies()
  await alone.isCredited()
})
