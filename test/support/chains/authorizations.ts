import { type Hex, parseSignature } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { type EvmClient, usdcOn } from './evm-client.ts'

type Wanted = { to: Hex; value: bigint; validAfter?: bigint; validBefore?: bigint; version?: string }

const field = (type: string, name: string) => ({ name, type })

/** Signs an authorization of EIP-3009 with a library of its own, and returns the arguments of its call. */
export async function signAuthorization({ account, chain }: EvmClient, network: EvmNetwork, wanted: Wanted) {
  const { to, value, validAfter = 0n, validBefore = 1n << 40n, version = '2' } = wanted
  const message = { from: account.address, to, value, validAfter, validBefore, nonce: generatePrivateKey() }
  const signature = await account.signTypedData({
    domain: { name: 'USDC', version, chainId: chain.id, verifyingContract: usdcOn(network) },
    types: {
      TransferWithAuthorization: [
        field('address', 'from'),
        field('address', 'to'),
        field('uint256', 'value'),
        field('uint256', 'validAfter'),
        field('uint256', 'validBefore'),
        field('bytes32', 'nonce'),
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { r, s, yParity } = parseSignature(signature)
  return [message.from, to, value, validAfter, validBefore, message.nonce, 27 + yParity, r, s] as const
}
