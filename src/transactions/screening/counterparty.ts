import type { CustomerService } from '../../customers/service.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { ReviewService } from '../../reviews/service.ts'
import type { ScreenedName } from '../../screening/screening.ts'
import type { ScreeningService } from '../../screening/service.ts'
import { screenNames } from '../../verification/assess.ts'
import { findingOfMatch } from '../../verification/checks/watch-list-matches.ts'
import { accountField, screenWallets } from '../../verification/screening/screen-customer.ts'
import type { VerificationService } from '../../verification/service.ts'
import { type Finding, needsReview, type WatchListMatch } from '../../verification/submission.ts'
import type { Counterparty, Screener, Sender, SenderMatch } from './screening.ts'

export type CounterpartyDeps = {
  database: Database
  customers: Pick<CustomerService, 'open'>
  verification: Pick<VerificationService, 'isBlocked' | 'findBlocked'>
  reviews: Pick<ReviewService, 'openNewMatches'>
  watchList: Pick<ScreeningService, 'screen' | 'screenAddresses' | 'currentVersion' | 'findUnreadable' | 'findGap'>
  /** Recognizes sandbox names that block money without a watch list. */
  isMagic(counterparty: Pick<Counterparty, 'name'>): boolean
}

/** Screens customers by review decisions, and counterparties by the current watch list. */
export function createCounterpartyScreeningService(deps: CounterpartyDeps): Screener<Queryable> {
  const { verification, isMagic } = deps
  return {
    isBlocked: verification.isBlocked,
    findBlocked: verification.findBlocked,
    listVersion: deps.watchList.currentVersion,
    findGap: deps.watchList.findGap,
    screenSender: (sender) => screenSender(deps, sender),
    isCounterpartyBlocked: async (counterparty) => {
      const found = await screen(deps, counterparty)
      const findings = isMagic(counterparty) ? [...found, needsReview('AML_MATCH', fieldOf(counterparty))] : found
      return findings.length > 0 && (await isUncleared(deps, counterparty, findings))
    },
  }
}

const ownerKinds: readonly ScreenedName['kind'][] = ['INDIVIDUAL', 'BUSINESS']

async function screen(deps: CounterpartyDeps, counterparty: Counterparty): Promise<Finding[]> {
  const { address, method, paymentAccountId } = counterparty
  const { watchList } = deps
  const matches = await screenOwner(deps, counterparty)
  const wallet = { chain: method, ...(paymentAccountId === undefined ? {} : { paymentAccountId }) }
  const listed = address ? await screenWallets(watchList, [{ ...wallet, address }]) : []
  return [...matches, ...listed].map(findingOfMatch)
}

/** The payer declares the kind of an owner, so a listed name is compared as both. */
function screenOwner(
  { watchList }: CounterpartyDeps,
  { name, paymentAccountId }: Pick<Counterparty, 'name' | 'paymentAccountId'>,
) {
  const field = accountField(paymentAccountId)
  return screenNames(watchList, name ? ownerKinds.map((kind) => ({ kind, name, field })) : [])
}

async function screenSender(deps: CounterpartyDeps, sender: Sender): Promise<SenderMatch[]> {
  const { method: chain, address } = sender
  const named: WatchListMatch[] = await screenOwner(deps, sender)
  if (deps.isMagic(sender)) named.push({ strength: 'match', reasons: ['the name is a magic name of the sandbox'] })
  const listed = address ? await screenWallets(deps.watchList, [{ chain, address }]) : []
  const byContent = new Map([
    ...named.map((match) => entryOf('NAME', match)),
    ...listed.map((match) => entryOf('ADDRESS', match)),
  ])
  return [...byContent.values()]
}

/** A match with its content as the key: the same entry may match a name as a person and as a business. */
function entryOf(
  matchedBy: SenderMatch['matchedBy'],
  { field: _, ...watchList }: WatchListMatch,
): [string, SenderMatch] {
  const { list, entryNumber, reasons } = watchList
  return [JSON.stringify([matchedBy, list, entryNumber, entryNumber ? null : reasons]), { matchedBy, watchList }]
}

function fieldOf({ paymentAccountId }: Counterparty): string {
  return accountField(paymentAccountId)
}

/**
 * Opens a review of the paying customer; clearing it clears this counterparty for this customer. A sender has no
 * registered account to clear, so an operator decides about the deposit itself.
 */
async function isUncleared(
  { database, customers, reviews }: CounterpartyDeps,
  { organizationId, customerId, paymentAccountId }: Counterparty,
  findings: readonly Finding[],
): Promise<boolean> {
  if (!paymentAccountId) return true
  const opened = await customers.open([organizationId], customerId)
  if (!opened) return true
  return database.inTx((tx) => reviews.openNewMatches(tx, opened.customer, findings))
}
