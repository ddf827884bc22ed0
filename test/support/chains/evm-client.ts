import {
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  type PrivateKeyAccount,
  parseAbi,
  publicActions,
  type RpcError,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { chainIds, type EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { tokens } from '../../../src/catalog/currencies.ts'

export const tokenAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** An account that no other test uses. */
export function newAccount(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey())
}

export function usdcOn(network: EvmNetwork): Hex {
  return tokens[`USDC/${network}`].testContract as Hex
}

const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }

/** An independent client of a node, which signs for one account. It retries nothing, so that errors show. */
export function connectEvm(network: EvmNetwork, rpcUrl: string, account: PrivateKeyAccount = newAccount()) {
  const chain = {
    id: chainIds.sandbox[network],
    name: network,
    nativeCurrency,
    rpcUrls: { default: { http: [rpcUrl] } },
  }
  const transport = http(rpcUrl, { retryCount: 0 })
  return createWalletClient({ account, chain, transport, pollingInterval: 20, cacheTime: 0 }).extend(publicActions)
}

export type EvmClient = ReturnType<typeof connectEvm>

/** A plain client, for nodes that are only read. */
export function readEvm(rpcUrl: string) {
  return createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }), cacheTime: 0 })
}

/** The answer of a node to one raw JSON-RPC request. */
export type RawAnswer = { result?: unknown; error?: Pick<RpcError, 'code' | 'message'> & { data?: unknown } }

/** Sends one JSON-RPC request without a library in between. */
export async function askNode(rpcUrl: string, method: string, ...params: unknown[]): Promise<RawAnswer> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as RawAnswer
}
