import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import { milliCoin } from '../../catalog/gas.ts'
import type { GasBounds } from '../../lib/settings/signing.ts'
import type { RelayRequest } from './relay-store.ts'

export type GasBudget = ReturnType<typeof createGasBudget>

type Counted = { hour: bigint; day: bigint }

/**
 * Counts the most that relayers may spend, the batch in progress included. Only one version of a nonce is executed, so
 * a nonce counts with its most expensive one.
 */
export function createGasBudget(gas: Readonly<Record<EvmNetwork, GasBounds>>, sums: ReadonlyMap<string, Counted>) {
  const spent = new Map<string, Counted>(sums)
  const nonces = new Map<string, Counted>()
  return {
    /** Counts a transaction; answers the bound that it would exceed. */
    count: (request: RelayRequest): string | undefined => {
      const { network, relayer, nonce } = request
      const { perHour, perDay } = gas[network]
      const key = `${network} ${relayer} ${nonce}`
      const former = nonces.get(key) ?? { hour: BigInt(request.countedInHour), day: BigInt(request.countedInDay) }
      const sum = spent.get(network) ?? { hour: 0n, day: 0n }
      const cost = BigInt(request.gasLimit) * BigInt(request.maxFee)
      const own = larger(cost, former.day)
      const next = { hour: sum.hour - former.hour + own, day: sum.day - former.day + own }
      if (perHour > 0 && next.hour > BigInt(perHour) * milliCoin) return 'GAS_PER_HOUR'
      if (perDay > 0 && next.day > BigInt(perDay) * milliCoin) return 'GAS_PER_DAY'
      spent.set(network, next)
      nonces.set(key, { hour: own, day: own })
      return undefined
    },
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
