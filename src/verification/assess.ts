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
import type { SandboxVerdict, WatchListMatch } from './submission.ts'

export type AssessDeps = {
  database: Database
  customers: CustomerService
  screening: ScreeningService
  /** The key of the identity hashes: a plain hash of a national id could be guessed. */
  identityKey: Buffer
  /** True in the sandbox, where names such as "Approve" decide the outcome. */
  hasMagicNames: boolean
}

/** Runs our own checks on a customer's newest submission, with the lookups that they need. */
export async function assess(
  { database, customers, screening, hasMagicNames, identityKey }: AssessDeps,
  opened: OpenCustomer,
  now: Date,
): Promise<{ verdict: SandboxVerdict; isMagic: boolean }> {
  const { organizationId, customerId, customerType, submission: version } = opened.customer
  const identity = customers.readIdentity(opened)
  const profile = opened.profile ?? { email: '', name: '' }
  const hashes = identityHashes(identityKey, identity)
  // Inserted before the lookup, so that two customers who submit one identity at once find each other.
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

/** Screens names. One that cannot be compared counts as a possible match, so that a reviewer judges it. */
export async function screenNames(
  screening: Pick<ScreeningService, 'screen' | 'currentVersion' | 'findUnreadable'>,
  names: readonly ScreenedName[],
): Promise<WatchListMatch[]> {
  const matches: WatchListMatch[] = await screening.screen(names)
  const listVersion = await screening.currentVersion()
  if (listVersion === undefined) return matches
  const notCompared = screening.findUnreadable(names).map(({ field }) => ({
    ...(field === undefined ? {} : { field }),
    strength: 'possible' as const,
    listVersion,
    reasons: [unreadable],
  }))
  return [...matches, ...notCompared]
}
