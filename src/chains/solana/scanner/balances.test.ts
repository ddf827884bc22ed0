import { expect, test } from 'vitest'
import { programs } from '../../../lib/solana/programs.ts'
import type { SolanaTransaction } from '../node.ts'
import { chainBalances } from './balances.ts'

const watched = { account: 'account', owner: 'owner', balance: 5n }

/** A transaction of the account with these balances around it; without balances, as nodes tell where no tokens move. */
function make(slot: bigint, change?: [bigint, bigint], more: Partial<SolanaTransaction> = {}): SolanaTransaction {
  const [before = 0n, after = 0n] = change ?? []
  const facts = { account: 'account', mint: 'mint', owner: 'owner', program: programs.token }
  return {
    signature: `${slot} ${change}`,
    slot,
    time: null,
    error: null,
    fee: 5_000n,
    feePayer: 'stranger',
    feePayerChange: -5_000n,
    accounts: ['stranger', 'account', ...(change ? [programs.token] : [programs.system])],
    transfers: [],
    coinChanges: [],
    balances: change ? [{ ...facts, before, after }] : [],
    ...more,
  }
}

const named = { accounts: ['stranger', 'account', programs.token], balances: [] }

test.each([
  ['a transaction without token balances', [make(1n), make(2n, [5n, 9n])], [5n, 9n]],
  [
    'a failed one that names the token program',
    [make(1n, undefined, { ...named, error: 'x' }), make(2n, [5n, 9n])],
    [5n, 9n],
  ],
  [
    'an account that is created',
    [make(1n, [5n, 0n]), make(2n, undefined, named), make(3n, [0n, 9n])],
    [5n, 0n, 0n, 9n],
  ],
  ['a slot that is listed out of order', [make(1n, [7n, 9n]), make(1n, [5n, 7n]), make(1n)], [5n, 7n, 9n]],
  [
    'a slot whose first fitting change is not the first one',
    [make(1n, [5n, 7n]), make(1n, [5n, 6n]), make(1n, [6n, 5n])],
    [5n, 6n, 5n, 7n],
  ],
] as const)('%s is followed', (_, transactions, balances) => {
  expect(chainBalances(watched, 'mint', transactions)).toEqual(balances)
})

test.each([
  ['one is left out', [make(1n, [5n, 7n]), make(2n, [8n, 9n])]],
  ['slots change places', [make(1n, [7n, 9n]), make(2n, [5n, 7n])]],
  ['an account has no balance although tokens could move', [make(1n, undefined, named)]],
  ['a slot has a change apart from the others', [make(1n, [5n, 7n]), make(1n, [8n, 8n])]],
  ['a failed transaction moves tokens', [make(1n, [5n, 7n], { error: 'x' })]],
] as const)('a list is refused in which %s', (_, transactions) => {
  expect(() => chainBalances(watched, 'mint', transactions)).toThrow()
})
