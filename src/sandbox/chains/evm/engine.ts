import {
  ContractDecoder,
  EdrContext,
  ISTHMUS,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
  OP_CHAIN_TYPE,
  OSAKA,
  opGenesisState,
  opHardforkFromString,
  opProviderFactory,
  type Provider,
} from '@nomicfoundation/edr'
import { chainIds, type EvmNetwork } from '../../../catalog/chain-ids.ts'
import { tokensOn } from '../networks.ts'
import artifacts from './contracts/artifacts.json' with { type: 'json' }
import { toRpcError } from './engine-error.ts'
import { operators } from './faucet.ts'
import { networkFacts } from './network-facts.ts'

/** Calls a method of the EVM that runs in this process. Errors are in geth's words. */
export type Engine = <Result = unknown>(method: string, ...params: unknown[]) => Promise<Result>

export type OpenEngine = (network: EvmNetwork) => Promise<Engine>

export const blockGasLimit = 30_000_000n
/** The first block is older than any business time of the sandbox. */
export const genesisTime = Date.UTC(2026, 0, 1) / 1_000
/** The address of the contract that gives test money away; SandboxToken.sol names it too. */
export const faucetContract = '0x000000000000000000000000000000000000fa0c'

/** Prepares the EVM of this process once; then opens a chain for each network. */
export async function createEngines(): Promise<OpenEngine> {
  const context = new EdrContext()
  await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
  await context.registerProviderFactory(OP_CHAIN_TYPE, opProviderFactory())
  return async (network) => toEngine(await openProvider(context, network))
}

function openProvider(context: EdrContext, network: EvmNetwork): Promise<Provider> {
  const { kind, baseFee } = networkFacts[network]
  const chainId = BigInt(chainIds.sandbox[network])
  const isOp = kind === 'op'
  return context.createProvider(
    isOp ? OP_CHAIN_TYPE : L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: false,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId,
      networkId: chainId,
      coinbase: toBytes('0x00000000000000000000000000000000c01bba5e'),
      defaultTransactionGasLimit: 16_777_216n,
      genesisState: [
        ...(isOp ? opGenesisState(opHardforkFromString(ISTHMUS)) : l1GenesisState(l1HardforkFromString(OSAKA))),
        ...ourGenesis(network),
      ],
      hardfork: isOp ? ISTHMUS : OSAKA,
      initialBaseFeePerGas: baseFee,
      initialParentBeaconBlockRoot: new Uint8Array(32),
      minGasPrice: 0n,
      mining: { autoMine: false, blockGasLimit, memPool: { order: MineOrdering.Fifo } },
      network: {
        genesisBlockGasLimit: blockGasLimit,
        genesisBlockTime: BigInt(genesisTime),
        genesisBlobGas: { gasUsed: 0n, excessGas: 0n },
      },
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  )
}

/** Places the tokens at their public test addresses, the faucet, and the faucet's operators with all native coins. */
function ourGenesis(network: EvmNetwork) {
  const codeOf = (name: 'SandboxUSDC' | 'SandboxEURC' | 'SandboxFaucet') => toBytes(artifacts[name].code)
  const contracts = tokensOn(network).map(({ label, contract }) => ({
    address: toBytes(contract),
    nonce: 1n,
    code: codeOf(label === 'EURC' ? 'SandboxEURC' : 'SandboxUSDC'),
  }))
  const faucet = { address: toBytes(faucetContract), nonce: 1n, code: codeOf('SandboxFaucet') }
  const rich = Object.values(operators).map(({ address }) => ({ address: toBytes(address), balance: 10n ** 40n }))
  return [...contracts, faucet, ...rich]
}

function toBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
}

function toEngine(provider: Provider): Engine {
  return async <Result>(method: string, ...params: unknown[]) => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const answer = typeof data === 'string' ? JSON.parse(data) : data
    if (answer.error) throw toRpcError(answer.error)
    return answer.result as Result
  }
}
