import type { CustomerService } from '../../customers/service.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { ReviewService } from '../../reviews/service.ts'
import type { ScreenedName } from '../../screening/screening.ts'
import type { ScreeningService } from '../../screening/service.ts'
import { screenNames } from '../../verification/assess.ts'
import { findingOfMatch } from '../../verification/checks/watch-list-matches.ts'
import type { VerificationService } from '../../verification/service.ts'
import { type Finding, needsReview } from '../../verification/submission.ts'
import type { Counterparty, Screening } from './screening.ts'

export type CounterpartyDeps = {
  database: Database
  customers: Pick<CustomerService, 'open'>
  verification: Pick<VerificationService, 'isBlocked' | 'findBlocked'>
  reviews: Pick<ReviewService, 'openNewHits'>
  watchList: Pick<ScreeningService, 'screen' | 'screenAddresses' | 'currentVersion' | 'findUnreadable'>
  /** Of the sandbox: names that stop money without a list. */
  isMagic(counterparty: Counterparty): boolean
}

/** Customers by what persons decided about them, counterparties by the list in force. */
export function createCounterpartyScreeningService(deps: CounterpartyDeps): Screening<Queryable> {
  const { verification, isMagic } = deps
  return {
    isBlocked: verification.isBlocked,
    findBlocked: verification.findBlocked,
    isCounterpartyBlocked: async (counterparty) => {
      const found = await screen(deps, counterparty)
      const findings = isMagic(counterparty) ? [...found, needsReview('AML_MATCH', fieldOf(counterparty))] : found
      return findings.length > 0 && (await isStillToJudge(deps, counterparty, findings))
    },
  }
}

async function screen({ watchList }: CounterpartyDeps, counterparty: Counterparty): Promise<Finding[]> {
  const { name, kind, address, method } = counterparty
  const field = fieldOf(counterparty)
  const kinds: readonly ScreenedName['kind'][] = kind ? [kind] : ['INDIVIDUAL', 'BUSINESS']
  const parties = name ? kinds.map((each) => ({ kind: each, name, field })) : []
  const matches = await screenNames(watchList, parties)
  const addresses = address ? await watchList.screenAddresses([{ chain: method, address }]) : []
  const listed = addresses.map(({ listVersion, entryNumber, listedName }) => ({
    listVersion,
    entryNumber,
    listedName,
    field,
    score: 100,
    strength: 'match' as const,
    reasons: ['the address is on the list'],
  }))
  return [...matches, ...listed].map(findingOfMatch)
}

function fieldOf({ paymentAccountId }: Counterparty): string {
  return `paymentAccounts[${paymentAccountId ?? ''}]`
}

/**
 * A person is asked about the customer who pays them: clearing that clears this counterparty, for this customer. Of a
 * sender nothing is registered that could be cleared: the deposit itself is decided about.
 */
async function isStillToJudge(
  { database, customers, reviews }: CounterpartyDeps,
  { organizationId, customerId, paymentAccountId }: Counterparty,
  findings: readonly Finding[],
): Promise<boolean> {
  if (!paymentAccountId) return true
  const customer = await customers.open([organizationId], customerId)
  if (!customer) return true
  return database.inTx((tx) => reviews.openNewHits(tx, customer.row, findings))
}
