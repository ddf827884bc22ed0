import type { Tx } from '../../../db/database.ts'
import { openEntries } from '../open-store.ts'

export type SecondDebit = { bankEntryId: string; reference: string; amount: string }

/** Records a debit for a reference that another debit had paid before. */
export async function insertSecondDebit(
  tx: Tx,
  { bankEntryId, reference, amount }: { bankEntryId: string; reference: string; amount: bigint },
): Promise<void> {
  await tx.query({
    name: 'insert second bank debit',
    text: `with changed as (
           insert into svc.bank_second_debits (bank_entry_id, reference, amount) values ($1, $2, $3)
               on conflict do nothing returning bank_entry_id)
           ${openEntries}`,
    values: [bankEntryId, reference, amount],
  })
}

/** Finds second debits that stand, by the bank's reference of any message that told them. */
export function findByBankReference(tx: Tx, bankAccountId: string, bankReference: string): Promise<SecondDebit[]> {
  return tx.query<SecondDebit>({
    name: 'find second bank debits by reference of the bank',
    text: `select distinct debit.bank_entry_id as "bankEntryId", debit.reference, debit.amount
             from svc.bank_entries as told
             join svc.bank_second_debits as debit on debit.bank_entry_id in (told.bank_entry_id, told.repeats)
            where told.bank_account_id = $1 and told.bank_reference = $2 and told.direction = 'DEBIT'
              and debit.reversed_by is null`,
    values: [bankAccountId, bankReference],
  })
}

/** Finds a second debit that stands, of one reference. */
export async function findSecondDebit(
  tx: Tx,
  bankEntryId: string,
  reference: string,
): Promise<SecondDebit | undefined> {
  const [debit] = await tx.query<SecondDebit>({
    name: 'find second bank debit',
    text: `select bank_entry_id as "bankEntryId", reference, amount from svc.bank_second_debits
            where bank_entry_id = $1 and reference = $2 and reversed_by is null`,
    values: [bankEntryId, reference],
  })
  return debit
}

/** Lists those of the references whose payments have a second debit that stands. */
export async function listDebitedTwice(tx: Tx, references: readonly string[]): Promise<string[]> {
  const found = await tx.query<{ reference: string }>({
    name: 'list references debited twice',
    text: `select distinct reference from svc.bank_second_debits where reference = any($1) and reversed_by is null`,
    values: [references],
  })
  return found.map(({ reference }) => reference)
}

/** Records the credit that takes a second debit back, which ends the wait of the debit for an operator. */
export async function reverseSecondDebits(tx: Tx, bankEntryId: string, reversedBy: string): Promise<void> {
  await tx.query({
    name: 'reverse second bank debits',
    text: `with reversed as (update svc.bank_second_debits set reversed_by = $2
                              where bank_entry_id = $1 and reversed_by is null returning bank_entry_id, reversed_by),
           changed as (select bank_entry_id from reversed union select reversed_by from reversed),
           opened as (${openEntries})
           update svc.bank_entries set outcome = 'RESOLVED'
            where bank_entry_id in (select bank_entry_id from reversed) and outcome = 'UNMATCHED'`,
    values: [bankEntryId, reversedBy],
  })
}
