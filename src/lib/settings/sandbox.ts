import type { settingsOf } from '../settings.ts'
import { type LocalChainsConfig, noLocalChains, readLocalChains } from './chains.ts'

export type SandboxSettings = {
  /** The delay of a verification in the sandbox. */
  verificationDelayMs: number
  /** The time that a sandbox bank or chain takes to pay, in business time. */
  sandboxPayoutDelaySeconds: number
  /** The opening balance of each sandbox bank account and treasury, in whole units. */
  sandboxLiquidity: number
  /** Sandbox: `local` runs EVM networks of its own, `memory` only simulates their transfers. */
  sandboxChains: 'local' | 'memory'
  /** The local chains. */
  localChains: LocalChainsConfig
}

/** Reads the sandbox settings. Production does not know them and refuses to start with one. */
export function readSandbox(
  environment: 'sandbox' | 'production',
  settings: ReturnType<typeof settingsOf>,
): SandboxSettings {
  const { integer, oneOf } = settings
  if (environment === 'production') {
    return {
      verificationDelayMs: 0,
      sandboxPayoutDelaySeconds: 0,
      sandboxLiquidity: 0,
      sandboxChains: 'memory',
      localChains: noLocalChains,
    }
  }
  return {
    verificationDelayMs: 1_000 * integer('SVC_SANDBOX_VERIFICATION_DELAY', 3, 0, 86_400),
    sandboxPayoutDelaySeconds: integer('SVC_SANDBOX_PAYOUT_DELAY', 1, 0, 86_400),
    sandboxLiquidity: integer('SVC_SANDBOX_LIQUIDITY', 1_000_000_000, 0, 1_000_000_000_000),
    sandboxChains: oneOf('SVC_SANDBOX_CHAINS', ['local', 'memory'] as const, 'local'),
    localChains: readLocalChains(settings),
  }
}
