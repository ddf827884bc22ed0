import type { settingsOf } from '../settings.ts'

/** The most that the signer lets leave for others, in whole units of a token; 0 is no limit. Counted per asset. */
export type SigningLimits = { perTransaction: number; perHour: number; perDay: number }

/** The bounds of a relayer: a fee in gwei per unit of gas, budgets in thousandths of a coin. A budget of 0 has no bound. */
export type GasBounds = { maxFeeGwei: number; perHour: number; perDay: number }

/** The bounds on Solana: a price of priority in millionths of a lamport per unit, budgets in thousandths of a SOL. */
export type SolanaBounds = { maxPriority: number; perHour: number; perDay: number }

export type SigningSettings<Network extends string> = {
  limits: SigningLimits
  gas: Record<Network, GasBounds>
  solana: SolanaBounds
}

/** Reads the bounds of signatures. The sandbox has none on amounts: its tokens are worth nothing. */
export function readSigningSettings<Network extends string>(
  { integer }: ReturnType<typeof settingsOf>,
  environment: 'sandbox' | 'production',
  facts: Readonly<Record<Network, GasBounds>>,
  solana: SolanaBounds,
): SigningSettings<Network> {
  const most = 1_000_000_000_000
  const byDefault = (limit: number) => (environment === 'production' ? limit : 0)
  const readGas = (network: Network): GasBounds => {
    const { maxFeeGwei, perHour, perDay } = facts[network]
    return {
      maxFeeGwei: integer(`SVC_${network}_MAX_FEE_GWEI`, maxFeeGwei, 1, 1_000_000),
      perHour: integer(`SVC_${network}_GAS_PER_HOUR`, byDefault(perHour), 0, most),
      perDay: integer(`SVC_${network}_GAS_PER_DAY`, byDefault(perDay), 0, most),
    }
  }
  return {
    limits: {
      perTransaction: integer('SVC_SIGNER_LIMIT_PER_TRANSACTION', byDefault(250_000), 0, most),
      perHour: integer('SVC_SIGNER_LIMIT_PER_HOUR', byDefault(1_000_000), 0, most),
      perDay: integer('SVC_SIGNER_LIMIT_PER_DAY', byDefault(5_000_000), 0, most),
    },
    solana: {
      maxPriority: integer('SVC_SOLANA_MAX_PRIORITY', solana.maxPriority, 1, 1_000_000_000),
      perHour: integer('SVC_SOLANA_GAS_PER_HOUR', byDefault(solana.perHour), 0, most),
      perDay: integer('SVC_SOLANA_GAS_PER_DAY', byDefault(solana.perDay), 0, most),
    },
    gas: Object.fromEntries((Object.keys(facts) as Network[]).map((network) => [network, readGas(network)])) as Record<
      Network,
      GasBounds
    >,
  }
}
