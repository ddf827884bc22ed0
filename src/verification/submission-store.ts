import type { Tx } from '../db/database.ts'

/** A submission as `customers` hands it over for verification. */
export type NewSubmission = {
  organizationId: string
  customerId: string
  submission: number
  state: 'QUEUED' | 'REVIEWING'
  delayMs: number
}

export async function insertSubmission(
  tx: Tx,
  { organizationId, customerId, submission, state, delayMs }: NewSubmission,
): Promise<void> {
  await tx.query({
    name: 'insert submission',
    text: `insert into svc.submissions (organization_id, customer_id, submission, state, submitted_at, due_at)
           values ($1, $2, $3, $4, svc.now(), svc.now() + $5 * interval '1 millisecond')`,
    values: [organizationId, customerId, submission, state, delayMs],
  })
}

/** Moves a submission from QUEUED to REVIEWING, with its checks due after the delay; false when another process did. */
export async function startReviewing(
  tx: Tx,
  { organizationId, customerId, submission, delayMs }: Omit<NewSubmission, 'state'>,
): Promise<boolean> {
  const started = await tx.query({
    name: 'start reviewing',
    text: `update svc.submissions
              set state = 'REVIEWING', due_at = svc.now() + $4 * interval '1 millisecond', lease_until = null
            where organization_id = $1 and customer_id = $2 and submission = $3 and state = 'QUEUED'
        returning submission`,
    values: [organizationId, customerId, submission, delayMs],
  })
  return started.length > 0
}

/** Tells whether a submission still waits for its outcome. */
export async function hasOpenSubmission(tx: Tx, organizationId: string, customerId: string): Promise<boolean> {
  const open = await tx.query({
    name: 'find open submission',
    text: `select submission from svc.submissions
            where organization_id = $1 and customer_id = $2 and state in ('QUEUED', 'REVIEWING', 'MANUAL') limit 1`,
    values: [organizationId, customerId],
  })
  return open.length > 0
}

/**
 * Overwrites the keyed hashes of an erased customer's numbers, so that they never match again, and removes the
 * watch-list entries from its findings: an entry would reveal the name.
 */
export async function eraseSubmissions(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'erase identity marks',
    text: `update svc.identity_marks set identity_hash = uuid_send(gen_random_uuid())
            where organization_id = $1 and customer_id = $2`,
    values: [organizationId, customerId],
  })
  await tx.query({
    name: 'erase matches of submissions',
    text: `update svc.submissions
              set findings = (select coalesce(jsonb_agg(finding - 'watchList' - 'dataHash' order by place), '[]')
                                from jsonb_array_elements(findings) with ordinality as found (finding, place))
            where organization_id = $1 and customer_id = $2`,
    values: [organizationId, customerId],
  })
}
