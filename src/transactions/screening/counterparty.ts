import type { CustomerService } from '../../customers/service.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { ReviewService } from '../../reviews/service.ts'
import type { ScreenedName } from '../../screening/screening.ts'
import type { ScreeningService } from '../../screening/service.ts'
import { screenNames } from '../../verification/assess.ts'
import { findingOfMatch } from '../../verification/checks/watch-list-matches.ts'
import { accountField, screenWallets } from '../../verification/screening/screen-customer.ts'
import type { VerificationService } from '../../verification/service.ts'
import { type Finding, needsReview } from '../../verification/submission.ts'
import type { Counterparty, Screener } from './screening.ts'

export type CounterpartyDeps = {
  database: Database
  customers: Pick<CustomerService, 'open'>
  verification: Pick<VerificationService, 'isBlocked' | 'findBlocked'>
  reviews: Pick<ReviewService, 'openNewMatches'>
  watchList: Pick<ScreeningService, 'screen' | 'screenAddresses' | 'currentVersion' | 'findUnreadable' | 'findGap'>
  /** Recognizes sandbox names that block money without a watch list. */
  isMagic(counterparty: Counterparty): boolean
}

/** Screens customers by review decisions, and counterparties by the current watch list. */
export function createCounterpartyScreeningService(deps: CounterpartyDeps): Screener<Queryable> {
  const { verification, isMagic } = deps
  return {
    isBlocked: verification.isBlocked,
    findBlocked: verification.findBlocked,
    listVersion: deps.watchList.currentVersion,
    findGap: deps.watchList.findGap,
    isAddressListed: async (chain, address) => (await deps.watchList.screenAddresses([{ chain, address }])).length > 0,
    isCounterpartyBlocked: async (counterparty) => {
      const found = await screen(deps, counterparty)
      const findings = isMagic(counterparty) ? [...found, needsReview('AML_MATCH', fieldOf(counterparty))] : found
      return findings.length > 0 && (await isUncleared(deps, counterparty, findings))
    },
  }
}

const ownerKinds: readonly ScreenedName['kind'][] = ['INDIVIDUAL', 'BUSINESS']

async function screen({ watchList }: CounterpartyDeps, counterparty: Counterparty): Promise<Finding[]> {
  const { name, address, method, paymentAccountId } = counterparty
  const field = fieldOf(counterparty)
  // The payer declares the kind of an owner, so a listed name is compared as both.
  const names = name ? ownerKinds.map((kind) => ({ kind, name, field })) : []
  const matches = await screenNames(watchList, names)
  const wallet = { chain: method, ...(paymentAccountId === undefined ? {} : { paymentAccountId }) }
  const listed = address ? await screenWallets(watchList, [{ ...wallet, address }]) : []
  return [...matches, ...listed].map(findingOfMatch)
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
