import type { Queryable } from '../db/database.ts'
import type { SealedObligation } from '../lib/seals/content.ts'
import { type Destination, destinationColumns, formerDestinationColumns, obligationColumns } from './seal-store.ts'

export type Slice = { after: string; limit: number }

/** Reads a slice of the sealed ACTIVE destinations, by id. */
export function readSealedDestinations(database: Queryable, { after, limit }: Slice): Promise<Destination[]> {
  return database.query<Destination>({
    text: `select ${destinationColumns}, account.seal
             from svc.payment_accounts as account
            where account.seal is not null and account.status = 'ACTIVE' and account.payment_account_id > $1
            order by account.payment_account_id limit $2`,
    values: [after, limit],
  })
}

/** Reads the former coordinates of a slice of ACTIVE accounts, by id. */
export function readFormerDestinations(database: Queryable, { after, limit }: Slice): Promise<Destination[]> {
  return database.query<Destination>({
    text: `select ${formerDestinationColumns}, former.seal
             from (select distinct listed.organization_id, listed.payment_account_id
                     from svc.former_bank_details as listed
                     join svc.payment_accounts as active on active.organization_id = listed.organization_id
                      and active.payment_account_id = listed.payment_account_id and active.status = 'ACTIVE'
                    where listed.payment_account_id > $1
                    order by listed.payment_account_id limit $2) as slice
             join svc.payment_accounts as account on account.organization_id = slice.organization_id
              and account.payment_account_id = slice.payment_account_id
             join svc.former_bank_details as former on former.organization_id = slice.organization_id
              and former.payment_account_id = slice.payment_account_id
            order by account.payment_account_id`,
    values: [after, limit],
  })
}

export type Obligation = SealedObligation & { seal: Buffer | null }

/** Reads a slice of the sealed open obligations, by id. */
export function readSealedObligations(database: Queryable, { after, limit }: Slice): Promise<Obligation[]> {
  return database.query<Obligation>({
    text: `select ${obligationColumns}, payout.seal from svc.payouts as payout
            where payout.seal is not null and payout.status in ('WAITING', 'SENDING', 'SENT') and payout.payout_id > $1
            order by payout.payout_id limit $2`,
    values: [after, limit],
  })
}

/** A seal of the key in use, which replaces the former seal of the same row. */
export type NewSeal = { organizationId: string; id: string; former: Buffer; seal: Buffer }

export async function replaceDestinationSeals(database: Queryable, seals: readonly NewSeal[]): Promise<void> {
  await database.query({
    text: `with renewed as materialized (
             select account.organization_id, account.payment_account_id, renewed.seal
               from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[])
                    as renewed (organization_id, payment_account_id, former, seal)
               join svc.payment_accounts as account on account.organization_id = renewed.organization_id
                and account.payment_account_id = renewed.payment_account_id and account.seal = renewed.former
              order by account.organization_id, account.payment_account_id for no key update of account)
           update svc.payment_accounts as account set seal = renewed.seal from renewed
            where account.organization_id = renewed.organization_id
              and account.payment_account_id = renewed.payment_account_id`,
    values: arraysOf(seals),
  })
}

export async function replaceFormerSeals(database: Queryable, seals: readonly NewSeal[]): Promise<void> {
  await database.query({
    text: `update svc.former_bank_details as details set seal = renewed.seal
             from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[])
                  as renewed (organization_id, payment_account_id, former, seal)
            where details.organization_id = renewed.organization_id
              and details.payment_account_id = renewed.payment_account_id and details.seal = renewed.former`,
    values: arraysOf(seals),
  })
}

export async function replaceObligationSeals(database: Queryable, seals: readonly NewSeal[]): Promise<void> {
  await database.query({
    text: `with renewed as materialized (
             select payout.organization_id, payout.payout_id, renewed.seal
               from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[])
                    as renewed (organization_id, payout_id, former, seal)
               join svc.payouts as payout on payout.organization_id = renewed.organization_id
                and payout.payout_id = renewed.payout_id and payout.seal = renewed.former
              order by payout.organization_id, payout.payout_id for no key update of payout)
           update svc.payouts as payout set seal = renewed.seal from renewed
            where payout.organization_id = renewed.organization_id and payout.payout_id = renewed.payout_id`,
    values: arraysOf(seals),
  })
}

function arraysOf(seals: readonly NewSeal[]) {
  return [
    seals.map(({ organizationId }) => organizationId),
    seals.map(({ id }) => id),
    seals.map(({ former }) => former),
    seals.map(({ seal }) => seal),
  ]
}

export async function retireReplacedKeys(database: Queryable): Promise<string[]> {
  const retired = await database.query<{ keyId: string }>({
    text: `update svc.sealing_keys set retired_at = clock_timestamp()
            where replaced_at is not null and retired_at is null returning key_id as "keyId"`,
  })
  return retired.map(({ keyId }) => keyId)
}
