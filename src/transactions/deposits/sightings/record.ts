import { isFiat, type Network } from '../../../catalog/currencies.ts'
import { kindOf } from '../../../catalog/network-kinds.ts'
import { normalizeAddress } from '../../../custody/address.ts'
import type { CustodyService } from '../../../custody/service.ts'
import type { Tx } from '../../../db/database.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { isUuid, newId, platformOrganizationId } from '../../../lib/ids.ts'
import { badField } from '../../../lib/refusal.ts'
import { canMove } from '../../../lib/transitions.ts'
import { wakeExpired } from '../held-store.ts'
import { type ReverseDeps, reverseDeposit } from '../reversals/reverse.ts'
import { findReported } from '../reversals/store.ts'
import * as blocks from './block-store.ts'
import { quarantineMoves } from './quarantine.ts'
import { decideQuarantined, insertQuarantined } from './quarantine-store.ts'
import { type NewSighting, type ReportOutcome, type SightingKey, sightingMoves } from './sighting.ts'
import * as store from './store.ts'

export type SightingDeps = ReverseDeps & {
  custody: Pick<CustodyService, 'isOwnAddress'>
  ledger: Pick<LedgerService, 'haltAssetIn'>
  onQuarantined(sighting: SightingKey): void
  /** Raises the alarm: a chain has dropped a block that it had called final. */
  onContradicted(sighting: SightingKey): void
}

/** The name of the invariant that a chain violates when a final block does not stay. */
export const finalityInvariant = 'a final block stays in its chain'

/** Records the transfers that watchers of banks and chains report. */
export function createSightingRecorder(deps: SightingDeps) {
  return {
    /** Records a transfer that a watcher of a bank or chain saw. */
    recordSighting: (tx: Tx, sighting: NewSighting): Promise<ReportOutcome> => recordSighting(deps, tx, sighting),

    /** Keeps a bank's entry that may be a known one out of the books until a person decides. */
    quarantineSighting: (tx: Tx, sighting: NewSighting, isAnnounced = true): Promise<string> =>
      quarantineSighting(deps, tx, sighting, isAnnounced),

    /** Raises the alarm about an entry that was quarantined without it. */
    announceQuarantined: deps.onQuarantined,

    /** Ends the quarantine of an entry that other entries explain; false when a person has accepted it. */
    dismissQuarantined: async (tx: Tx, acceptedAs: string): Promise<boolean> => {
      const quarantineId = acceptedAs.split('~').at(-1) ?? ''
      return isUuid(quarantineId) && (await decideQuarantined(tx, quarantineId, quarantineMoves.dismiss)) !== undefined
    },

    /** Records that a chain has dropped final blocks: their transfers wait for other blocks. */
    doubtSightings: async (tx: Tx, network: Network, dropped: DroppedBlocks): Promise<void> => {
      const doubted = await blocks.doubtSightings(tx, network, dropped, sightingMoves.doubt)
      for (const sighting of doubted) await alarm(deps, tx, sighting)
    },

    /** Records that a chain has dropped the block of a transfer. */
    orphanSighting: (tx: Tx, orphaned: OrphanedSighting): Promise<ReportOutcome> => orphanSighting(deps, tx, orphaned),
  }
}

/**
 * Records a sighting once per reference, and later reports as moves of its state. Another entry under the reference is
 * quarantined: it may be a second transfer, and must neither be lost nor booked unseen.
 */
async function recordSighting(deps: SightingDeps, tx: Tx, reported: NewSighting): Promise<ReportOutcome> {
  if (BigInt(reported.amount) === 0n) return 'IGNORED'
  const sighting = normalize(reported)
  if (await insertOwned(deps, tx, sighting)) return 'RECORDED'
  const known = await store.lockSighting(tx, sighting)
  // A transfer that was dropped after it had become a deposit is a new one when it comes back.
  const isSame = known?.isSame && !(known.state === 'ORPHANED' && (await store.hasDeposit(tx, sighting)))
  if (!isSame) return quarantine(deps, tx, sighting)
  return applyReport(deps, tx, sighting, known)
}

async function applyReport(
  deps: SightingDeps,
  tx: Tx,
  sighting: NewSighting,
  { state, blockHash }: store.KnownSighting,
): Promise<ReportOutcome> {
  const isSameBlock = (sighting.block?.hash ?? null) === blockHash
  const move = sighting.state === 'FINAL' ? 'finalize' : 'include'
  if (canMove(sightingMoves, move, state)) {
    if (state === sighting.state && isSameBlock) return 'REPEATED'
    const isDeposit = move === 'finalize' && (await store.hasDeposit(tx, sighting))
    await store.moveSighting(tx, sighting, sightingMoves[move], { isNewBlock: !isSameBlock, isDeposit })
    return 'MOVED'
  }
  if (sighting.state === 'SEEN' || isSameBlock) return 'REPEATED'
  // The transfer is still there, but a chain that replaces final blocks must not be paid on.
  await blocks.replaceBlock(tx, sighting)
  await alarm(deps, tx, sighting)
  return 'CONTRADICTED'
}

/**
 * Keeps a bank's entry that may be a known one out of the books until a person decides. Answers the external id that its
 * deposit has if it is accepted.
 */
async function quarantineSighting(
  deps: SightingDeps,
  tx: Tx,
  sighting: NewSighting,
  isAnnounced: boolean,
): Promise<string> {
  const quarantineId = newId()
  const { isNew } = await insertQuarantined(tx, quarantineId, sighting)
  if (!isNew) throw new Error(`the entry ${sighting.externalId} is in quarantine already`)
  if (isAnnounced) deps.onQuarantined(sighting)
  return `${sighting.externalId}~${quarantineId}`
}

async function quarantine(deps: SightingDeps, tx: Tx, sighting: NewSighting): Promise<ReportOutcome> {
  // The observer reports it again once it is final.
  if (sighting.state !== 'FINAL') return 'IGNORED'
  const { status, isNew } = await insertQuarantined(tx, newId(), sighting)
  if (isNew) deps.onQuarantined(sighting)
  return status === 'OPEN' ? 'QUARANTINED' : 'REPEATED'
}

async function alarm(deps: SightingDeps, tx: Tx, sighting: Pick<NewSighting, 'asset'> & SightingKey): Promise<void> {
  await deps.ledger.haltAssetIn(tx, sighting.asset, finalityInvariant)
  deps.onContradicted(sighting)
}

/** The blocks above a fork that a chain has dropped: all but those known to stand. */
type DroppedBlocks = { above: bigint; standing: readonly string[] }

/** A transfer whose block is no longer part of the chain. */
export type OrphanedSighting = SightingKey & { blockHash: string }

/**
 * Records that the chain has dropped a block with this transfer. A report about another block than a recorded one
 * changes nothing: the transfer is in a newer block. If the block was final, a deposit is reversed.
 */
async function orphanSighting(deps: SightingDeps, tx: Tx, orphaned: OrphanedSighting): Promise<ReportOutcome> {
  const known = await blocks.lockInBlock(tx, orphaned, orphaned.blockHash)
  if (!known || known.state === 'ORPHANED') return 'REPEATED'
  const isFinal = known.state === 'FINAL'
  const isCredited = isFinal || (await store.hasDeposit(tx, known))
  await blocks.dropSighting(tx, known, isFinal ? sightingMoves.contradict : sightingMoves.orphan)
  if (isCredited) await contradict(deps, tx, known, orphaned.blockHash)
  // After the reversal: payouts are locked before transactions.
  await wakeTransaction(tx, known)
  return isCredited ? 'CONTRADICTED' : 'MOVED'
}

/** Reverses the deposit of a transfer whose final block is gone, and raises the alarm. */
async function contradict(deps: SightingDeps, tx: Tx, known: store.SightingInBlock, blockHash: string): Promise<void> {
  const deposit = await findReported(tx, known)
  if (deposit && deposit.reversedAmount !== deposit.amount) {
    const { method, book, externalId } = deposit
    const reversal = { reversalId: blockHash, reason: 'block_orphaned' }
    await reverseDeposit(deps, tx, { method, book, externalId, ...reversal })
  }
  await alarm(deps, tx, known)
}

/** Lets a transaction expire that waited for this transfer. */
export async function wakeTransaction(tx: Tx, sighting: store.SightingFacts): Promise<void> {
  const owner = await findOwner(tx, sighting)
  if (owner?.transactionId) {
    await wakeExpired(tx, { organizationId: owner.organizationId, transactionId: owner.transactionId })
  }
}

/** Inserts a sighting for the organization that it names now; false when its reference is taken. */
export async function insertOwned(
  { custody }: Pick<SightingDeps, 'custody'>,
  tx: Tx,
  sighting: NewSighting,
): Promise<boolean> {
  const { asset, method, fromAddress } = sighting
  const isOwn =
    !isFiat(asset) && fromAddress !== null && (await custody.isOwnAddress(kindOf(method as Network), fromAddress, tx))
  const owner = await findOwner(tx, sighting)
  const expectedOrganizationId = owner?.organizationId ?? platformOrganizationId
  return store.insertSighting(tx, sighting, { expectedOrganizationId, isOwn })
}

export function findOwner(tx: Tx, sighting: store.SightingFacts): Promise<store.SightingOwner | undefined> {
  const kind = isFiat(sighting.asset) ? null : kindOf(sighting.method as Network)
  return store.findSightingOwner(tx, sighting, kind)
}

/** Writes the addresses as we store them, so that every notation of an address finds its wallet. */
function normalize(sighting: NewSighting): NewSighting {
  if (isFiat(sighting.asset)) return sighting
  const { method, address, fromAddress, otherSenders = [] } = sighting
  // A chain knows the sender of every transfer, and the sender is screened.
  if (fromAddress === null) throw badField('fromAddress', 'is required for tokens')
  const read = (field: string, text: string | null) =>
    text === null ? null : readAddress(method as Network, field, text)
  return {
    ...sighting,
    address: read('address', address),
    fromAddress: read('fromAddress', fromAddress),
    otherSenders: otherSenders.map((each) => readAddress(method as Network, 'otherSenders', each)),
  }
}

/** Reads an address of a network; refuses a malformed one by the name of its field. */
export function readAddress(network: Network, field: string, text: string): string {
  const address = normalizeAddress(kindOf(network), text)
  if (address === undefined) throw badField(field, `must be an address of ${network}`)
  return address
}
