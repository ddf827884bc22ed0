import type { Queryable } from '../../db/database.ts'

/** An entry with its business time `at`. Its id or real time orders it among entries of the same moment. */
export type TimelineStep = {
  at: Date
  kind: string
  details: Record<string, unknown>
  id: string | null
  writtenAt: Date | null
}

/** Reads the steps of a transaction, its payout attempts, deposits, disbursements, operator acts and quote. */
export function readSteps(
  database: Queryable,
  organizationId: string,
  transactionId: string,
  quoteId: string,
): Promise<TimelineStep[]> {
  return database.query<TimelineStep>({
    name: 'read steps of a transaction',
    text: `select at, kind, details, step_id::text as id, null::timestamptz as "writtenAt" from svc.transaction_steps
            where organization_id = $1 and transaction_id = $2
           union all
           select created_at, 'QUOTE', jsonb_build_object('quoteId', quote_id, 'expiresAt', svc.format_time(expires_at)), quote_id::text, null
             from svc.quotes where organization_id = $1 and quote_id = $3
           union all
           select attempt.at, 'RAIL', jsonb_build_object('purpose', payout.purpose, 'method', payout.method,
                  'payoutId', payout.payout_id, 'attempt', attempt.attempt, 'outcome', split_part(attempt.outcome, ' ', 1)) || attempt.details,
                  null, attempt.written_at
             from svc.payouts as payout
             join svc.payout_attempts as attempt
               on attempt.organization_id = payout.organization_id and attempt.payout_id = payout.payout_id
              and attempt.outcome <> 'WITHDRAWN' and payout.purpose <> 'COLLECT'
            where payout.organization_id = $1 and payout.payout_id in (
                  select payout_id from svc.payouts where organization_id = $1 and transaction_id = $2 union all
                  select disbursement_id from svc.disbursement_parts where organization_id = $1 and cause_id = $2)
           union all
           select created_at, 'DEPOSIT', jsonb_build_object('depositId', deposit_id, 'method', coalesce(rail, method), 'status', status,
                  'units', amount::text, 'asset', asset),
                  deposit_id::text, null
             from svc.deposits where organization_id = $1 and transaction_id = $2
           union all
           -- A transfer in a block that is not final. Its deposit follows.
           select seen.recorded_at, 'TRANSFER_SEEN', jsonb_build_object('method', seen.method, 'referenceId',
                  seen.external_id, 'units', seen.amount::text, 'asset', seen.asset, 'blockNumber', seen.block_number::text), null, null
             from svc.transactions as awaiting
             join svc.sightings as seen on seen.address = awaiting.transfer_address and seen.state = 'SEEN'
              and not seen.is_own
            where awaiting.organization_id = $1 and awaiting.transaction_id = $2
           union all
           -- The audit log has real time only.
           select svc.business_time(at), 'OPERATOR', jsonb_build_object('action', action, 'actor',
                    case when actor like 'operator:%' then 'operator' else actor end), null, at
             from svc.audit where organization_id = $1 and subject_id in (
                  select $2::text union all
                  select deposit_id::text from svc.deposits where organization_id = $1 and transaction_id = $2 union all
                  select disbursement_id::text from svc.disbursement_parts
                   where organization_id = $1 and cause_id = $2)`,
    values: [organizationId, transactionId, quoteId],
  })
}
