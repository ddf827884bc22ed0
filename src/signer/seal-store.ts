import type { NetworkKind } from '../catalog/network-kinds.ts'
import type { Queryable, Tx } from '../db/database.ts'
import { anyDue, firstOf, realNow } from '../db/workers/due.ts'
import type { SealedDestination, SealedObligation } from '../lib/seals/content.ts'

export type StoredSealingKey = {
  keyId: string
  publicKey: Buffer
  sealedSecret: Buffer
  signerKeyId: string
  replacedAt: Date | null
  retiredAt: Date | null
}

/** Reads all sealing keys, newest first. */
export function readSealingKeys(database: Queryable): Promise<StoredSealingKey[]> {
  return database.query<StoredSealingKey>({
    name: 'read sealing keys',
    text: `select key_id as "keyId", public_key as "publicKey", sealed_secret as "sealedSecret",
                  signer_key_id as "signerKeyId", replaced_at as "replacedAt", retired_at as "retiredAt"
             from svc.sealing_keys order by created_at desc`,
  })
}

/** Locks the key in use until the database transaction ends: a replacement waits for seals that are being written. */
export async function lockSealingKey(tx: Tx, purpose: 'use' | 'replace'): Promise<string | undefined> {
  const [found] = await tx.query<{ keyId: string }>({
    name: `lock sealing key to ${purpose}`,
    text: `select key_id as "keyId" from svc.sealing_keys where replaced_at is null
              for ${purpose === 'use' ? 'share' : 'update'}`,
  })
  return found?.keyId
}

/** Inserts a key; false when one is in use, so that two concurrent first starts create one key. */
export async function insertSealingKey(
  tx: Tx,
  key: Pick<StoredSealingKey, 'keyId' | 'publicKey' | 'sealedSecret' | 'signerKeyId'>,
): Promise<boolean> {
  const inserted = await tx.query({
    text: `insert into svc.sealing_keys (key_id, public_key, sealed_secret, signer_key_id) values ($1, $2, $3, $4)
               on conflict ((replaced_at is null)) where replaced_at is null do nothing returning key_id`,
    values: [key.keyId, key.publicKey, key.sealedSecret, key.signerKeyId],
  })
  return inserted.length > 0
}

export async function replaceSealingKey(tx: Tx, keyId: string): Promise<void> {
  await tx.query({
    text: 'update svc.sealing_keys set replaced_at = clock_timestamp() where key_id = $1',
    values: [keyId],
  })
}

export const destinationColumns = `account.organization_id as "organizationId",
  account.payment_account_id as "paymentAccountId", account.customer_id as "customerId",
  account.payment_account_type as "paymentAccountType", account.currency, account.payment_method as "paymentMethod",
  account.wallet_type as "walletType", account.address, account.account_hash as "accountHash",
  account.data_key_id as "dataKeyId", sha256(account.sealed_details) as "detailsHash",
  account.details_version as "detailsVersion"`

/** The same with the coordinates of a former version, where there is one. */
export const formerDestinationColumns = destinationColumns
  .replace('account.account_hash', 'coalesce(former.account_hash, account.account_hash)')
  .replace('account.sealed_details', 'coalesce(former.sealed_details, account.sealed_details)')
  .replace('account.details_version', 'coalesce(former.details_version, account.details_version)')

/** A destination without a seal. A service wallet has its place in the pool of addresses. */
export type UnsealedDestination = SealedDestination & {
  detailsVersion: number
  walletType: NetworkKind | null
  seedId: string | null
  addressIndex: number | null
}

const isUnsealedDestination = `account.seal is null and account.status = 'ACTIVE'
              and account.payment_account_type <> 'SVC_AUTO_FIAT_ACCOUNT' and account.seal_due_at <= ${realNow}`
const isUnsealedObligation = `payout.seal is null and payout.status = 'WAITING'
              and payout.seal_due_at <= ${realNow}`

/** Holds while a destination or an obligation is due for a seal. */
export const dueSeals = anyDue(
  firstOf(`svc.payment_accounts as account where ${isUnsealedDestination} order by account.seal_due_at`),
  firstOf(`svc.payouts as payout where ${isUnsealedObligation} order by payout.seal_due_at`),
)

/** Reads destinations that are due for a seal, longest due first. */
export function readUnsealedDestinations(database: Queryable, limit: number): Promise<UnsealedDestination[]> {
  return database.query<UnsealedDestination>({
    name: 'read unsealed destinations',
    text: `select ${destinationColumns}, pool.seed_id as "seedId", pool.address_index as "addressIndex"
             from svc.payment_accounts as account
             left join svc.wallets as wallet on wallet.organization_id = account.organization_id
              and wallet.payment_account_id = account.payment_account_id and wallet.customer_id = account.customer_id
              and wallet.kind = account.wallet_type and wallet.address = account.address
             left join svc.wallet_addresses as pool on pool.kind = wallet.kind and pool.address = wallet.address
              and pool.payment_account_id = wallet.payment_account_id
            where ${isUnsealedDestination}
            order by account.seal_due_at limit $1`,
    values: [limit],
  })
}

export type Destination = SealedDestination & { detailsVersion: number; seal: Buffer | null }
export type AccountKey = Pick<Destination, 'organizationId' | 'paymentAccountId' | 'detailsVersion'>

/** Reads destinations, each with the coordinates of a version. */
export function readDestinations(database: Queryable, keys: readonly AccountKey[]): Promise<Destination[]> {
  return database.query<Destination>({
    name: 'read destinations',
    text: `select ${formerDestinationColumns}, coalesce(former.seal, account.seal) as seal
             from unnest($1::uuid[], $2::uuid[], $3::integer[])
                  as wanted (organization_id, payment_account_id, details_version)
             join svc.payment_accounts as account on account.organization_id = wanted.organization_id
              and account.payment_account_id = wanted.payment_account_id
             left join svc.former_bank_details as former on former.organization_id = wanted.organization_id
              and former.payment_account_id = wanted.payment_account_id
              and former.details_version = wanted.details_version
            where wanted.details_version in (account.details_version, former.details_version)`,
    values: [
      keys.map(({ organizationId }) => organizationId),
      keys.map(({ paymentAccountId }) => paymentAccountId),
      keys.map(({ detailsVersion }) => detailsVersion),
    ],
  })
}

/** Tells the destinations of obligations apart. */
export function keyOfDestination(
  of: Pick<SealedObligation, 'organizationId' | 'paymentAccountId' | 'detailsVersion'>,
): string {
  return `${of.organizationId} ${of.paymentAccountId} ${of.detailsVersion}`
}

export const obligationColumns = `payout.organization_id as "organizationId", payout.payout_id as "payoutId",
  payout.transaction_id as "transactionId", payout.deposit_id as "depositId", payout.customer_id as "customerId",
  payout.purpose, payout.method, payout.asset, payout.amount, payout.payment_account_id as "paymentAccountId",
  payout.details_version as "detailsVersion", payout.from_wallet_id as "fromWalletId", payout.pays_from as "paysFrom", payout.held_at as "heldAt",
  payout.is_released as "isReleased"`

/** An obligation without a seal. `problem` tells why it is not owed as it stands; null when it is. */
export type UnsealedObligation = SealedObligation & { problem: string | null }

/** Reads obligations that are due for a seal, longest due first, each derived anew. */
export function readUnsealedObligations(database: Queryable, limit: number): Promise<UnsealedObligation[]> {
  return database.query<UnsealedObligation>({
    name: 'read unsealed obligations',
    text: `select ${obligationColumns}, svc.why_not_owed(payout) as problem
             from svc.payouts as payout
            where ${isUnsealedObligation}
            order by payout.seal_due_at limit $1`,
    values: [limit],
  })
}

/** The outcome for one row: a seal, or the time until the signer re-checks it, with the problem if it has one. */
export type SealOutcome = {
  organizationId: string
  id: string
  seal: Buffer | null
  problem: string | null
  recheckInSeconds: number
}

/** `detailsVersion`: the coordinates that the signer has read. */
export type DestinationOutcome = SealOutcome & { detailsVersion: number }

/** Writes the outcomes of destinations. An account whose coordinates were replaced meanwhile waits for the next round. */
export async function sealDestinations(tx: Tx, outcomes: readonly DestinationOutcome[]): Promise<void> {
  await tx.query({
    name: 'seal destinations',
    text: `update svc.payment_accounts as account
              set seal = outcome.seal, seal_problem = outcome.problem,
                  seal_due_at = clock_timestamp() + outcome.recheck_in * interval '1 second'
             from (select outcome.organization_id, outcome.payment_account_id, outcome.seal, outcome.problem, outcome.recheck_in
                     from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::float8[], $6::integer[])
                          as outcome (organization_id, payment_account_id, seal, problem, recheck_in, details_version)
                     join svc.payment_accounts as account on account.organization_id = outcome.organization_id
                      and account.payment_account_id = outcome.payment_account_id and account.seal is null
                      and account.details_version = outcome.details_version
                    order by account.organization_id, account.payment_account_id
                      for no key update of account skip locked) as outcome
            where account.organization_id = outcome.organization_id
              and account.payment_account_id = outcome.payment_account_id`,
    values: [...arraysOf(outcomes), outcomes.map(({ detailsVersion }) => detailsVersion)],
  })
}

/**
 * Writes the outcomes of obligations. A seal makes an obligation due: workers pay sealed obligations only. Locks none that
 * another signer has sealed, because a worker that claims it now would pass over it.
 */
export async function sealObligations(tx: Tx, outcomes: readonly SealOutcome[]): Promise<void> {
  await tx.query({
    name: 'seal obligations',
    text: `with outcome as materialized (
             select outcome.organization_id, outcome.payout_id, outcome.seal, outcome.problem, outcome.recheck_in
               from (select organization_id, payout_id, seal, problem, recheck_in
                       from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::float8[])
                            as told (organization_id, payout_id, seal, problem, recheck_in)
                      order by organization_id, payout_id) as outcome
              cross join lateral (
                    select read.organization_id, read.payout_id, read.seal from svc.payouts as read
                     where read.organization_id = outcome.organization_id and read.payout_id = outcome.payout_id
                     limit 1) as seen
              cross join lateral (
                    select locked.seal, locked.status from svc.payouts as locked
                     where locked.organization_id = seen.organization_id and locked.payout_id = seen.payout_id
                     limit 1 for no key update skip locked) as unsealed
              where seen.seal is null and unsealed.seal is null and unsealed.status = 'WAITING')
           update svc.payouts as payout
              set seal = outcome.seal, seal_problem = outcome.problem,
                  seal_due_at = clock_timestamp() + outcome.recheck_in * interval '1 second',
                  due_at = case when outcome.seal is null then payout.due_at else (select svc.now()) end
             from outcome
            where payout.organization_id = outcome.organization_id and payout.payout_id = outcome.payout_id`,
    values: arraysOf(outcomes),
  })
}

function arraysOf(outcomes: readonly SealOutcome[]) {
  return [
    outcomes.map(({ organizationId }) => organizationId),
    outcomes.map(({ id }) => id),
    outcomes.map(({ seal }) => seal),
    outcomes.map(({ problem }) => problem),
    outcomes.map(({ recheckInSeconds }) => recheckInSeconds),
  ]
}
