import { readSolanaAddress } from '../../../lib/addresses/solana-address.ts'
import { tokensOn } from '../networks.ts'
import type { Engine } from './engine.ts'
import { operator } from './instructions.ts'
import { programs, writeMint } from './token-accounts.ts'

const operatorCoins = 5n * 10n ** 18n

/** Places the tokens at their public test addresses, and gives the operator the coins of the sandbox. */
export function placeGenesis(engine: Engine): void {
  const authority = readSolanaAddress(operator.address) as Uint8Array
  for (const { contract } of tokensOn('SOLANA')) {
    const data = writeMint(authority, 6)
    const lamports = engine.rentExemption(data.length)
    engine.set(contract, { lamports, owner: programs.token, data, isExecutable: false })
  }
  const empty = { data: new Uint8Array(), isExecutable: false }
  engine.set(operator.address, { lamports: operatorCoins, owner: programs.system, ...empty })
}
