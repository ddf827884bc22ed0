import type { Hex } from 'viem'

const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Wraps the code of a contract into a transaction that creates it. */
function creationOf(code: string): Hex {
  const length = (code.length / 2).toString(16).padStart(2, '0')
  return `0x60${length}80600b6000396000f3${code}`
}

/** Emits `Transfer(first word, second word, third word)`: the event of a token, without any token. */
export const eventForger = creationOf(`602060406000376020356000357f${transferTopic}60206000a300`)

/** Emits a `Transfer` with four topics, as a collectible does. */
export const collectibleForger = creationOf(`6040356020356000357f${transferTopic}60006000a400`)

/** Emits a `Transfer` whose addresses are in its data, where no index finds them. */
export const unindexedForger = creationOf(`606060006000377f${transferTopic}60606000a100`)

/** Calls the contract of the first word with the rest of the data, and ends well even when that call fails. */
export const carelessCaller = creationOf('6000600060203603806020600037600060006000355af100')

/** The data of a call: these words, then more bytes. */
export function wordsOf(words: readonly (string | bigint)[], more = ''): Hex {
  const encode = (word: string | bigint) =>
    (typeof word === 'bigint' ? word.toString(16) : word.slice(2).toLowerCase()).padStart(64, '0')
  return `0x${words.map(encode).join('')}${more.replace(/^0x/, '')}`
}
