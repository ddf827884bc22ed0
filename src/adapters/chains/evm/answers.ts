import type { BlockRef, EventLog, FeeHistory, TransactionReceipt } from '../../../chains/node.ts'
import type { Hex } from '../../../lib/chains/node-error.ts'
import { invalid, readList, readObject } from '../raw-answers.ts'

/** A block's header, with the facts that prove an answer about its logs complete. */
export type Header = BlockRef & { bloom: Hex; transactionCount: number }

export function readQuantity(value: unknown, what = 'quantity'): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw invalid(what)
  return BigInt(value)
}

/** Reads bytes in lower case; of exactly this length when one is named. */
export function readHex(value: unknown, what: string, length?: number): Hex {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(value)) throw invalid(what)
  if (length !== undefined && value.length !== 2 + 2 * length) throw invalid(what)
  return value.toLowerCase() as Hex
}

const readHash = (value: unknown): Hex => readHex(value, 'hash', 32)
export const readAddress = (value: unknown): Hex => readHex(value, 'address', 20)

/** Reads a block; undefined for null: the node does not have it. */
export function readHeader(value: unknown): Header | undefined {
  if (value === null) return undefined
  const { number, hash, parentHash, timestamp, logsBloom, transactions } = readObject(value, 'block')
  return {
    number: readQuantity(number, 'block number'),
    hash: readHash(hash),
    parentHash: readHash(parentHash),
    timestamp: readQuantity(timestamp, 'time of a block'),
    bloom: readHex(logsBloom, 'bloom filter', 256),
    transactionCount: readList(transactions, 'list of transactions').length,
  }
}

export function readReceipt(value: unknown): TransactionReceipt | undefined {
  if (value === null) return undefined
  const raw = readObject(value, 'receipt')
  return {
    transactionHash: readHash(raw.transactionHash),
    block: { number: readQuantity(raw.blockNumber, 'block number'), hash: readHash(raw.blockHash) },
    from: readAddress(raw.from),
    to: raw.to === null || raw.to === undefined ? null : readAddress(raw.to),
    isSuccessful: readQuantity(raw.status, 'status of a receipt') === 1n,
    gasUsed: readQuantity(raw.gasUsed, 'gas of a receipt'),
    effectiveGasPrice: readQuantity(raw.effectiveGasPrice ?? '0x0', 'gas price of a receipt'),
    layerOneFee: readQuantity(raw.l1Fee ?? '0x0', 'fee of a receipt'),
    logs: readLogs(raw.logs),
  }
}

/**
 * Reads the logs of a transaction in their order. Their indexes in the block follow each other: a log that is listed
 * twice would be money that arrives twice, and one that is left out money that is missed.
 */
function readLogs(value: unknown): TransactionReceipt['logs'] {
  const placed = readList(value, 'list of logs').map(readPlacedLog).toSorted(byIndex)
  const [first] = placed
  if (placed.some(({ index }, at) => first && index !== first.index + BigInt(at))) {
    throw invalid('list of logs: their indexes do not follow each other')
  }
  return placed.map(({ log }) => log)
}

type PlacedLog = { index: bigint; log: Omit<EventLog, 'block' | 'transactionHash'> }

function readPlacedLog(value: unknown): PlacedLog {
  const raw = readObject(value, 'log')
  if (raw.removed === true) throw invalid('log: it was removed')
  return {
    index: readQuantity(raw.logIndex, 'index of a log'),
    log: {
      contract: readAddress(raw.address),
      topics: readList(raw.topics, 'list of topics').map((topic) => readHash(topic)),
      data: readHex(raw.data, 'data of a log'),
    },
  }
}

function byIndex(a: PlacedLog, b: PlacedLog): number {
  return a.index < b.index ? -1 : 1
}

export function readEventLog(value: unknown): EventLog {
  const raw = readObject(value, 'log')
  return {
    ...readPlacedLog(value).log,
    block: { number: readQuantity(raw.blockNumber, 'block number'), hash: readHash(raw.blockHash) },
    transactionHash: readHash(raw.transactionHash),
  }
}

export function readFeeHistory(value: unknown): FeeHistory {
  const { baseFeePerGas, reward } = readObject(value, 'fee history')
  return {
    nextBaseFee: readQuantity(readList(baseFeePerGas, 'fee history').at(-1), 'base fee'),
    tips: readList(reward ?? [], 'fee history').map((tips) => readQuantity(readList(tips, 'fee history')[0], 'tip')),
  }
}
