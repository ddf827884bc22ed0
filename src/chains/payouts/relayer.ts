import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import { gasFacts, gwei } from '../../catalog/gas.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Database } from '../../db/database.ts'
import type { Finality } from '../../lib/settings/chains.ts'
import type { GasBounds } from '../../lib/settings/signing.ts'
import type { ChainNode, FeeHistory, Hex } from '../node.ts'
import { choosePrice, type FeeBounds, type GasPrice } from './fees.ts'
import * as store from './relay-store.ts'
import { waitFor } from './wait.ts'

/** A network on which Svc pays: its nodes, and the bounds of what its relayer spends. */
export type PayingNetwork = { node: ChainNode; finality: Finality; gas: GasBounds }

export type RelayerDeps = PayingNetwork & {
  database: Database
  custody: Pick<CustodyService, 'findServiceAddress'>
  onPoint(point: string): void
  /** Gives a new relayer of the sandbox its first coins. Once per relayer. */
  fundRelayer?(network: EvmNetwork, address: string): Promise<void>
}

export type Relayer = ReturnType<typeof createRelayer>

/** Fees hold for a moment: many transfers that leave together need one question. */
const feesLiveMs = 500
const feeBlocks = 5
const feePercentile = 50

/**
 * Executes signed authorizations on one network and pays for their gas. A nonce is allocated and the transaction signed
 * and committed before it is broadcast, so that a crash loses none of them: the upkeep broadcasts what is left.
 */
export function createRelayer(deps: RelayerDeps) {
  const { database, node, custody, gas } = deps
  const { network } = node
  const bounds = { cap: BigInt(gas.maxFeeGwei) * gwei, leastTip: gasFacts[network].leastTip }
  const { readFees, findPrice } = createFeeReader(node, bounds)

  /** Finds the relayer in use, and enters it before its first transaction. */
  const findRelayer = async (): Promise<string> => {
    const address = await custody.findServiceAddress('EVM', 'RELAYER')
    if (address === undefined) throw new Error('the signer has published no relayer yet')
    if (!(await store.hasRelayer(database, network, address))) {
      await deps.fundRelayer?.(network, address)
      await store.insertRelayer(database, network, address, await node.transactionCount(address, 'latest'))
    }
    return address
  }

  /** Broadcasts signed transactions. What a node refuses or does not answer stays for the upkeep. */
  const broadcast = async (signed: readonly store.RelayTransaction[]): Promise<void> => {
    if (signed.length === 0) return
    const sent = await Promise.all(
      signed.map(async ({ network: on, relayer, nonce, version, raw }) => {
        const outcome = await node.sendRaw(`0x${raw}` as Hex)
        const problem = outcome.outcome === 'ACCEPTED' ? null : outcome.message.slice(0, 200)
        const refusal = outcome.outcome === 'REFUSED' ? outcome.reason : null
        return { network: on, relayer, nonce, version, refusal, problem }
      }),
    )
    await store.recordSends(database, sent)
    deps.onPoint('relays sent')
  }

  return {
    network,
    bounds,
    readFees,
    findPrice,
    findRelayer,
    broadcast,

    /**
     * Relays authorizations whose bytes are committed; each once, however often it is called. False while gas costs
     * more than the cap: a nonce that no node takes would block all later ones, so none is allocated.
     */
    relay: async (authorizationIds: readonly string[], signal: AbortSignal): Promise<boolean> => {
      const relayer = await findRelayer()
      const price = await findPrice()
      if (!price) return false
      signal.throwIfAborted()
      const gasLimit = gasFacts[network].transferGas
      await database.inTx((tx) =>
        store.allocateNonces(tx, { network, relayer }, authorizationIds, { ...price, gasLimit }),
      )
      deps.onPoint('nonces allocated')
      const relays = await waitFor(signal, async () =>
        (await store.areRelaysDecided(database, authorizationIds))
          ? store.readRelaysOf(database, authorizationIds)
          : undefined,
      )
      deps.onPoint('relays signed')
      await broadcast(relays.filter(({ raw, sends }) => raw !== null && sends === 0))
      return true
    },
  }
}

/** Reads the fees of a network, and keeps them for a moment. */
function createFeeReader(node: ChainNode, bounds: FeeBounds) {
  let fees: { history: FeeHistory; staleAtMs: number } | undefined
  const readFees = async (): Promise<FeeHistory> => {
    if (!fees || performance.now() >= fees.staleAtMs) {
      const history = await node.feeHistory(feeBlocks, feePercentile)
      fees = { history, staleAtMs: performance.now() + feesLiveMs }
    }
    return fees.history
  }
  const findPrice = async (): Promise<GasPrice | undefined> => {
    const price = choosePrice(await readFees(), bounds)
    if (price) return price
    // Fees above the cap may have fallen since.
    fees = undefined
    return choosePrice(await readFees(), bounds)
  }
  return { readFees, findPrice }
}
