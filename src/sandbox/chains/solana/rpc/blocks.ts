import { genesisHashes } from '../../../../catalog/chain-ids.ts'
import type { Faults } from '../../faults.ts'
import type { Landed } from '../journal-entry.ts'
import { blockhashAge, genesisSlot, slotsPerEpoch } from '../slots.ts'
import { badParams, numberOf, oneOf, type Settings, settingsOf, votedCommitmentOf } from './params.ts'
import { presentTransaction } from './presentation.ts'
import { apiVersion, type Method, type View } from './view.ts'

const mostSlots = 500_000

/** The calls about the cluster that answer the same all the time. */
export function clusterMethods(faults: Faults): Readonly<Record<string, Method>> {
  return {
    getVersion: () => ({ 'solana-core': apiVersion, 'feature-set': 0 }),
    getGenesisHash: () => genesisHashes[faults.takes('wrong_chain_id') ? 'production' : 'sandbox'],
    getFirstAvailableBlock: () => genesisSlot,
    minimumLedgerSlot: () => genesisSlot,
  }
}

/** The calls that read slots and blocks. */
export const blockMethods: Readonly<Record<string, Method>> = {
  getSlot: (view, [config]) => view.slotFor(settingsOf(config)),
  getBlockHeight: (view, [config]) => view.chain.slots.height(view.slotFor(settingsOf(config))),
  getTransactionCount: (view) => view.chain.state.count,
  getLatestBlockhash: (view, [config]) => {
    const slot = view.slotFor(settingsOf(config))
    const { slots } = view.chain
    const value = { blockhash: slots.hash(slot), lastValidBlockHeight: slots.height(slot) + blockhashAge }
    return { context: view.context(slot), value }
  },
  isBlockhashValid: (view, [blockhash, config]) => {
    const slot = view.slotFor(settingsOf(config))
    if (typeof blockhash !== 'string') throw badParams('Invalid params: invalid type, expected a string.')
    return { context: view.context(slot), value: view.chain.slots.findHash(blockhash, slot) !== undefined }
  },
  getEpochInfo: (view, [config]) => {
    const slot = view.slotFor(settingsOf(config))
    return {
      absoluteSlot: slot,
      blockHeight: view.chain.slots.height(slot),
      epoch: Math.floor(slot / slotsPerEpoch),
      slotIndex: slot % slotsPerEpoch,
      slotsInEpoch: slotsPerEpoch,
      transactionCount: view.chain.state.count,
    }
  },
  getBlockTime: (view, [given]) => {
    const slot = slotOf(given)
    view.requireBlock(slot, 'confirmed')
    return view.chain.slots.time(slot)
  },
  getBlocks: (view, [from, to, config]) => {
    const isLast = typeof to === 'object' && to !== null
    const commitment = votedCommitmentOf(settingsOf(isLast ? to : config))
    const end = isLast || to === undefined || to === null ? Number.POSITIVE_INFINITY : slotOf(to)
    return listBlocks(view, slotOf(from), Math.min(end, view.slot(commitment)))
  },
  getBlocksWithLimit: (view, [from, limit, config]) => {
    const commitment = votedCommitmentOf(settingsOf(config))
    const most = numberOf(limit, 'the limit')
    if (most > mostSlots) throw badParams(`Limit too large; max ${mostSlots}`)
    const start = slotOf(from)
    return listBlocks(view, start, Math.min(view.slot(commitment), start + mostSlots)).slice(0, most)
  },
  getBlock: (view, [given, config]) => {
    const settings = typeof config === 'string' ? { encoding: config } : settingsOf(config)
    const slot = slotOf(given)
    view.requireBlock(slot, votedCommitmentOf(settings))
    const { slots } = view.chain
    const parentSlot = slot === genesisSlot ? slot : slots.below(slot, 1)
    return {
      blockhash: slots.hash(slot),
      previousBlockhash: slots.hash(parentSlot),
      parentSlot,
      blockHeight: slots.height(slot),
      blockTime: slots.time(slot),
      ...presentBlock(view.chain.state.inSlot(slot), settings),
      ...(settings.rewards === false ? {} : { rewards: [] }),
    }
  },
}

function presentBlock(transactions: readonly Landed[], settings: Settings) {
  const details = oneOf(settings.transactionDetails, ['full', 'accounts', 'signatures', 'none'], 'full')
  if (details === 'none') return {}
  if (details === 'signatures') return { signatures: transactions.map(({ signature }) => signature) }
  if (details === 'accounts') throw badParams('Invalid params: this node shows blocks with full transactions only.')
  return { transactions: transactions.map((landed) => presentTransaction(landed, settings)) }
}

function listBlocks(view: View, from: number, to: number): number[] {
  if (to - from > mostSlots) throw badParams(`Slot range too large; max ${mostSlots}`)
  const listed: number[] = []
  for (let slot = Math.max(from, genesisSlot); slot <= to; slot++) if (view.chain.slots.has(slot)) listed.push(slot)
  return listed
}

function slotOf(given: unknown): number {
  return numberOf(given, 'the slot')
}
