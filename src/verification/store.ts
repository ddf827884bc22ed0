import type { Queryable, Tx } from '../db/database.ts'
import { type Claimed, type ClaimOptions, claimWork, requireFence, type WorkTable } from '../db/work.ts'
import { dueIn, firstOf } from '../db/workers/due.ts'
import type { Finding } from './submission.ts'

const submissions: WorkTable = {
  table: 'svc.submissions',
  key: ['organization_id', 'customer_id', 'submission'],
  dueBy: 'business time',
}

export type SubmissionState = 'QUEUED' | 'REVIEWING' | 'MANUAL' | 'DECIDED'
type SubmissionColumns = {
  organization_id: string
  customer_id: string
  submission: number
  state: SubmissionState
  submitted_at: Date
}
export type ClaimedSubmission = {
  organizationId: string
  customerId: string
  submission: number
  state: SubmissionState
  submittedAt: Date
  fence: string
}

export const dueSubmissions = dueIn(submissions)

export async function claimSubmissions(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
): Promise<ClaimedSubmission[]> {
  const claimed: Claimed<SubmissionColumns>[] = await claimWork<SubmissionColumns>(database, submissions, {
    ...options,
    columns: ['state', 'submitted_at'],
  })
  return claimed.map(({ organization_id, customer_id, submitted_at, ...rest }) => ({
    ...rest,
    organizationId: organization_id,
    customerId: customer_id,
    submittedAt: submitted_at,
  }))
}

/** Renews the lease of a submission, so that no other worker claims it while its documents are read. */
export async function renewLease(database: Queryable, claimed: SubmissionLease, leaseMs: number): Promise<void> {
  const { organizationId, customerId, submission, fence } = claimed
  await database.query({
    name: 'renew submission',
    text: `update svc.submissions set lease_until = clock_timestamp() + $5 * interval '1 millisecond'
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4
              and lease_until is not null`,
    values: [organizationId, customerId, submission, fence, leaseMs],
  })
}

type SubmissionLease = Pick<ClaimedSubmission, 'organizationId' | 'customerId' | 'submission' | 'fence'>

/** A submission after a write. */
export type UpdatedSubmission = Pick<ClaimedSubmission, 'organizationId' | 'customerId' | 'submission' | 'state'> & {
  findings: Finding[]
}
const updatedColumns = 'organization_id as "organizationId", customer_id as "customerId", submission, state, findings'

/** Ends the work on a submission. Throws LeaseLost, and writes nothing, when another worker holds it. */
export async function finishSubmission(
  database: Queryable,
  { organizationId, customerId, submission, fence }: SubmissionLease,
  state: 'MANUAL' | 'DECIDED',
  findings: readonly Finding[],
): Promise<UpdatedSubmission> {
  const finished = await database.query<UpdatedSubmission>({
    name: 'finish submission',
    text: `update svc.submissions
              set state = $5, findings = $6, due_at = null, lease_until = null,
                  decided_at = case when $5 = 'DECIDED' then svc.now() end
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4
        returning ${updatedColumns}`,
    values: [organizationId, customerId, submission, fence, state, JSON.stringify(findings)],
  })
  return requireHeld(finished)
}

/** Hands a submission over to an outside provider. No worker claims it until it is decided under this fence. */
export async function handOver(
  tx: Tx,
  { organizationId, customerId, submission, fence }: SubmissionLease,
  findings: readonly Finding[],
): Promise<void> {
  const handedOver = await tx.query({
    name: 'hand submission over',
    text: `update svc.submissions set findings = $5, due_at = null, lease_until = null
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4 and state = 'REVIEWING'
        returning submission`,
    values: [organizationId, customerId, submission, fence, JSON.stringify(findings)],
  })
  requireFence(handedOver)
}

/** Leaves a submission to a reviewer and adds these findings to the earlier ones. */
export async function leaveToReviewer(
  tx: Tx,
  { organizationId, customerId, submission, fence }: SubmissionLease,
  findings: readonly Finding[],
): Promise<UpdatedSubmission> {
  const left = await tx.query<UpdatedSubmission>({
    name: 'leave submission to a reviewer',
    text: `update svc.submissions
              set state = 'MANUAL', findings = findings || $5::jsonb, due_at = null, lease_until = null
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4 and state = 'REVIEWING'
        returning ${updatedColumns}`,
    values: [organizationId, customerId, submission, fence, JSON.stringify(findings)],
  })
  return requireHeld(left)
}

function requireHeld([settled]: readonly UpdatedSubmission[]): UpdatedSubmission {
  requireFence(settled ? [settled] : [])
  return settled as UpdatedSubmission
}

/** Tells whether a submission is undecided under this fence: every decision raises the fence. */
export async function isUndecided(
  database: Queryable,
  { organizationId, customerId, submission, fence }: SubmissionLease,
): Promise<boolean> {
  const found = await database.query({
    name: 'find undecided submission',
    text: `select submission from svc.submissions
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4 and state = 'REVIEWING'`,
    values: [organizationId, customerId, submission, fence],
  })
  return found.length > 0
}

/** Ends a submission without an outcome, if it is still in this state under this fence. */
export async function dropSubmission(
  database: Queryable,
  { organizationId, customerId, submission, fence }: SubmissionLease,
  state: 'QUEUED' | 'REVIEWING',
): Promise<void> {
  await database.query({
    name: 'drop submission',
    text: `update svc.submissions set state = 'DECIDED', due_at = null, lease_until = null, decided_at = svc.now()
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4 and state = $5`,
    values: [organizationId, customerId, submission, fence, state],
  })
}

/** Decides a submission in place of its worker, which then holds an old fence. Earlier findings stay. */
export async function overrideSubmission(
  tx: Tx,
  { organizationId, customerId, submission }: Pick<ClaimedSubmission, 'organizationId' | 'customerId' | 'submission'>,
  state: 'MANUAL' | 'DECIDED',
  findings: readonly Finding[] = [],
): Promise<UpdatedSubmission | undefined> {
  const [updated] = await tx.query<UpdatedSubmission>({
    name: 'override submission',
    text: `update svc.submissions
              set state = $4, due_at = null, lease_until = null, fence = fence + 1,
                  findings = case when state = 'REVIEWING' then findings || $5::jsonb else findings end,
                  decided_at = case when $4 = 'DECIDED' then svc.now() end
            where organization_id = $1 and customer_id = $2 and submission = $3 and state in ('REVIEWING', 'MANUAL')
        returning ${updatedColumns}`,
    values: [organizationId, customerId, submission, state, JSON.stringify(findings)],
  })
  return updated
}

/** Lets a submission wait that cannot be approved before a watch list is in force. */
export async function awaitList(database: Queryable, claimed: ClaimedSubmission): Promise<void> {
  const { organizationId, customerId, submission, fence } = claimed
  await database.query({
    name: 'await watch list',
    text: `update svc.submissions set due_at = 'infinity', lease_until = null
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4`,
    values: [organizationId, customerId, submission, fence],
  })
}

/** Makes the submissions due that wait for a watch list, of all organizations, and counts them. */
/** Holds while submissions wait for a watch list. */
export const hasAwaitingList = firstOf(
  `svc.submissions where due_at = 'infinity' and state = 'REVIEWING' order by due_at`,
)

export async function wakeAwaitingList(database: Queryable): Promise<number> {
  const woken = await database.query({
    name: 'wake submissions that await a watch list',
    text: `update svc.submissions set due_at = svc.now() where due_at = 'infinity' and state = 'REVIEWING'
        returning submission`,
  })
  return woken.length
}

/** A submission that waits for a watch list. */
export type AwaitingList = Pick<ClaimedSubmission, 'organizationId' | 'customerId' | 'submittedAt'>

const mostListed = 1_000

/** Lists the submissions that wait for a watch list, of all organizations, oldest first. */
export function listAwaitingList(database: Queryable): Promise<AwaitingList[]> {
  return database.query<AwaitingList>({
    name: 'list submissions that await a watch list',
    text: `select organization_id as "organizationId", customer_id as "customerId", submitted_at as "submittedAt"
             from svc.submissions where due_at = 'infinity' and state = 'REVIEWING'
            order by submitted_at limit $1`,
    values: [mostListed],
  })
}

/** Retries a submission later: one minute more for each attempt. */
export async function postpone(database: Queryable, claimed: ClaimedSubmission): Promise<void> {
  const { organizationId, customerId, submission, fence } = claimed
  await database.query({
    name: 'postpone submission',
    text: `update svc.submissions set due_at = svc.now() + fence * interval '1 minute', lease_until = null
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4`,
    values: [organizationId, customerId, submission, fence],
  })
}

/** Tells whether other customers of the organization submitted one of these identities, and whether one is served. */
export async function findSeen(
  database: Queryable,
  organizationId: string,
  customerId: string,
  hashes: readonly Buffer[],
): Promise<{ sameOrganizationActive: boolean; attempted: boolean }> {
  const [seen] = await database.query<{ active: boolean; attempted: boolean }>({
    name: 'find seen identities',
    text: `select coalesce(bool_or(customer.status in ('ACTIVE', 'DEACTIVATED')), false) as active,
                  count(*) > 0 as attempted
             from svc.identity_marks as mark
             join svc.customers as customer
               on customer.organization_id = mark.organization_id and customer.customer_id = mark.customer_id
            where mark.organization_id = $1 and mark.identity_hash = any($3) and mark.customer_id <> $2`,
    values: [organizationId, customerId, hashes],
  })
  return { sameOrganizationActive: seen?.active ?? false, attempted: seen?.attempted ?? false }
}

export async function insertMarks(
  database: Queryable,
  organizationId: string,
  customerId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await database.query({
    name: 'insert identity marks',
    text: `insert into svc.identity_marks (organization_id, customer_id, identity_hash)
           select $1, $2, unnest($3::bytea[]) on conflict do nothing`,
    values: [organizationId, customerId, hashes],
  })
}

export type Waiting = { automatic: number; automaticLate: number; manual: number; manualLate: number }

/** Counts submissions that wait for the checks and reviews that wait for a reviewer, and the late ones among them. */
export async function countWaiting(
  database: Queryable,
  automaticSince: Date,
  manualSince: Date,
): Promise<Waiting | undefined> {
  const [waiting] = await database.query<Waiting>({
    name: 'count waiting',
    text: `select automatic, "automaticLate", manual, "manualLate"
             from (select count(*)::int as automatic,
                          count(*) filter (where submitted_at < $1)::int as "automaticLate"
                     from svc.submissions where state in ('QUEUED', 'REVIEWING')) as submissions,
                  (select count(*)::int as manual, count(*) filter (where opened_at < $2)::int as "manualLate"
                     from svc.reviews where status = 'OPEN') as reviews`,
    values: [automaticSince, manualSince],
  })
  return waiting
}
