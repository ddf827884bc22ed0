import type { NetworkKind } from '../../../catalog/network-kinds.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import { shownColumns } from '../../store.ts'
import { stepMoney } from '../../timeline/timeline.ts'
import { type ShownTransaction, type Transaction, transactionMoves } from '../../transaction.ts'
import { type Deposit, firstStatus, type Settlement } from '../deposit.ts'
import { type ClaimedSighting, ownerOf, type SightingOwner } from '../sightings/store.ts'
import { columns as depositColumns, type ReceivingAccount } from '../store.ts'

/** Each statement is for a whole set. It locks rows sorted by their key, so that two sets cannot deadlock. */

export type Owner = SightingOwner
export type LockedAccount = ReceivingAccount

/** A sighting that becomes a deposit. */
export type Arrival = {
  sighting: ClaimedSighting
  owner: Owner
  depositId: string
  disposition: { type: 'CREDIT' } | Extract<Settlement, { type: 'APPLY' }>
  /** The transaction that it pays as a whole. */
  transaction: Transaction | undefined
}

const keysOf = (sightings: readonly ClaimedSighting[]) => [
  sightings.map(({ method }) => method),
  sightings.map(({ book }) => book),
  sightings.map(({ externalId }) => externalId),
  sightings.map(({ fence }) => fence),
]

/** Locks the sightings that this worker still holds, and answers them. */
export async function lockSightings(tx: Tx, claimed: readonly ClaimedSighting[]): Promise<ClaimedSighting[]> {
  const rows = await tx.query<{ place: string }>({
    name: 'lock claimed sightings',
    text: `select claimed.place
             from unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
                  with ordinality as claimed (method, book, external_id, fence, place)
             join svc.sightings as sighting on sighting.method = claimed.method and sighting.book = claimed.book
              and sighting.external_id = claimed.external_id and sighting.fence = claimed.fence
              and sighting.due_at is not null and sighting.lease_until is not null
            order by sighting.method, sighting.book, sighting.external_id for no key update of sighting`,
    values: keysOf(claimed),
  })
  const places = new Set(rows.map(({ place }) => Number(place)))
  return claimed.filter((_, at) => places.has(at + 1))
}

/** Finishes locked sightings whose deposits are created in this database transaction. */
export async function finishSightings(tx: Tx, sightings: readonly ClaimedSighting[]): Promise<void> {
  await tx.query({
    name: 'finish sightings',
    text: `update svc.sightings as sighting set due_at = null, lease_until = null
             from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as held (method, book, external_id, fence)
            where sighting.method = held.method and sighting.book = held.book
              and sighting.external_id = held.external_id and sighting.fence = held.fence`,
    values: keysOf(sightings),
  })
}

/** Finds the owners of sightings, by their places in the list. */
export async function findOwners(
  tx: Tx,
  sightings: readonly ClaimedSighting[],
  kinds: readonly (NetworkKind | null)[],
): Promise<Map<number, Owner>> {
  const told = {
    message: 'told.message',
    kind: 'told.kind',
    address: 'told.address',
    virtual: 'told.virtual_account_id',
    sender: 'told.sender_account_id',
  }
  const rows = await tx.query<Owner & { place: string }>({
    name: 'find owners of sightings',
    text: `select told.place, owner."organizationId", owner."customerId", owner."transactionId",
                  owner."paymentAccountId"
             from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::uuid[]) with ordinality
                  as told (message, kind, address, virtual_account_id, sender_account_id, place)
            cross join lateral (${ownerOf(told)}) as owner`,
    values: [
      sightings.map(({ message }) => message),
      kinds,
      sightings.map(({ address }) => address),
      sightings.map(({ virtualAccountId }) => virtualAccountId),
      sightings.map(({ senderAccountId }) => senderAccountId),
    ],
  })
  return new Map(rows.map(({ place, ...owner }) => [Number(place) - 1, owner]))
}

/** Locks the accounts that received or sent deposits against deletion. */
export async function lockAccounts(tx: Tx, owners: readonly Owner[]): Promise<Map<string, LockedAccount>> {
  const rows = await tx.query<LockedAccount & { paymentAccountId: string }>({
    name: 'lock accounts of deposits',
    text: `select account.payment_account_id as "paymentAccountId", account.payment_account_type as type, account.status
             from (select distinct organization_id, payment_account_id
                     from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, payment_account_id)) as wanted
             join svc.payment_accounts as account on account.organization_id = wanted.organization_id
              and account.payment_account_id = wanted.payment_account_id
            order by account.organization_id, account.payment_account_id for share of account`,
    values: [
      owners.map(({ organizationId }) => organizationId),
      owners.map(({ paymentAccountId }) => paymentAccountId),
    ],
  })
  return new Map(rows.map(({ paymentAccountId, ...account }) => [paymentAccountId, account]))
}

/** Finds those whose customer is ACTIVE and that no bank recalls. */
export async function findCleared<Row extends Owner & { sighting: ClaimedSighting }>(
  tx: Tx,
  owned: readonly Row[],
): Promise<Row[]> {
  const rows = await tx.query<{ place: string }>({
    name: 'find cleared sightings',
    text: `select wanted.place
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
                  with ordinality as wanted (organization_id, customer_id, book, external_id, place)
             join svc.customers as customer on customer.organization_id = wanted.organization_id
              and customer.customer_id = wanted.customer_id and customer.status = 'ACTIVE'
            where not exists (
                  select from svc.bank_recall_payments as named join svc.bank_recalls as recall using (bank_recall_id)
                   where named.bank_account_id = wanted.book and named.external_id = wanted.external_id
                     and named.ruled_out_at is null and recall.status in ('OPEN', 'ACCEPTED'))`,
    values: [
      owned.map(({ organizationId }) => organizationId),
      owned.map(({ customerId }) => customerId),
      owned.map(({ sighting }) => sighting.book),
      owned.map(({ sighting }) => sighting.externalId),
    ],
  })
  const places = new Set(rows.map(({ place }) => Number(place)))
  return owned.filter((_, at) => places.has(at + 1))
}

/** Inserts the deposits of arrivals. One that exists already is left out. */
export function insertDeposits(tx: Tx, arrivals: readonly Arrival[]): Promise<Deposit[]> {
  return tx.query<Deposit>({
    name: 'insert deposits',
    text: `insert into svc.deposits as deposit (organization_id, deposit_id, method, book, external_id, asset, amount, status,
                  applied_amount, labels, customer_id, payment_account_id, transaction_id, message, address,
                  is_sender_blocked, seen_at, created_at, updated_at, held_at, is_sender_mismatch,
                  rail)
           select organization_id, deposit_id, method, book, external_id, asset, amount, status, applied_amount, '{}',
                  customer_id, payment_account_id, transaction_id, message, address, false, seen_at,
                  date_trunc('milliseconds', (select svc.now())), date_trunc('milliseconds', (select svc.now())),
                  case when asset like '%/%' then 'CUSTODY' else svc.holding_of(asset, method) end, false, rail
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::text[],
                    $9::numeric[], $10::uuid[], $11::uuid[], $12::uuid[], $13::text[], $14::text[], $15::timestamptz[],
                    $16::text[])
                  as arrived (organization_id, deposit_id, method, book, external_id, asset, amount, status,
                    applied_amount, customer_id, payment_account_id, transaction_id, message, address, seen_at, rail)
            order by organization_id, method, book, external_id
               on conflict (organization_id, method, book, external_id) do nothing
        returning ${depositColumns}`,
    values: [
      arrivals.map(({ owner }) => owner.organizationId),
      arrivals.map(({ depositId }) => depositId),
      arrivals.map(({ sighting }) => sighting.method),
      arrivals.map(({ sighting }) => sighting.book),
      arrivals.map(({ sighting }) => sighting.externalId),
      arrivals.map(({ sighting }) => sighting.asset),
      arrivals.map(({ sighting }) => sighting.amount),
      arrivals.map(({ disposition }) => firstStatus[disposition.type]),
      arrivals.map(({ disposition }) => (disposition.type === 'APPLY' ? disposition.amount : 0n)),
      arrivals.map(({ owner }) => owner.customerId),
      arrivals.map(({ owner }) => owner.paymentAccountId),
      arrivals.map(({ transaction }) => transaction?.transactionId ?? null),
      arrivals.map(({ sighting }) => sighting.message),
      arrivals.map(({ sighting }) => sighting.address),
      arrivals.map(({ sighting }) => sighting.observedAt),
      arrivals.map(({ sighting }) => sighting.rail),
    ],
  })
}

/**
 * Counts deposits towards locked transactions, which have their whole amount now, records the step, and lets a worker
 * execute them. One whose status does not allow it is left out.
 */
export function receiveTransactions(
  tx: Tx,
  applied: readonly { deposit: Deposit; transaction: Transaction }[],
): Promise<ShownTransaction[]> {
  return tx.query<ShownTransaction>({
    name: 'receive deposits of transactions',
    text: `with applied as (
             select organization_id, transaction_id, amount, seen_at, reference, step_id, details
               from unnest($1::uuid[], $2::uuid[], $3::numeric[], $4::timestamptz[], $5::text[], $6::uuid[], $7::jsonb[])
                    as applied (organization_id, transaction_id, amount, seen_at, reference, step_id, details)),
           noted as (
             insert into svc.transaction_steps (organization_id, transaction_id, step_id, at, kind, details)
             select organization_id, transaction_id, step_id, (select svc.now()), 'DEPOSIT_APPLIED', details from applied),
           awaiting as materialized (
             select applied.organization_id, applied.transaction_id, applied.amount, applied.seen_at, applied.reference
               from applied cross join lateral (
                    select locked.status from svc.transactions as locked
                     where locked.organization_id = applied.organization_id
                       and locked.transaction_id = applied.transaction_id limit 1 for no key update) as transaction
              where transaction.status = any($8))
           update svc.transactions as transaction
              set status = $9, version = version + 1, step = 'SCREEN',
                  due_at = case when approval_expires_at is null then (select svc.now()) end,
                  lease_until = null, updated_at = date_trunc('milliseconds', (select svc.now())), fence = fence + 1,
                  source_reference_id = awaiting.reference, received_amount = received_amount + awaiting.amount,
                  funded_at = greatest(funded_at, awaiting.seen_at),
                  status_history = array_append(status_history,
                    format('{"status":"%s","at":"%s"}', $9::text, svc.format_time((select svc.now())))::json),
                  status_written_at = array_append(status_written_at, clock_timestamp())
             from awaiting where transaction.organization_id = awaiting.organization_id
              and transaction.transaction_id = awaiting.transaction_id
        returning ${shownColumns}`,
    values: [
      applied.map(({ transaction }) => transaction.organizationId),
      applied.map(({ transaction }) => transaction.transactionId),
      applied.map(({ deposit }) => deposit.amount),
      applied.map(({ deposit }) => deposit.seenAt),
      applied.map(({ deposit }) => deposit.externalId),
      applied.map(() => newId()),
      applied.map(({ deposit: { depositId, amount, asset } }) =>
        JSON.stringify({ depositId, ...stepMoney(amount, asset) }),
      ),
      transactionMoves.receive.from,
      transactionMoves.receive.to,
    ],
  })
}
