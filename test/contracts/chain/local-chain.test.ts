import { createPublicClient, createWalletClient, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { chainIds } from '../../../src/catalog/chain-ids.ts'
import { tokens } from '../../../src/catalog/currencies.ts'
import { type EvmNetwork, evmNetworkNames } from '../../../src/sandbox/chains/networks.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'

const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address, bytes32) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const stranger = '0x00000000000000000000000000000000deadbeef'
const chains = await startLocalChains()

test.each(evmNetworkNames)('%s: transfers, authorizations, logs', async (network: EvmNetwork) => {
  const { control } = chains
  const transport = http(chains.rpcUrls[network])
  const client = createPublicClient({ transport, pollingInterval: 20 })
  const chain = {
    id: chainIds.sandbox[network],
    name: network,
    nativeCurrency: { name: 'x', symbol: 'x', decimals: 18 },
    rpcUrls: { default: { http: [chains.rpcUrls[network]] } },
  }
  const wallet = createWalletClient({ account: owner, chain, transport })
  const token = tokens[`USDC/${network}`].testContract as `0x${string}`
  expect(await client.getChainId()).toBe(chainIds.sandbox[network])
  await control.faucet(network, { key: 'a', address: owner.address, currency: 'NATIVE', amount: String(10n ** 18n) })
  const gift = await control.faucet(network, { key: 'b', address: owner.address, currency: 'USDC', amount: '5000000' })
  expect(
    await control.faucet(network, { key: 'b', address: owner.address, currency: 'USDC', amount: '5000000' }),
  ).toEqual(gift)
  expect(await client.readContract({ address: token, abi, functionName: 'balanceOf', args: [owner.address] })).toBe(
    5_000_000n,
  )
  const hash = await wallet.writeContract({
    address: token,
    abi,
    functionName: 'transfer',
    args: [stranger, 1_000_000n],
  })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  const logs = await client.getLogs({ blockHash: receipt.blockHash, event: abi[5], address: token })
  expect(logs.map(({ args }) => args.value)).toEqual([1_000_000n])
  const message = {
    from: owner.address,
    to: stranger,
    value: 7n,
    validAfter: 0n,
    validBefore: 1n << 40n,
    nonce: `0x${'ab'.repeat(32)}`,
  } as const
  const signature = await owner.signTypedData({
    domain: { name: 'USDC', version: '2', chainId: chain.id, verifyingContract: token },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const [r, s, v] = [
    signature.slice(0, 66) as `0x${string}`,
    `0x${signature.slice(66, 130)}` as const,
    Number(`0x${signature.slice(130)}`),
  ]
  const args = [
    message.from,
    message.to,
    message.value,
    message.validAfter,
    message.validBefore,
    message.nonce,
    v,
    r,
    s,
  ] as const
  const used = await wallet.writeContract({ address: token, abi, functionName: 'transferWithAuthorization', args })
  expect((await client.waitForTransactionReceipt({ hash: used })).status).toBe('success')
  await expect(
    client.simulateContract({ address: token, abi, functionName: 'transferWithAuthorization', args, account: owner }),
  ).rejects.toThrow('authorization is used or canceled')
  await expect
    .poll(async () => (await client.getBlock({ blockTag: 'finalized' })).number)
    .toBeGreaterThanOrEqual((await client.getTransactionReceipt({ hash: used })).blockNumber)
})
