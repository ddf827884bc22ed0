import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Database } from '../db/database.ts'
import type { ScreenedName } from '../screening/screening.ts'
import type { ScreeningService } from '../screening/service.ts'
import { hashDoubt } from './accepted-doubts.ts'
import { verifySubmission } from './engine.ts'
import { identityHashes } from './identity-hash.ts'
import { readMagicName } from './magic-names.ts'
import { readZones, type ZoneReader } from './read-zones.ts'
import { findAccepted, findAskedData, findKeptWarnings, findOpenQuestions } from './review-store.ts'
import { namesToScreen } from './screening/names-to-screen.ts'
import { type FindWallets, screenNumbers } from './screening/screen-customer.ts'
import * as store from './store.ts'
import {
  type DocumentPolicy,
  type Finding,
  isDoubt,
  type SandboxVerdict,
  type Verdict,
  type WatchListMatch,
} from './submission.ts'

export type AssessDeps = {
  database: Database
  customers: CustomerService
  screening: ScreeningService
  findWallets: FindWallets
  /** The key of the identity hashes: a plain hash of a national id could be guessed. */
  identityKey: Buffer
  /** True in the sandbox, where names such as "Approve" decide the outcome. */
  hasMagicNames: boolean
  documentPolicy: DocumentPolicy
  /** Absent with an outside provider, which reads documents itself. */
  readZone?: ZoneReader
}

/** Runs our own checks on a customer's newest submission, with the lookups that they need. */
export async function assess(
  deps: AssessDeps,
  submitted: OpenCustomer,
  now: Date,
): Promise<{ verdict: SandboxVerdict; isMagic: boolean }> {
  const { database, customers, screening, findWallets, hasMagicNames, identityKey, documentPolicy } = deps
  const { organizationId, customerId, customerType, submission: version } = submitted.customer
  const given = customers.readIdentity(submitted)
  const profile = submitted.profile ?? { email: '', name: '' }
  const hashes = identityHashes(identityKey, given)
  // Inserted before the lookup, so that two customers who submit one identity at once find each other.
  await store.insertMarks(database, organizationId, customerId, hashes)
  const magic = hasMagicNames
    ? readMagicName(
        customerType === 'BUSINESS'
          ? (given.kybData?.businessInfo?.legalBusinessName ?? profile.businessName)
          : (given.kycData?.legalLastName ?? profile.lastName),
      )
    : undefined
  if (magic) return { verdict: magic, isMagic: true }
  const opened = deps.readZone ? await readZones(customers, deps.readZone, submitted) : submitted
  const identity = customers.readIdentity(opened)
  const seenBefore = await store.findSeen(database, organizationId, customerId, hashes)
  const submission = { organizationId, customerId, customerType, version, identity, profile, now, seenBefore }
  const wallets = await findWallets(organizationId, [customerId])
  const watchListMatches = [
    ...(await screenNames(screening, namesToScreen(submission))),
    ...(await screenNumbers(screening, { ...submission, wallets })),
  ]
  const keptWarnings = await findKeptWarnings(database, opened.customer)
  const openQuestions = await findOpenQuestions(database, organizationId, customerId)
  const isSettled = await settledDoubts({ database, customers, identityKey }, opened)
  const hashOf = (finding: Finding) => hashDoubts({ customers, identityKey }, opened, [finding])[0]?.toString('hex')
  const asked = await findAskedData(database, opened.customer)
  const isConfirmed = (finding: Finding) => finding.canBeConfirmed === true && asked.has(hashOf(finding) ?? '')
  const found = { watchListMatches, keptWarnings, openQuestions }
  const verdict = verifySubmission({ ...submission, ...found, documentPolicy }, { isSettled, isConfirmed })
  return { verdict: withDataHashes(verdict, hashOf), isMagic: false }
}

/** Adds the hashes by which the next submission tells that the customer has confirmed the data. */
function withDataHashes(verdict: Verdict, hashOf: (finding: Finding) => string | undefined): Verdict {
  if (verdict.outcome === 'approve') return verdict
  const findings = verdict.findings.map((finding) => {
    const dataHash = finding.canBeConfirmed ? hashOf(finding) : undefined
    return dataHash === undefined ? finding : { ...finding, dataHash }
  })
  return { ...verdict, findings }
}

type HashDeps = Pick<AssessDeps, 'customers' | 'identityKey'>

/** Hashes doubts about the customer's newest submission, as reviews store the settled ones. */
export function hashDoubts({ customers, identityKey }: HashDeps, opened: OpenCustomer, doubts: readonly Finding[]) {
  const { customerId } = opened.customer
  const data = { customerId, identity: customers.readIdentity(opened), profile: opened.profile }
  return doubts.map((doubt) => hashDoubt(identityKey, data, doubt))
}

/** Tells the doubts that a reviewer has settled for the same data. */
export async function settledDoubts(
  deps: HashDeps & Pick<AssessDeps, 'database'>,
  opened: OpenCustomer,
): Promise<(finding: Finding) => boolean> {
  const { organizationId, customerId } = opened.customer
  const accepted = await findAccepted(deps.database, organizationId, customerId)
  return (finding) => {
    const [hash] = accepted.size > 0 && isDoubt(finding) ? hashDoubts(deps, opened, [finding]) : []
    return hash !== undefined && accepted.has(hash.toString('hex'))
  }
}

const unreadable = 'the name cannot be compared with the list as a whole'

/** Screens names. One that cannot be compared counts as a possible match, so that a reviewer judges it. */
export async function screenNames(
  screening: Pick<ScreeningService, 'screen' | 'currentVersion' | 'findUnreadable'>,
  names: readonly ScreenedName[],
): Promise<WatchListMatch[]> {
  const matches: WatchListMatch[] = await screening.screen(names)
  const listVersion = await screening.currentVersion()
  if (listVersion === undefined) return matches
  const fields = new Set(screening.findUnreadable(names).map(({ field }) => field))
  const notCompared = [...fields].map((field) => ({
    ...(field === undefined ? {} : { field }),
    strength: 'possible' as const,
    listVersion,
    reasons: [unreadable],
  }))
  return [...matches, ...notCompared]
}
