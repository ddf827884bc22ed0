import type { Queryable, Tx } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'
import { type ClaimOptions, claimWork, requireFence, type WorkTable } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import { type RequestState, requestMoves } from './request.ts'

const requests: WorkTable = {
  table: 'svc.provider_requests',
  key: ['organization_id', 'customer_id', 'submission'],
  dueBy: 'business time',
}

/** A submission as it was handed over to the provider. */
export type HandedOverSubmission = {
  organizationId: string
  customerId: string
  submission: number
  submittedAt: Date
  fence: string
}

export type ProviderRequest = {
  about: HandedOverSubmission
  reference: string
  state: RequestState
  requestedAt: Date
  wakes: number
  fence: string
}

/**
 * Records the request in the tx that hands the submission over. A submission keeps its reference: when it is handed
 * over again, the worker polls the provider before it sends anything.
 */
export async function insertRequest(tx: Tx, about: HandedOverSubmission, reference: string): Promise<void> {
  const { organizationId, customerId, submission, submittedAt, fence } = about
  await tx.query({
    name: 'insert provider request',
    text: `insert into svc.provider_requests (organization_id, customer_id, submission, reference, state,
             submission_fence, submitted_at, requested_at, due_at)
           values ($1, $2, $3, $4, 'SENDING', $5, $6, svc.now(), svc.now())
           on conflict (organization_id, customer_id, submission) do update
              set state = 'SENDING', submission_fence = excluded.submission_fence, requested_at = excluded.requested_at,
                  due_at = excluded.due_at, closed_at = null`,
    values: [organizationId, customerId, submission, reference, fence, submittedAt],
  })
}

type RequestColumns = {
  organization_id: string
  customer_id: string
  submission: number
  reference: string
  state: RequestState
  submission_fence: string
  submitted_at: Date
  requested_at: Date
  wakes: number
}

export const dueRequests = dueIn(requests)

export async function claimRequests(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
): Promise<ProviderRequest[]> {
  const columns = ['reference', 'state', 'submission_fence', 'submitted_at', 'requested_at', 'wakes']
  const claimed = await claimWork<RequestColumns>(database, requests, { ...options, columns })
  return claimed.map((request) => ({
    about: {
      organizationId: request.organization_id,
      customerId: request.customer_id,
      submission: request.submission,
      submittedAt: request.submitted_at,
      fence: request.submission_fence,
    },
    reference: request.reference,
    state: request.state,
    requestedAt: request.requested_at,
    wakes: request.wakes,
    fence: request.fence,
  }))
}

/** Renews the lease of a request, so that no other worker claims it while documents are sent. */
export async function renewLease(database: Queryable, request: ProviderRequest, leaseMs: number): Promise<void> {
  await database.query({
    name: 'renew provider request',
    text: `update svc.provider_requests set lease_until = clock_timestamp() + $5 * interval '1 millisecond'
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4
              and lease_until is not null`,
    values: [...keyOf(request), leaseMs],
  })
}

/** Makes a request due after the pause, or at once when the provider has called meanwhile. */
export async function postpone(
  database: Queryable,
  request: ProviderRequest,
  move: 'accept' | 'resend' | undefined,
  pauseMs: number,
): Promise<void> {
  const postponed = await database.query({
    name: 'postpone provider request',
    text: `update svc.provider_requests
              set state = coalesce($5, state), lease_until = null,
                  due_at = svc.now() + case when wakes = $6 then $7 * interval '1 millisecond' else interval '0' end
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4
              and state in ('SENDING', 'WAITING')
        returning submission`,
    values: [...keyOf(request), move ? requestMoves[move].to : null, request.wakes, pauseMs],
  })
  requireFence(postponed)
}

export async function closeRequest(
  tx: Tx,
  request: ProviderRequest,
  move: 'decide' | 'giveUp' | 'drop',
): Promise<void> {
  const { from, to } = requestMoves[move]
  const closed = await tx.query({
    name: 'close provider request',
    text: `update svc.provider_requests set state = $5, due_at = null, lease_until = null, closed_at = svc.now()
            where organization_id = $1 and customer_id = $2 and submission = $3 and fence = $4 and state = any($6)
        returning submission`,
    values: [...keyOf(request), to, from],
  })
  requireFence(closed)
}

/** Makes an open request due now. A closed or unknown one stays as it is. */
export async function wakeRequest(database: Queryable, reference: string): Promise<void> {
  await database.query({
    name: 'wake provider request',
    text: `update svc.provider_requests set wakes = wakes + 1, due_at = svc.now()
            where reference = $1 and state in ('SENDING', 'WAITING')`,
    values: [reference],
  })
}

export type OpenRequests = { open: number; late: number }

export async function countOpen(database: Queryable, since: Date): Promise<OpenRequests | undefined> {
  const [counted] = await database.query<OpenRequests>({
    name: 'count provider requests',
    text: `select count(*)::int as open, count(*) filter (where requested_at < $1)::int as late
             from svc.provider_requests where state in ('SENDING', 'WAITING')`,
    values: [since],
  })
  return counted
}

function keyOf({ about, fence }: ProviderRequest): unknown[] {
  return [about.organizationId, about.customerId, about.submission, fence]
}

/** A submission that is neither due nor requested from the provider would wait for ever. */
export const providerChecks: readonly Check[] = [
  {
    name: 'every open submission is due or requested from the provider',
    sql: `select format('submission %s of customer %s', submission.submission, submission.customer_id) as violation
            from svc.submissions as submission
           where submission.state in ('QUEUED', 'REVIEWING') and submission.due_at is null
             and not exists (
               select 1 from svc.provider_requests as request
                where request.organization_id = submission.organization_id
                  and request.customer_id = submission.customer_id and request.submission = submission.submission
                  and request.state in ('SENDING', 'WAITING') and request.due_at is not null)`,
  },
]
