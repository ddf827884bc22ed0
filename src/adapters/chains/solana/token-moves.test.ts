import { expect, test } from 'vitest'
import { writeBase58 } from '../../../lib/addresses/base58.ts'
import { programs } from '../../../lib/solana/programs.ts'
import { readMoves } from './token-moves.ts'

const five = [5, 0, 0, 0, 0, 0, 0, 0]
const transfer = [3, ...five]
const checked = [12, ...five, 6]
const move = { source: 'a', destination: 'b', authority: 'c', amount: 5n }
const token = programs.token

// biome-ignore format: a table is read by column
test.each([
  ['a transfer',                   token,              ['a', 'b', 'c'],      transfer, [move]],
  ['a checked transfer',           token,              ['a', 'm', 'b', 'c'], checked,  [move]],
  ['a batch of both',              token,              ['a', 'b', 'c', 'a', 'm', 'b', 'c'],
                                   [255, 3, 9, ...transfer, 4, 10, ...checked],        [move, move]],
  ['a transfer of another program', programs.token2022, ['a', 'b', 'c'],     transfer, []],
  ['a mint',                       token,              ['m', 'b', 'c'],      [7, ...five], []],
  ['a transfer that is cut short', token,              ['a', 'b'],           transfer, []],
  ['nothing',                      token,              [],                   [],       []],
  ['a batch that is cut short',    token,              ['a'],                [255, 3, 200, 3], []],
] as const)('%s', (_, program, accounts, data, moves) => {
  expect(readMoves([{ program, accounts, data: writeBase58(Uint8Array.from(data)) }])).toEqual(moves)
})
