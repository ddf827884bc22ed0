import type { Queryable, Tx } from '../../db/database.ts'
import type { AccountFiles, BankAccount, NewBankAccount } from './bank-account.ts'

export function listBankAccounts(database: Queryable): Promise<BankAccount[]> {
  return database.query<BankAccount>({
    name: 'list bank accounts',
    text: `select account.bank_account_id as "bankAccountId", account.bank_name as "bankName", account.currency,
                  array(select rail from svc.bank_account_rails as served
                         where served.bank_account_id = account.bank_account_id order by rail) as rails,
                  case when account.coordinates is not null then jsonb_build_object('holderName', account.holder_name,
                    'coordinates', account.coordinates, 'dialect', account.dialect) end as files
             from svc.bank_accounts as account order by account.bank_account_id`,
  })
}

/** Lets operators open and connect accounts one after the other, until the database transaction ends. */
export async function lockBankAccounts(tx: Tx): Promise<void> {
  await tx.query({ name: 'lock bank accounts', text: `select pg_advisory_xact_lock(hashtext('svc bank accounts'))` })
}

/** Inserts an account with its rails; false when the account exists, or another account serves one of the rails. */
export async function insertBankAccount(
  tx: Tx,
  { bankAccountId, bankName, currency, rails, files }: NewBankAccount,
): Promise<boolean> {
  const inserted = await tx.query({
    name: 'insert bank account',
    text: `insert into svc.bank_accounts (bank_account_id, bank_name, currency, holder_name, coordinates, dialect,
                  created_at)
           values ($1, $2, $3, $4, $5, $6, svc.now())
               on conflict (bank_account_id) do nothing returning bank_account_id`,
    values: [
      bankAccountId,
      bankName,
      currency,
      files?.holderName ?? null,
      files ? JSON.stringify(files.coordinates) : null,
      files ? JSON.stringify(files.dialect) : null,
    ],
  })
  if (inserted.length === 0) return false
  const served = await tx.query({
    name: 'insert rails of bank account',
    text: `insert into svc.bank_account_rails (rail, bank_account_id)
           select rail, $1 from unnest($2::text[]) as rail order by rail
               on conflict (rail) do nothing returning rail`,
    values: [bankAccountId, rails],
  })
  return served.length === rails.length
}

/** Records how files name an account; false when there is no such account, or it has coordinates. */
export async function connectBankAccount(tx: Tx, bankAccountId: string, files: AccountFiles): Promise<boolean> {
  const [answer] = await tx.query<{ isConnected: boolean }>({
    name: 'connect bank account',
    text: 'select svc.connect_bank_account($1, $2, $3, $4) as "isConnected"',
    values: [bankAccountId, files.holderName, JSON.stringify(files.coordinates), JSON.stringify(files.dialect)],
  })
  return answer?.isConnected ?? false
}

/** True when the two rails or networks are the same, or one bank account of ours serves both. */
export async function isSameHolding(database: Queryable, method: string, other: string): Promise<boolean> {
  if (method === other) return true
  const rows = await database.query({
    name: 'is one bank account behind two rails',
    text: `select bank_account_id from svc.bank_account_rails where rail in ($1, $2)
            group by bank_account_id having count(*) = 2`,
    values: [method, other],
  })
  return rows.length > 0
}
