import { openDatabase, type Queryable, type Tx } from '../../../src/db/database.ts'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { insertEntry } from '../../../src/transactions/bank-files/entries/entry-store.ts'
import { insertPart } from '../../../src/transactions/bank-files/entries/part-store.ts'
import { insertPayment } from '../../../src/transactions/bank-files/entries/reference-store.ts'
import { insertStatement, recordClosing } from '../../../src/transactions/bank-files/incoming/statement-store.ts'
import { noTraits } from '../../../src/transactions/bank-files/recognition/traits.ts'
import type { TestApi } from '../runner/api.ts'

/** A line of the ledger. The amount is negative for money that left. */
export type RawLine = { kind: 'DEPOSIT' | 'PAYOUT' | 'OWN'; account: string; name: string; amount: bigint; day: string }

export type RawEntry = {
  account: string
  kind: 'DEPOSIT' | 'PAYOUT' | 'RETURN' | 'UNKNOWN'
  name: string
  /** As the bank books it: negative for a debit. */
  amount: bigint
  day: string
  /** The page of a statement that tells it; a notification otherwise. */
  bankFileId?: string
  /** The entry that it tells again; its transaction alone for a part. */
  repeats?: string
  repeatsPart?: string
}

export type RawPage = { account: string; series: string; day: string | null; closing: bigint }

/** The columns that a comparison does not read. */
const unread = {
  bankReference: null,
  statedReference: null,
  referenceHashes: [],
  networkHashes: [],
  uetrHash: null,
  transactionHash: null,
  endToEndHash: null,
  payerHash: Buffer.alloc(0),
  payerHashes: [],
  textHash: null,
  batchHashes: [],
  traits: noTraits,
  fingerprint: Buffer.alloc(0),
}

/**
 * Opens a database for records of banks in any order and on any day, as the recording of files writes them. What they refer
 * to does not matter to a comparison, so this database has no foreign keys.
 */
export async function openRawHistory(api: TestApi) {
  const owner = openDatabase({ connection: api.database.owner })
  await owner.query({
    text: `do $$ declare each record; begin
             for each in select conrelid::regclass as relation, conname from pg_constraint
                          where contype = 'f' and connamespace = 'svc'::regnamespace loop
               execute format('alter table %s drop constraint %I', each.relation, each.conname);
             end loop; end $$`,
  })
  return owner
}

/** Empties what a comparison reads. */
export async function emptyHistory(owner: Queryable): Promise<void> {
  await owner.query({
    text: `truncate svc.bank_statements, svc.bank_entries, svc.bank_entry_parts, svc.bank_payments, svc.bank_returns,
             svc.bank_second_debits, svc.sightings, svc.ledger_lines, svc.open_lines, svc.open_entries, svc.kept_movements,
             svc.kept_names, svc.kept_pages, svc.kept_days, svc.explained_entries`,
  })
}

/** Writes a line of the ledger as svc.fold_entries does, with the payout or deposit that names it. */
export async function writeLine(tx: Tx, { kind, account, name, amount, day }: RawLine): Promise<void> {
  const id = newId()
  if (kind === 'DEPOSIT')
    await tx.query({
      text: `insert into svc.deposits (organization_id, deposit_id, method, book, external_id, asset, amount, held_at, status,
                    seen_at, created_at, updated_at)
             values ($1, $2::uuid, 'SEPA', $2::uuid::text, $3, 'EUR', 1, $4, 'UNMATCHED', svc.now(), svc.now(), svc.now())`,
      values: [platformOrganizationId, id, name, account],
    })
  if (kind === 'PAYOUT')
    await tx.query({
      text: `with paid as (
               insert into svc.payouts (organization_id, payout_id, transaction_id, purpose, method, asset, amount,
                      payment_account_id, customer_id, pays_from, status, created_at)
               values ($1, $2, $2, 'PAYOUT', 'SEPA', 'EUR', 1, $2, $2, $3, 'CONFIRMED', svc.now()))
             insert into svc.bank_file_items (bank_file_id, place, reference, payout_id, attempt, amount)
             values ($2, 1, $4, $2, 1, 1)`,
      values: [platformOrganizationId, id, account, name],
    })
  const reference = { DEPOSIT: `deposit:${id}:received`, PAYOUT: `transaction:${id}:payout`, OWN: `operator:fee:${id}` }
  await tx.query({
    text: `with written as (
             insert into svc.ledger_lines (organization_id, posting_id, entry_number, holder, asset, day, reference, fact,
                    amount)
             values ($1, $2, 1, $3, 'EUR', $4, $5, $6, $7) returning organization_id, posting_id, entry_number, holder, day)
           insert into svc.open_lines (bank_account_id, day, posting_id, entry_number, organization_id)
           select holder, day, posting_id, entry_number, organization_id from written`,
    values: [platformOrganizationId, id, account, day, reference[kind], kind, -amount],
  })
}

const ownAccount = { iban: 'DE75512108001245126199', currency: 'EUR' }

/** Records a page of a statement; without a day it has no closing balance. Returns its file. */
export async function writePage(tx: Tx, { account, series, day, closing }: RawPage): Promise<string> {
  const bankFileId = newId()
  const names = { account: ownAccount, statementKey: 'stated' }
  const place = { bankFileId, bankAccountId: account }
  await insertStatement(tx, place, { ...names, type: 'STATEMENT', statementId: series })
  if (day !== null) await writeClosing(tx, bankFileId, { day, closing })
  return bankFileId
}

/** Records the closing balance of a page. */
export function writeClosing(
  tx: Tx,
  bankFileId: string,
  { day, closing }: { day: string; closing: bigint },
): Promise<void> {
  const amount = { currency: 'EUR' as const, units: closing }
  const told = {
    type: 'BALANCE',
    code: 'CLBD',
    direction: 'CREDIT',
    account: ownAccount,
    statementKey: 'stated',
  } as const
  return recordClosing(tx, { bankFileId }, { ...told, amount, date: day })
}

const outcomes = { DEPOSIT: 'DEPOSIT', PAYOUT: 'PAYMENT', RETURN: 'RETURN', UNKNOWN: 'UNMATCHED' } as const

/** Records an entry, with the payment or the transaction that it tells. */
export async function writeEntry(tx: Tx, told: RawEntry): Promise<string> {
  const { account, kind, name, amount, day, bankFileId, repeats, repeatsPart } = told
  const bankEntryId = newId()
  const units = amount < 0n ? -amount : amount
  const entry = {
    ...unread,
    bankEntryId,
    bankFileId: bankFileId ?? newId(),
    bankAccountId: account,
    source: bankFileId === undefined ? ('NOTIFICATION' as const) : ('STATEMENT' as const),
    statementKey: 'stated',
    // Each entry has another position in its page.
    position: Number.parseInt(bankEntryId.slice(-7), 16),
    entryReference: bankEntryId,
    direction: amount < 0n ? ('DEBIT' as const) : ('CREDIT' as const),
    isReversal: false,
    amount: units,
    currency: 'EUR',
    bookingDate: day,
    valueDate: null,
    partCount: 1,
    untoldCount: null,
  }
  await insertEntry(tx, entry, { outcome: repeats ? 'REPEATED' : outcomes[kind], ...(repeats ? { repeats } : {}) })
  if (repeats) return bankEntryId
  if (kind === 'PAYOUT')
    await insertPayment(tx, {
      reference: name,
      bankEntryId,
      externalReference: name,
      amount: units,
      costs: 0n,
      valueDate: null,
    })
  if (kind === 'DEPOSIT' || kind === 'RETURN') {
    const part = { ...unread, place: 1, amount: units, externalId: name, isReturn: kind === 'RETURN' }
    const again = repeatsPart ? { repeats: { bankEntryId: repeatsPart, place: 1 } } : {}
    await insertPart(tx, { bankEntryId, bankAccountId: account }, { ...part, ...again })
  }
  return bankEntryId
}
