import { type Asset, isFiat } from '../../catalog/currencies.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { openBytes, sealBytes } from '../../encryption/seal.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Screener, Sender, SenderMatch } from '../screening/screening.ts'
import type { Deposit, SenderReport } from './deposit.ts'
import { findForReviewer, type Reviewing } from './reads.ts'
import { findOwner } from './sightings/record.ts'
import { findSender, findSenderWallet, type KeptSender, recordScreening } from './sightings/sender-store.ts'
import type { ScreenedSender, SightingKey } from './sightings/sighting.ts'
import type { SightingFacts } from './sightings/store.ts'
import { findDeposit } from './store.ts'

export type SenderDeps = {
  database: Database
  screening: Screener<Queryable>
  /** Seals the names of senders that wait for a watch list. */
  senderKey: Buffer
}

export type SenderService = ReturnType<typeof createSenderService>

/** Screens senders for watchers, and reports them to reviewers. */
export function createSenderService(deps: SenderDeps & Reviewing) {
  const report = (deposit: Deposit): Promise<SenderReport> => reportSender(deps, deposit)
  return {
    /** Screens the sender that a bank names, before the watcher records the transfer. */
    screenSender: (sender: Sender & { book: string }): Promise<ScreenedSender> => screenSender(deps, sender),

    reportSender: report,

    /** Reports the sender of a deposit, for reviewers alone. */
    readSender: async (caller: Caller, depositId: string): Promise<SenderReport> => {
      const own = await findDeposit(deps.database, caller.organizationIds, depositId)
      return report(own ?? (await findForReviewer(deps.database, deps.authority, caller, depositId)))
    },
  }
}

/** While no list is current, the name is kept, sealed, until one is. */
async function screenSender(
  { screening, senderKey }: SenderDeps,
  { book, name, ...sender }: Sender & { book: string },
): Promise<ScreenedSender> {
  if (name === undefined) return { senderMatches: [], sealedSender: null }
  // Read before the name is screened: a list that is loaded meanwhile was not compared.
  const gap = await screening.findGap()
  const senderMatches = await screening.screenSender({ ...sender, name })
  const isKept = gap !== undefined && senderMatches.length === 0
  return { senderMatches, sealedSender: isKept ? sealBytes(senderKey, Buffer.from(name), useOf(book)) : null }
}

function useOf(book: string): string {
  return `sender of a deposit\n${book}`
}

function nameOf({ senderKey }: SenderDeps, book: string, { sealedSender }: KeptSender): string | undefined {
  return sealedSender ? openBytes(senderKey, sealedSender, useOf(book)).toString() : undefined
}

/** True while no current list can tell whether the sender of tokens, or one that a bank named, is listed. */
export async function isSenderUnknown(
  { screening }: Pick<SenderDeps, 'screening'>,
  { asset }: { asset: Asset },
  { sealedSender }: Pick<KeptSender, 'sealedSender'>,
): Promise<boolean> {
  return (!isFiat(asset) || sealedSender !== null) && (await screening.findGap()) !== undefined
}

/** A transfer, or the deposit that it became. */
type Sent = SightingKey & (SightingFacts | Pick<Deposit, 'organizationId' | 'customerId' | 'isSenderBlocked'>)

/**
 * Finds the watch-list entries of the sender of a deposit, so that a reviewer decides about the deposit. If the customer
 * has registered the sending address, a review of the customer is opened instead, and no entry is returned: the review
 * holds the deposit, and clearing it releases the deposit. Must run outside a database transaction.
 */
export async function findSenderMatches(deps: SenderDeps, sent: Sent, sender: KeptSender): Promise<SenderMatch[]> {
  const { method, book } = sent
  const name = nameOf(deps, book, sender)
  const named = name === undefined ? [] : await deps.screening.screenSender({ method, name })
  const known = [...sender.senderMatches, ...named]
  if (known.length > 0) return known
  const found: SenderMatch[] = []
  for (const address of addressesOf(sender)) found.push(...(await findAddressMatches(deps, sent, address)))
  return found
}

function addressesOf({ fromAddress, otherSenders }: KeptSender): string[] {
  return fromAddress === null ? [] : [fromAddress, ...otherSenders]
}

async function findAddressMatches(
  { database, screening }: SenderDeps,
  sent: Sent,
  address: string,
): Promise<SenderMatch[]> {
  const listed = await screening.screenSender({ method: sent.method, address })
  if (listed.length === 0) return []
  const owner = 'isSenderBlocked' in sent ? sent : await database.inTx((tx) => findOwner(tx, sent))
  if (!owner?.customerId) return listed
  const { organizationId, customerId } = owner
  const paymentAccountId = await findSenderWallet(database, { organizationId, customerId }, address)
  if (!paymentAccountId) return listed
  const counterparty = { organizationId, customerId, method: sent.method, paymentAccountId, address }
  const isUncleared = await screening.isCounterpartyBlocked(counterparty)
  return isUncleared && !(await screening.isBlocked(database, organizationId, customerId)) ? listed : []
}

/** Records the entries of a sender, and forgets its name unless it waits for a list. */
export async function recordSender(
  tx: Tx,
  sighting: SightingKey,
  sender: KeptSender,
  { senderMatches, isUnknown }: { senderMatches: readonly SenderMatch[]; isUnknown: boolean },
): Promise<void> {
  const isKept = isUnknown && senderMatches.length === 0
  const isChanged = senderMatches.length > 0 || (sender.sealedSender !== null && !isKept)
  if (isChanged) await recordScreening(tx, sighting, senderMatches)
}

/** Reports the entries of a sender as they were found, and for a deposit that waits also those of newer lists. */
async function reportSender(deps: SenderDeps, deposit: Deposit): Promise<SenderReport> {
  const { depositId, status, method, book } = deposit
  const sender = await findSender(deps.database, deposit)
  const isOpen = (status === 'HELD' || status === 'UNMATCHED') && sender.senderMatches.length === 0
  if (!isOpen) return { depositId, isAwaitingList: false, matches: sender.senderMatches }
  const isAwaitingList = await isSenderUnknown(deps, deposit, sender)
  const name = nameOf(deps, book, sender)
  const matches: SenderMatch[] = []
  if (name !== undefined) matches.push(...(await deps.screening.screenSender({ method, name })))
  for (const address of addressesOf(sender)) {
    matches.push(...(await deps.screening.screenSender({ method, address })))
  }
  return { depositId, isAwaitingList, matches }
}
