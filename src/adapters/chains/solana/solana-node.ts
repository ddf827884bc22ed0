import type {
  Commitment,
  Death,
  SignatureInfo,
  SignatureList,
  SignatureRange,
  SolanaNode,
} from '../../../chains/solana/node.ts'
import { NodeError } from '../../../lib/chains/node-error.ts'
import { programs } from '../../../lib/solana/programs.ts'
import type { OutboundHttp } from '../../outbound-http.ts'
import { createEndpoint, type Endpoint, RpcError } from '../json-rpc.ts'
import { agree, askAll, type Nodes } from '../quorum.ts'
import { readObject } from '../raw-answers.ts'
import {
  readAccounts,
  readInContext,
  readInteger,
  readOwned,
  readPriorityFees,
  readSignatures,
  readStatuses,
  readText,
  readTransaction,
} from './answers.ts'
import { createSolanaBroadcaster } from './send.ts'

export type SolanaNodeOptions = {
  genesisHash: string
  /** In order of preference. */
  rpcUrls: readonly string[]
  quorum: number
  timeoutMs: number
  /** Blocks tell real time, and so how far a node is behind. Those of the sandbox have its business time. */
  isRealTime: boolean
}

const network = 'SOLANA'
/** The most accounts, statuses and signatures that nodes take or give in one call. */
const [mostAccounts, mostStatuses, mostSignatures] = [100, 256, 1_000]
/** The most pages of newer signatures that a list passes over. */
const mostAhead = 50
/** The most transactions with one reference that the proof of a death reads. */
const mostNamed = 500_000
const transactionsTogether = 50
/** The blocks for which the network takes a blockhash. */
const blockhashLife = 150n
/** The greatest age of a node's newest final block while it proves that a transaction is dead. */
const mostBehindMs = 60_000

/** Asks the nodes of Solana over JSON-RPC. */
export function createSolanaNode(http: OutboundHttp, options: SolanaNodeOptions): SolanaNode {
  const { genesisHash, rpcUrls, quorum, timeoutMs, isRealTime } = options
  const identity = { method: 'getGenesisHash', what: 'genesis hash', expected: genesisHash }
  const endpoints = rpcUrls.map((url, at) =>
    createEndpoint(http, {
      name: `node ${at + 1} of ${network}`,
      url,
      lane: network,
      timeoutMs,
      identity,
      hasNumbers: true,
    }),
  )
  const nodes: Nodes = { endpoints, quorum, hedgeMs: Math.min(1_000, timeoutMs / 2) }
  const anyNode = { ...nodes, quorum: 1 }
  return {
    network,
    slots: () => readSlots(nodes),
    signaturesOf: (address, range) => agree(nodes, (endpoint) => readPages(endpoint, address, range)),
    transactions: (signatures, commitment) => readTransactions(nodes, signatures, commitment),
    accounts: async (addresses, { commitment, minSlot }) => {
      const read = inGroups(addresses, mostAccounts).map((group) => {
        const config = { encoding: 'base64', commitment, minContextSlot: Number(minSlot) }
        return agree(nodes, async (endpoint) =>
          readAccounts(
            readInContext(await endpoint.request('getMultipleAccounts', [group, config]), 'accounts').value,
            group.length,
          ),
        )
      })
      return (await Promise.all(read)).flat()
    },
    tokenAccountsOf: (owner, minSlot) =>
      agree(nodes, async (endpoint) => {
        const config = { encoding: 'base64', commitment: 'finalized', minContextSlot: Number(minSlot) }
        const asked = [owner, { programId: programs.token }, config]
        return readOwned(
          readInContext(await endpoint.request('getTokenAccountsByOwner', asked), 'accounts').value,
          owner,
        )
      }),
    statuses: async (signatures) => {
      const read = inGroups(signatures, mostStatuses).map((group) =>
        agree(nodes, async (endpoint) => (await askStatuses(endpoint, group)).statuses),
      )
      return (await Promise.all(read)).flat()
    },
    areKnown: async (signatures) => {
      const read = inGroups(signatures, mostStatuses).map((group) => areKnown(nodes, group))
      return (await Promise.all(read)).flat()
    },
    hasFailed: (signature) => hasFailed(nodes, signature),
    findDeath: (transaction) => findDeath(nodes, transaction, isRealTime),
    finalHeight: () => agree(anyNode, (endpoint) => readHeight(endpoint, 'finalized')),
    latestBlockhash: async () => {
      const reached = await readReachedHeight(nodes)
      // A blockhash that other nodes do not know only makes the transaction expire.
      return agree(anyNode, (endpoint) => readBlockhash(endpoint, reached))
    },
    priorityFees: (accounts) =>
      agree(anyNode, async (endpoint) =>
        readPriorityFees(await endpoint.request('getRecentPrioritizationFees', [accounts])),
      ),
    send: createSolanaBroadcaster(endpoints),
  }
}

/** Finds the newest slots that as many nodes as the quorum demands have reached: a node that is behind delays nothing. */
async function readSlots(nodes: Nodes): Promise<{ confirmed: bigint; finalized: bigint }> {
  const commitments = ['confirmed', 'finalized'] as const
  const calls = commitments.map((commitment) => ({ method: 'getSlot', params: [{ commitment }] }))
  const found = await askAll(nodes, async (endpoint) =>
    (await endpoint.batch(calls)).map((answer) => readInteger(answer, 'slot')),
  )
  const [confirmed, finalized] = commitments.map((_, at) => {
    const sorted = found.map((each) => each[at] as bigint).toSorted((a, b) => (a < b ? 1 : -1))
    return sorted[nodes.quorum - 1] as bigint
  }) as [bigint, bigint]
  // A block is confirmed before it is final.
  const isAhead = finalized > confirmed
  return { confirmed, finalized: isAhead ? confirmed : finalized }
}

/** Reads the highest confirmed block that as many nodes as the quorum demands have. */
async function readReachedHeight(nodes: Nodes): Promise<bigint> {
  const heights = await askAll(nodes, (endpoint) => readHeight(endpoint, 'confirmed'))
  return heights.toSorted((a, b) => (a < b ? 1 : -1))[nodes.quorum - 1] as bigint
}

/**
 * Reads a blockhash, and how long a block may take it. A transaction counts as dead after that height, so one node's word
 * is not enough: the height is never lower than the blocks of the quorum allow.
 */
async function readBlockhash(endpoint: Endpoint, reached: bigint) {
  const answer = await endpoint.request('getLatestBlockhash', [{ commitment: 'confirmed' }])
  const value = readObject(readInContext(answer, 'blockhash').value, 'blockhash')
  const claimed = readInteger(value.lastValidBlockHeight, 'height')
  const least = reached + blockhashLife
  if (claimed + blockhashLife < least || claimed > least + 2n * blockhashLife)
    throw new NodeError('unavailable', `${endpoint.name}: a blockhash until block ${claimed} at block ${reached}`)
  const blockhash = readText(value.blockhash, 'blockhash')
  const isLater = claimed > least
  return { blockhash, lastValidBlockHeight: isLater ? claimed : least }
}

/**
 * Reads pages at one node, newest first, and turns them round. How far a node is ahead of the slot does not change the
 * list, so that nodes agree on it.
 */
async function readPages(
  endpoint: Endpoint,
  address: string,
  { until, before: end, commitment, upToSlot, most }: SignatureRange,
): Promise<SignatureList> {
  const found: SignatureInfo[] = []
  const bounds = { commitment, limit: mostSignatures, minContextSlot: Number(upToSlot) }
  let before = end
  for (let page = 0; page <= most / mostSignatures + mostAhead; page += 1) {
    const range = { ...(before === null ? {} : { before }), ...(until === null ? {} : { until }) }
    const read = readSignatures(await endpoint.request('getSignaturesForAddress', [address, { ...bounds, ...range }]))
    if (read.some(({ signature }) => signature === before || signature === until)) {
      throw new NodeError('incomplete', `${endpoint.name}: a page of signatures overlaps`)
    }
    found.push(...read.filter(({ slot }) => slot <= upToSlot))
    const isLast = read.length < mostSignatures
    if (isLast || found.length > most) {
      return { signatures: found.slice(0, most).toReversed(), isAll: isLast && found.length <= most }
    }
    before = read.at(-1)?.signature ?? null
  }
  throw new NodeError(
    'incomplete',
    `${endpoint.name}: lists too many transactions of ${address} after slot ${upToSlot}`,
  )
}

/** The error of nodes about a transaction of a newer version than the request allows. */
const unsupportedVersion = -32_015

async function readTransactions(nodes: Nodes, signatures: readonly string[], commitment: Commitment) {
  const groups = inGroups(signatures, transactionsTogether).map((group) => {
    const askFor = (version: number) => {
      const config = { encoding: 'json', commitment, maxSupportedTransactionVersion: version }
      return group.map((signature) => ({ method: 'getTransaction', params: [signature, config] }))
    }
    return agree(nodes, async (endpoint) => {
      // Accounts and balances are laid out alike in every version, so a newer one must not hide the others.
      const answers = await endpoint.batch(askFor(0)).catch((error: unknown) => {
        if (error instanceof RpcError && error.code === unsupportedVersion) return endpoint.batch(askFor(255))
        throw error
      })
      return group.map((signature, at) => readTransaction(signature, answers[at]))
    })
  })
  return (await Promise.all(groups)).flat()
}

async function askStatuses(endpoint: Endpoint, signatures: readonly string[]) {
  const config = { searchTransactionHistory: true }
  const answer = await endpoint.request('getSignatureStatuses', [signatures, config])
  const { slot, value } = readInContext(answer, 'statuses')
  return { slot, statuses: readStatuses(value, signatures.length) }
}

async function readHeight(endpoint: Endpoint, commitment: Commitment): Promise<bigint> {
  return readInteger(await endpoint.request('getBlockHeight', [{ commitment }]), 'height')
}

type Mortal = Parameters<SolanaNode['findDeath']>[0]

async function areKnown(nodes: Nodes, signatures: readonly string[]): Promise<boolean[]> {
  const told = await askAll(nodes, async (endpoint) => (await askStatuses(endpoint, signatures)).statuses)
  return signatures.map((_, at) => told.some((statuses) => statuses[at]?.state !== 'UNKNOWN'))
}

async function hasFailed(nodes: Nodes, signature: string): Promise<boolean> {
  const told = (await askAll(nodes, (endpoint) => askStatuses(endpoint, [signature]))).map((each) => each.statuses[0])
  const final = told.filter((status) => status?.state === 'FINAL')
  return isMajority(nodes, final, told) && final.every(({ error }) => error !== null)
}

/** True for as many nodes as the quorum demands, and more than half of those that answered. */
function isMajority({ quorum }: Nodes, some: readonly unknown[], answered: readonly unknown[]): boolean {
  return some.length >= quorum && 2 * some.length > answered.length
}

/** Nodes differ in their heights, so each answers for itself whether it has the proof. */
async function findDeath(nodes: Nodes, transaction: Mortal, isRealTime: boolean): Promise<Death | undefined> {
  const proofs = await askAll(nodes, (endpoint) => proveDeath(endpoint, transaction, isRealTime))
  // One node that has it outweighs all others. One that has not reached the height may be behind, half of them not.
  if (proofs.some((proof) => proof === 'KNOWN')) return undefined
  const deaths = proofs.filter((proof) => typeof proof === 'object')
  if (!isMajority(nodes, deaths, proofs)) return undefined
  return deaths.toSorted((a, b) => (a.height < b.height ? -1 : 1))[0]
}

async function proveDeath(
  endpoint: Endpoint,
  { signature, blockhash, lastValidBlockHeight, reference }: Mortal,
  isRealTime: boolean,
): Promise<Death | 'KNOWN' | 'ALIVE'> {
  const height = await readHeight(endpoint, 'finalized')
  if (height <= lastValidBlockHeight || (await isBlockhashValid(endpoint, blockhash))) return 'ALIVE'
  // Read after the height, so it is the slot of that block or a later one.
  const slot = readInteger(await endpoint.request('getSlot', [{ commitment: 'finalized' }]), 'slot')
  if (isRealTime) await requireRecent(endpoint, slot)
  const { slot: statusSlot, statuses } = await askStatuses(endpoint, [signature])
  // Behind one address there may be another node, which is behind: its "unknown" proves nothing.
  if (statusSlot < slot) throw new NodeError('unavailable', `${endpoint.name}: is behind slot ${slot}`)
  if (statuses[0]?.state !== 'UNKNOWN') return 'KNOWN'
  const range = { until: null, before: null, commitment: 'finalized', upToSlot: slot, most: mostNamed } as const
  const { signatures: named, isAll } = await readPages(endpoint, reference, range)
  if (!isAll) throw new NodeError('incomplete', `${endpoint.name}: ${reference} has too many transactions`)
  return named.some((each) => !each.isFailed || each.signature === signature) ? 'KNOWN' : { height, slot }
}

/** Throws for a node that is behind: it has not seen new blockhashes, and tells that they are not valid. */
async function requireRecent(endpoint: Endpoint, slot: bigint): Promise<void> {
  const time = readInteger(await endpoint.request('getBlockTime', [Number(slot)]), 'time of a block')
  if (Number(time) * 1_000 < Date.now() - mostBehindMs) {
    throw new NodeError('unavailable', `${endpoint.name}: its newest final block has the time ${time}`)
  }
}

/** The last valid block is the word of one who asked for a signature. The blockhash is part of what was signed. */
async function isBlockhashValid(endpoint: Endpoint, blockhash: string): Promise<boolean> {
  const answer = await endpoint.request('isBlockhashValid', [blockhash, { commitment: 'processed' }])
  const { value } = readInContext(answer, 'blockhash')
  if (typeof value !== 'boolean') throw new NodeError('unavailable', `${endpoint.name}: an unreadable blockhash`)
  return value
}

function inGroups<Each>(list: readonly Each[], size: number): Each[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))
}
