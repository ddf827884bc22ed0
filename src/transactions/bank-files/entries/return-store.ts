import type { Tx } from '../../../db/database.ts'

export type KnownReturn = {
  returnId: string
  amount: string
  messageReturnId: string | null
  bankEntryId: string | null
}

/** Lists the returns of a reference that are recorded. The lock of the recording keeps others away. */
export function readKnownReturns(tx: Tx, reference: string): Promise<KnownReturn[]> {
  return tx.query<KnownReturn>({
    name: 'read known bank returns',
    text: `select return_id as "returnId", amount, message_return_id as "messageReturnId", bank_entry_id as "bankEntryId"
             from svc.bank_returns where reference = $1 order by recorded_at, return_id`,
    values: [reference],
  })
}

export type NewReturn = {
  reference: string
  returnId: string
  amount: bigint
  reason: string
  valueDate: string | null
  messageReturnId: string | null
  bankEntryId: string | null
}

export async function insertReturn(tx: Tx, told: NewReturn): Promise<void> {
  await tx.query({
    name: 'insert bank return',
    text: `insert into svc.bank_returns (reference, return_id, amount, reason, value_date, message_return_id,
                  bank_entry_id, credited_amount, recorded_at)
           values ($1, $2, $3, $4, $5, $6, $7, case when $7::uuid is not null then $3::numeric end, svc.now())`,
    values: [
      told.reference,
      told.returnId,
      told.amount,
      told.reason,
      told.valueDate,
      told.messageReturnId,
      told.bankEntryId,
    ],
  })
}

/** Joins a message with the entry of the same return. */
export async function pairReturn(
  tx: Tx,
  reference: string,
  returnId: string,
  told: { messageReturnId: string } | { bankEntryId: string; creditedAmount: bigint },
): Promise<void> {
  const [messageReturnId, bankEntryId, creditedAmount] =
    'messageReturnId' in told ? [told.messageReturnId, null, null] : [null, told.bankEntryId, told.creditedAmount]
  await tx.query({
    name: 'pair bank return',
    text: `update svc.bank_returns
              set message_return_id = coalesce(message_return_id, $3), bank_entry_id = coalesce(bank_entry_id, $4),
                  credited_amount = coalesce(credited_amount, $5)
            where reference = $1 and return_id = $2`,
    values: [reference, returnId, messageReturnId, bankEntryId, creditedAmount],
  })
}
