/** A generator of numbers below a limit that repeats with its seed (mulberry32). */
export function createDice(start: number) {
  let state = start >>> 0
  return (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}
export type Dice = ReturnType<typeof createDice>

const fragments = [
  '<',
  '>',
  '&',
  '&#0;',
  '</Ntry>',
  '<Ntry>',
  '<!DOCTYPE a>',
  ']]>',
  '\n',
  '\r\n',
  '\0',
  '9'.repeat(94),
  'é',
  '-',
  '00',
]

/** Changes a file in one to three places. */
export function mutate(bytes: Buffer, dice: Dice): Buffer {
  let mutated = bytes
  for (let left = 1 + dice(3); left > 0; left -= 1) {
    const at = dice(mutated.length + 1)
    const length = dice(60)
    const [before, piece, after] = [
      mutated.subarray(0, at),
      mutated.subarray(at, at + length),
      mutated.subarray(at + length),
    ]
    const flipped = Buffer.from(piece)
    if (flipped.length > 0) flipped[0] = dice(256)
    const digit = Buffer.from(piece.toString('latin1').replace(/\d/, String(dice(10))), 'latin1')
    const options = [
      [before, after],
      [before, piece, piece, after],
      [before],
      [before, flipped, after],
      [before, digit, after],
      [before, Buffer.from(fragments[dice(fragments.length)] as string), piece, after],
      [after, piece, before],
    ]
    mutated = Buffer.concat(options[dice(options.length)] as Buffer[])
  }
  return mutated
}
