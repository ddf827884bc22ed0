import { programs } from '../../../lib/solana/programs.ts'
import { readMintDecimals } from '../../../lib/solana/token-account.ts'
import { WrongToken } from '../../scanner/scan.ts'
import type { SolanaNode } from '../node.ts'

/** Checks that each mint belongs to the Token program, which we sign for, and has these decimals. */
export async function checkMints(
  node: SolanaNode,
  mints: readonly { mint: string; decimals: number }[],
  minSlot: bigint,
): Promise<void> {
  const found = await node.accounts(
    mints.map(({ mint }) => mint),
    { commitment: 'finalized', minSlot },
  )
  for (const [at, { mint, decimals }] of mints.entries()) {
    const account = found[at]
    if (!account) throw new WrongToken(mint, 'does not exist')
    if (account.program !== programs.token) throw new WrongToken(mint, 'does not belong to the Token program')
    if (readMintDecimals(account.data) !== decimals) throw new WrongToken(mint, `has not ${decimals} decimals`)
  }
}
