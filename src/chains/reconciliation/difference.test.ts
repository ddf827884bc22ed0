import { expect, test } from 'vitest'
import { type Cause, type Difference, explain } from './difference.ts'

const cause = (name: Cause['cause'], amount: bigint): Cause => ({ cause: name, reference: '0x1', amount })
const dust = cause('dust', 7n)
const waiting = cause('not credited yet', 20n)
const quarantined = cause('quarantined', 100n)
const unrecorded = cause('received, and not recorded', 500n)

// biome-ignore format: a table is read by column
test.each([
  // what                                              surplus  causes                    explained by              rest
  ['an exact surplus',                                 7n,      [dust],                   [dust],                   0n],
  ['several causes',                                   27n,     [dust, waiting],          [dust, waiting],          0n],
  ['stolen as much as waits to be credited',           0n,      [waiting],                [waiting],                -20n],
  ['nothing, and nothing known',                       0n,      [],                       [],                       0n],
  ['a loss without a cause',                           -5n,     [],                       [],                       -5n],
  ['an operator has recorded it since',                0n,      [unrecorded],             [],                       0n],
  ['not recorded yet',                                 500n,    [unrecorded],             [unrecorded],             0n],
  ['one of two is recorded',                           100n,    [quarantined, unrecorded], [quarantined],           0n],
  ['a part of what is known to have come is missing',  499n,    [unrecorded],             [],                       499n],
  ['dust beside what is not recorded',                 507n,    [unrecorded, dust],       [dust, unrecorded],       0n],
] as const)('%s', (_, surplus, causes, by, rest) => {
  const difference: Difference = { about: 'CHAIN', asset: 'USDC/BASE', place: 'here', ledger: 1_000n, chain: 1_000n + surplus, causes }
  expect(explain(difference)).toEqual({ causes: by, rest })
})
