import type { TokenMove } from '../../../chains/solana/node.ts'
import { readBase58 } from '../../../lib/addresses/base58.ts'
import { programs } from '../../../lib/solana/programs.ts'

/** An instruction: the accounts that it names, in its own order, and its data. */
export type Instruction = { program: string; accounts: readonly string[]; data: string }

/** The first byte of an instruction of the Token program, and the places of its accounts. */
const moves: Readonly<Record<number, { source: number; destination: number; authority: number }>> = {
  // Transfer
  3: { source: 0, destination: 1, authority: 2 },
  // TransferChecked names the mint, too.
  12: { source: 0, destination: 2, authority: 3 },
}
const batch = 255
const amountEnd = 9

/** Lists the transfers of tokens among instructions. Those of other programs, and of other kinds, are passed over. */
export function readMoves(instructions: readonly Instruction[]): TokenMove[] {
  return instructions.flatMap(({ program, accounts, data }) => {
    const bytes = program === programs.token ? readBase58(data) : undefined
    return bytes ? readMove(accounts, bytes) : []
  })
}

function readMove(accounts: readonly string[], data: Uint8Array): TokenMove[] {
  const [kind = -1] = data
  if (kind === batch) return readBatch(accounts, data.subarray(1))
  const places = moves[kind]
  if (!places || data.length < amountEnd) return []
  const [source, destination, authority] = [places.source, places.destination, places.authority].map(
    (at) => accounts[at],
  )
  if (source === undefined || destination === undefined || authority === undefined) return []
  const amount = new DataView(data.buffer, data.byteOffset).getBigUint64(1, true)
  return [{ source, destination, authority, amount }]
}

/** A batch is a row of instructions in one: the number of its accounts, the length of its data, the data. */
function readBatch(accounts: readonly string[], data: Uint8Array): TokenMove[] {
  const found: TokenMove[] = []
  let [place, taken] = [0, 0]
  while (place + 2 <= data.length) {
    const [count = 0, length = 0] = data.subarray(place, place + 2)
    const inner = data.subarray(place + 2, place + 2 + length)
    // A batch within a batch is refused by the program.
    if (inner[0] !== batch) found.push(...readMove(accounts.slice(taken, taken + count), inner))
    place += 2 + length
    taken += count
  }
  return found
}
