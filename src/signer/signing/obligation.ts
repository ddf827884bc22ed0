import { type SealedObligation, writeObligation } from '../../lib/seals/content.ts'
import { isSealOf } from '../../lib/seals/seal.ts'
import type { CheckedDestination } from '../checked-destinations.ts'
import type { KeyPair } from '../derivation.ts'
import type { SealingKeyring } from '../sealing-keys.ts'
import type { OwnAddresses } from './authorization-store.ts'
import type { SigningKeys } from './keys.ts'

/** Movements between addresses of ours. */
export const ownPurposes: readonly string[] = ['COLLECT', 'SWEEP', 'REBALANCE']

/** Compares an obligation and its account with the seals; null when both are what the signer sealed. */
export function findSealProblem(
  request: SealedObligation & { seal: Buffer | null },
  { findKey: findSealingKey, memory }: SealingKeyring,
  destination: CheckedDestination | undefined,
): string | null {
  const isSealed = isSealOf(writeObligation(request), request.seal, findSealingKey, memory)
  if (!isSealed) return 'the seal of the obligation is wrong'
  if (request.paymentAccountId !== null && !destination?.isGenuine) return 'the seal of its account is wrong'
  return null
}

/** Finds our reserve, or our treasury when a seed of ours has its key. */
export async function findOwnAddress(
  keys: SigningKeys,
  { purpose }: Pick<SealedObligation, 'purpose'>,
  { treasury, reserve }: OwnAddresses,
): Promise<string | undefined> {
  if (purpose === 'REBALANCE') return reserve ?? undefined
  return treasury === null ? undefined : (await keys.ofService('TREASURY', treasury))?.address
}

/** The place of the address that pays: a wallet of the pool, or our treasury. */
export type Payer = {
  fromWalletId: string | null
  walletAddress: string | null
  seedId: string | null
  addressIndex: number | null
  treasuryAddress: string | null
}

export async function findKey(keys: SigningKeys, payer: Payer): Promise<KeyPair | undefined> {
  const { fromWalletId, walletAddress, seedId, addressIndex, treasuryAddress } = payer
  if (fromWalletId === null) return treasuryAddress === null ? undefined : keys.ofService('TREASURY', treasuryAddress)
  if (walletAddress === null || seedId === null || addressIndex === null) return undefined
  return keys.ofWallet(seedId, addressIndex, walletAddress)
}
