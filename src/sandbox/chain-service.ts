import { chainIds, genesisHashes } from '../catalog/chain-ids.ts'
import { currencyOf, isNetwork, type Network, tokenAssets } from '../catalog/currencies.ts'
import { kindOf } from '../catalog/network-kinds.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { parseAmount } from '../lib/money.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { readAddress } from '../transactions/deposits/sightings/record.ts'
import type { ChainControl, ChainStatus } from './chains/control.ts'
import { evmFaultKinds, type FaultKind, solanaFaultKinds } from './chains/faults.ts'
import { isEvmNetwork, nativeCurrency } from './chains/networks.ts'

export type FaultBody = { kind: FaultKind; calls: number }
export type FaucetBody = { address: string; currency: string; amount: string }

/** An act on one chain. `key` identifies the request, so that its repetition does not act again. */
export type ChainAct = (control: ChainControl, network: Network, key: string) => Promise<ChainStatus>

export type LocalChain = { control: ChainControl; network: Network }

export type SandboxChains = ReturnType<typeof createSandboxChainService>

const tokenScale = 6
/** The decimals of the native coin, and the most digits of an amount that fit an account. */
const limits = { EVM: { nativeScale: 18, mostDigits: 30 }, SOLANA: { nativeScale: 9, mostDigits: 18 } }

/** Shows and steers the local chains. They act before the database transaction that records the act. */
export function createSandboxChainService({
  localChains,
  audit,
}: {
  localChains: ChainControl | undefined
  audit: Audit
}) {
  const open = (name: string): LocalChain => {
    if (!isNetwork(name)) throw notFound()
    if (localChains) return { control: localChains, network: name }
    throw new Refusal('CONFLICT', 'This sandbox simulates its networks. Start it with SVC_SANDBOX_CHAINS=local')
  }
  const record = (tx: Tx, { organizationId, apiKeyId }: Caller, action: string, network: string, details: object) =>
    audit.append(tx, {
      organizationId,
      actor: `api_key:${apiKeyId}`,
      action: `sandbox.chain_${action}`,
      subjectId: network,
      details: { ...details },
    })
  return {
    list: async () => ({ chains: ((await localChains?.status()) ?? []).map(presentChain) }),

    /** Finds a local chain by the name of its network. */
    open,

    act: async ({ control, network }: LocalChain, key: string, act: ChainAct) =>
      presentChain(await orConflict(act(control, network, key))),

    record,

    give: async ({ control, network }: LocalChain, key: string, body: FaucetBody) => {
      const address = readAddress(network, 'address', body.address)
      const gift = { key, address, currency: body.currency, amount: readUnits(network, body) }
      const { transactionHash, isMined } = await orConflict(control.faucet(network, gift))
      return { network, transactionHash, isMined, address, currency: body.currency, amount: body.amount }
    },
  }
}

/** Lets a node misbehave in one of the ways that nodes of its network know. */
export function causeFault({ kind, calls }: FaultBody): ChainAct {
  return (control, network, key) => {
    const kinds: readonly FaultKind[] = isEvmNetwork(network) ? evmFaultKinds : solanaFaultKinds
    if (!kinds.includes(kind)) throw badField('kind', `must be one of ${kinds.join(', ')} for ${network}`)
    return control.fault(network, { kind, calls, key })
  }
}

async function orConflict<Result>(acting: Promise<Result>): Promise<Result> {
  return acting.catch((error: unknown) => {
    throw new Refusal('CONFLICT', error instanceof Error ? error.message : String(error))
  })
}

function readUnits(network: Network, { currency, amount }: FaucetBody): string {
  const isNative = currency === nativeCurrency
  const asset = tokenAssets.find((each) => each === `${currency}/${network}`)
  if (!isNative && !asset) throw badField('currency', `must be ${nativeCurrency} or a token of ${network}`)
  const { nativeScale, mostDigits } = limits[kindOf(network)]
  const parsed = parseAmount(amount, isNative ? nativeScale : tokenScale)
  if (!parsed.ok) throw badField('amount', parsed.problem)
  const units = String(parsed.units)
  if (parsed.units === 0n || units.length > mostDigits)
    throw badField('amount', `must be greater than zero, with at most ${mostDigits} digits`)
  return units
}

function presentChain({ network, rpcUrl, head, finalized, isPaused, pending, faults }: ChainStatus) {
  const assets = tokenAssets.filter((asset) => asset.endsWith(`/${network}`))
  return {
    network,
    ...(isEvmNetwork(network) ? { chainId: chainIds.sandbox[network] } : { genesisHash: genesisHashes.sandbox }),
    rpcUrl,
    currencies: assets.map((asset) => currencyOf('sandbox', asset)),
    latestBlock: head.number,
    finalizedBlock: finalized,
    paused: isPaused,
    pendingTransactions: pending,
    faults,
  }
}
