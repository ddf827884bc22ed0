import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Database } from '../db/database.ts'
import type { ScreenedName } from '../screening/screening.ts'
import type { ScreeningService } from '../screening/service.ts'
import { verifySubmission } from './engine.ts'
import { identityHashes } from './identity-hash.ts'
import { readMagicName } from './magic-names.ts'
import { namesToScreen } from './names-to-screen.ts'
import * as store from './store.ts'
import type { Finding, Verdict, WatchListMatch } from './submission.ts'

export type AssessDeps = {
  database: Database
  customers: CustomerService
  screening: ScreeningService
  /** Identities are compared by a keyed hash: a plain one of a national id could be guessed. */
  identityKey: Buffer
  /** Whether names such as "Approve" decide by themselves. */
  hasMagicNames: boolean
}

export type Judgement = Verdict | { outcome: 'reject'; findings: Finding[] }

/** What our own checks say about a customer's newest submission, with all that has to be asked of others for them. */
export async function assess(
  { database, customers, screening, hasMagicNames, identityKey }: AssessDeps,
  customer: OpenCustomer,
  now: Date,
): Promise<{ verdict: Judgement; isMagic: boolean }> {
  const { organizationId, customerId, customerType, submission: version } = customer.row
  const identity = customers.readIdentity(customer)
  const profile = customer.profile ?? { email: '', name: '' }
  const hashes = identityHashes(identityKey, identity)
  // Before they are looked for: of two customers who come with one identity at the same moment, each sees the other.
  await store.insertMarks(database, organizationId, customerId, hashes)
  const magic = hasMagicNames
    ? readMagicName(
        customerType === 'BUSINESS'
          ? (identity.kybData?.businessInfo?.legalBusinessName ?? profile.businessName)
          : (identity.kycData?.legalLastName ?? profile.lastName),
      )
    : undefined
  if (magic) return { verdict: magic, isMagic: true }
  const seenBefore = await store.findSeen(database, organizationId, customerId, hashes)
  const submission = { organizationId, customerId, customerType, version, identity, profile, now, seenBefore }
  const watchListMatches = await screenNames(screening, namesToScreen(submission))
  return { verdict: verifySubmission({ ...submission, watchListMatches }), isMagic: false }
}

const unreadable = 'the name is in a script that cannot be compared with the list'

/** A name that nobody could compare is not a name that is not on the list. */
export async function screenNames(
  screening: Pick<ScreeningService, 'screen' | 'currentVersion' | 'findUnreadable'>,
  parties: readonly ScreenedName[],
): Promise<WatchListMatch[]> {
  const matches: WatchListMatch[] = await screening.screen(parties)
  const listVersion = await screening.currentVersion()
  if (listVersion === undefined) return matches
  const notCompared = screening.findUnreadable(parties).map(({ field }) => ({
    ...(field === undefined ? {} : { field }),
    ...{ strength: 'possible' as const, listVersion, reasons: [unreadable] },
  }))
  return [...matches, ...notCompared]
}
