import { readSolanaAddress } from '../../../lib/addresses/solana-address.ts'
import { tokensOn } from '../networks.ts'
import type { Engine } from './engine.ts'
import { operator } from './instructions.ts'
import { programs, writeMint } from './token-accounts.ts'

/** The mint that stands for SOL itself. It has nine decimals, and no authority. */
const wrappedSol = 'So11111111111111111111111111111111111111112'
const authorityBytes = 36
const operatorCoins = 5n * 10n ** 18n

/** Places the tokens at their public test addresses, and gives the operator the coins of the sandbox. */
export function placeGenesis(engine: Engine): void {
  const authority = readSolanaAddress(operator.address) as Uint8Array
  for (const { contract } of tokensOn('SOLANA')) {
    const data = writeMint(authority, 6)
    const lamports = engine.rentExemption(data.length)
    engine.set(contract, { lamports, owner: programs.token, data, isExecutable: false })
  }
  const wrapped = writeMint(authority, 9).fill(0, 0, authorityBytes)
  const lamports = engine.rentExemption(wrapped.length)
  engine.set(wrappedSol, { lamports, owner: programs.token, data: wrapped, isExecutable: false })
  const empty = { data: new Uint8Array(), isExecutable: false }
  engine.set(operator.address, { lamports: operatorCoins, owner: programs.system, ...empty })
}
