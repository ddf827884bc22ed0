import type { NetworkKind } from '../../../catalog/network-kinds.ts'
import type { Queryable, Tx } from '../../../db/database.ts'
import { type ClaimRound, claimFairly, type SharedWorkTable } from '../../../db/fair-claims.ts'
import { type ClaimOptions, requireFence } from '../../../db/work.ts'
import { dueIn } from '../../../db/workers/due.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { NewSighting, Sighting, SightingKey, SightingState } from './sighting.ts'

const sightings: SharedWorkTable = {
  table: 'svc.sightings',
  key: ['method', 'book', 'external_id'],
  dueBy: 'business time',
  sharedBy: 'expected_organization_id',
}

/** The reference of an accepted entry: that of the bank or chain, made distinct by the id of the entry. */
export const acceptedId = `entry.external_id || '~' || entry.quarantine_id`

export type ClaimedSighting = Sighting & { fence: string; dust: 'WAITING' | 'RELEASED' | null }

/**
 * Inserts a sighting; false when its reference is taken. The expected organization only shares out claims: the deposit's
 * owner is found when the deposit is created. A transfer of our own never becomes due.
 */
export async function insertSighting(
  tx: Tx,
  sighting: NewSighting,
  { expectedOrganizationId, isOwn }: { expectedOrganizationId: string; isOwn: boolean },
): Promise<boolean> {
  const inserted = await tx.query({
    name: 'insert sighting',
    text: `insert into svc.sightings (method, book, external_id, asset, amount, message, address, virtual_account_id,
                  sender_account_id, details_hash, from_address, block_number, block_hash, observed_at, state,
                  sender_matches, sealed_sender, expected_organization_id, is_own,
                  is_sender_mismatch, other_senders, rail, recorded_at, due_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, least($14, svc.now()), $15, $16, $17, $18, $19,
                  $20, $21, $22, svc.now(), case when $15 = 'FINAL' and not $19 then svc.now() end)
               on conflict do nothing returning external_id`,
    values: [
      ...contentOf(sighting),
      ...placeOf(sighting),
      sighting.state,
      JSON.stringify(sighting.senderMatches),
      sighting.sealedSender,
      expectedOrganizationId,
      isOwn,
      sighting.isSenderMismatch ?? false,
      sighting.otherSenders ?? [],
      sighting.rail ?? null,
    ],
  })
  return inserted.length > 0
}

/** The facts that identify the owner of a sighting. */
export type SightingFacts = Pick<
  Sighting,
  'method' | 'asset' | 'message' | 'address' | 'virtualAccountId' | 'senderAccountId'
>

export type SightingInBlock = SightingKey & SightingFacts & { state: SightingState }

export type KnownSighting = SightingInBlock & {
  blockHash: string | null
  /** The entry that has this reference has the same content. The screening of its sender may have changed. */
  isSame: boolean
}

/** Locks the sighting that has this reference, and compares it with the report. */
export async function lockSighting(tx: Tx, reported: SightingKey | NewSighting): Promise<KnownSighting | undefined> {
  const [known] = await tx.query<KnownSighting>({
    name: 'lock sighting',
    text: `select method, book, external_id as "externalId", asset, message, address,
                  virtual_account_id as "virtualAccountId", sender_account_id as "senderAccountId", state,
                  block_hash as "blockHash",
                  (method, asset, amount, message, address, virtual_account_id, sender_account_id, details_hash,
                   from_address)
                  is not distinct from
                  ($1::text, $4::text, $5::numeric, $6::text, $7::text, $8::uuid, $9::uuid, $10::bytea, $11::text)
                  as "isSame"
             from svc.sightings
            where book = $2 and external_id = $3
              and (method = $1 or (asset not like '%/%' and $4::text not like '%/%'))
              for no key update`,
    values: contentOf(reported),
  })
  return known
}

/** Moves a sighting to the state and the block of the report. A final one that is no deposit yet becomes due. */
export async function moveSighting(
  tx: Tx,
  sighting: NewSighting,
  { from, to }: Move<SightingState>,
  { isNewBlock, isDeposit }: { isNewBlock: boolean; isDeposit: boolean },
): Promise<void> {
  const { method, book, externalId } = sighting
  await tx.query({
    name: 'move sighting',
    text: `update svc.sightings
              set state = $7, block_number = $4, block_hash = $5,
                  observed_at = case when $9 then least($6, svc.now()) else observed_at end,
                  due_at = case when $7 = 'FINAL' and not is_own and not $10 then svc.now() end
            where method = $1 and book = $2 and external_id = $3 and state = any($8)`,
    values: [method, book, externalId, ...placeOf(sighting), to, from, isNewBlock, isDeposit],
  })
}

/** True when a sighting has become a deposit, of any organization. */
export async function hasDeposit(tx: Tx, { method, book, externalId }: SightingKey): Promise<boolean> {
  const rows = await tx.query({
    name: 'has sighting a deposit',
    text: `select deposit_id from svc.deposits where book = $2 and external_id = $3 and method = $1 limit 1`,
    values: [method, book, externalId],
  })
  return rows.length > 0
}

/** Lists what identifies a sighting and its content, in the order of the first columns of its tables. */
export function contentOf(sighting: SightingKey & Partial<NewSighting>): unknown[] {
  return [
    sighting.method,
    sighting.book,
    sighting.externalId,
    sighting.asset ?? null,
    sighting.amount ?? null,
    sighting.message ?? null,
    sighting.address ?? null,
    sighting.virtualAccountId ?? null,
    sighting.senderAccountId ?? null,
    sighting.detailsHash ?? null,
    sighting.fromAddress ?? null,
  ]
}

/** Lists block and time of a report, in the order of the columns that follow its content. */
export function placeOf({ block, observedAt }: NewSighting): unknown[] {
  return [block?.number ?? null, block?.hash ?? null, observedAt]
}

export const dueSightings = dueIn(sightings)

export async function claimSightings(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
  round: ClaimRound,
): Promise<ClaimedSighting[]> {
  const claimed = await claimFairly<{ method: string; book: string; external_id: string }>(
    database,
    sightings,
    options,
    round,
  )
  if (claimed.length === 0) return []
  return database.query<ClaimedSighting>({
    name: 'read claimed sightings',
    text: `select sighting.method, sighting.book, sighting.external_id as "externalId", asset, amount, message, address,
                  virtual_account_id as "virtualAccountId", sender_account_id as "senderAccountId",
                  details_hash as "detailsHash", from_address as "fromAddress",
                  other_senders as "otherSenders", sender_matches as "senderMatches", sealed_sender as "sealedSender", is_sender_mismatch as "isSenderMismatch", rail,
                  observed_at as "observedAt", dust, sighting.fence::text as fence
             from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as claimed (method, book, external_id, fence)
             join svc.sightings as sighting on sighting.method = claimed.method and sighting.book = claimed.book
              and sighting.external_id = claimed.external_id and sighting.fence = claimed.fence`,
    values: [
      claimed.map(({ method }) => method),
      claimed.map(({ book }) => book),
      claimed.map(({ external_id }) => external_id),
      claimed.map(({ fence }) => fence),
    ],
  })
}

/** Finishes a sighting whose deposit exists. */
export async function finishSighting(tx: Tx, { method, book, externalId, fence }: ClaimedSighting): Promise<void> {
  const finished = await tx.query({
    name: 'finish sighting',
    text: `update svc.sightings set due_at = null, lease_until = null
            where method = $1 and book = $2 and external_id = $3 and fence = $4 returning method`,
    values: [method, book, externalId, fence],
  })
  requireFence(finished)
}

/**
 * Postpones a sighting while this worker holds its lease. After a commit whose reply was lost, its deposit exists
 * already.
 */
export async function postponeSighting(
  database: Queryable,
  { method, book, externalId, fence }: ClaimedSighting,
  seconds: number,
): Promise<void> {
  await database.query({
    name: 'postpone sighting',
    text: `update svc.sightings set due_at = svc.now() + $5 * interval '1 second', lease_until = null
            where method = $1 and book = $2 and external_id = $3 and fence = $4 and lease_until is not null`,
    values: [method, book, externalId, fence, seconds],
  })
}

export type SightingOwner = {
  organizationId: string
  customerId: string
  transactionId: string | null
  /** The service wallet or auto fiat account that received it, or the registered account that sent it. */
  paymentAccountId: string | null
}

/** The owner of a sighting as a table, from SQL for what it tells. */
export const ownerOf = (told: Record<'message' | 'kind' | 'address' | 'virtual' | 'sender', string>) =>
  `with found as (
                   select 2 as rank, organization_id, customer_id, transaction_id, source_payment_account_id as account_id
                     from svc.transactions where transfer_message = ${told.message}
                    union all
                   select 3, wallets.organization_id, wallets.customer_id, transaction.transaction_id,
                          coalesce(transaction.source_payment_account_id, wallets.payment_account_id)
                     from svc.wallets left join svc.transactions as transaction
                       on transaction.organization_id = wallets.organization_id
                      and transaction.transaction_id = wallets.payment_account_id
                    where wallets.kind = ${told.kind} and wallets.address = ${told.address}
                    union all
                   select case payment_account_id when ${told.virtual} then 1 else 4 end, organization_id, customer_id, null,
                          payment_account_id
                     from svc.payment_accounts where payment_account_id in (${told.virtual}, ${told.sender}))
           select found.organization_id as "organizationId", found.customer_id as "customerId",
                  found.transaction_id as "transactionId", account.payment_account_id as "paymentAccountId"
             from found
             left join svc.payment_accounts as account on account.organization_id = found.organization_id
              and account.payment_account_id = found.account_id
            where not exists (select from found as virtual join found as named on named.rank = 2
                               where virtual.rank = 1 and named.customer_id <> virtual.customer_id)
            order by rank limit 1`

/**
 * Finds the owner of a sighting: by virtual account, then message, then receiving address, then sender account. The payer
 * writes the message: when it names another customer than the virtual account, an operator decides.
 */
export async function findSightingOwner(
  tx: Tx,
  { message, address, virtualAccountId, senderAccountId }: SightingFacts,
  kind: NetworkKind | null,
): Promise<SightingOwner | undefined> {
  const [owner] = await tx.query<SightingOwner>({
    name: 'find owner of sighting',
    text: ownerOf({ message: '$1', kind: '$2', address: '$3', virtual: '$4', sender: '$5' }),
    values: [message, kind, address, virtualAccountId, senderAccountId],
  })
  return owner
}

export type AutoAccount = {
  status: string
  currency: string
  destination: { paymentAccountId: string; currency: string; method: string }
  /** The key that opened the account, or the last that it was rolled to. */
  apiKeyId: string | null
}

/**
 * Finds an auto fiat account with the destination of its deposits, and the key that makes their transactions. The key may
 * belong to the parent organization, which acts for its children.
 */
export async function findAutoAccount(
  tx: Tx,
  organizationId: string,
  paymentAccountId: string,
): Promise<AutoAccount | undefined> {
  const [found] = await tx.query<AutoAccount>({
    name: 'find auto fiat account',
    text: `with recursive account as (
             select status, currency, api_key_id, jsonb_build_object('paymentAccountId', destination_payment_account_id,
                    'currency', destination_currency, 'method', destination_payment_method) as destination
               from svc.payment_accounts
              where organization_id = $1 and payment_account_id = $2
                and payment_account_type = 'SVC_AUTO_FIAT_ACCOUNT'),
           answering as (
             select api_key_id as id, 0 as rolls from account
             union all
             select key.successor_api_key_id, answering.rolls + 1 from answering
               join svc.organizations as organization on organization.organization_id = $1
               join svc.api_keys as key on key.api_key_id = answering.id and key.successor_api_key_id is not null
                and key.organization_id in (organization.organization_id, organization.parent_organization_id))
           select status, currency, destination,
                  (select id from answering order by rolls desc limit 1) as "apiKeyId"
             from account`,
    values: [organizationId, paymentAccountId],
  })
  return found
}
