import type { Tx } from '../../../db/database.ts'
import type { BalanceRecord, StatementRecord } from '../formats.ts'

type Place = { bankFileId: string; bankAccountId: string }

/** Records a page of a statement. A file that is read again after a crash tells it once. */
export async function insertStatement(
  tx: Tx,
  { bankFileId, bankAccountId }: Place,
  { statementId, statementKey, electronicSequence, legalSequence }: StatementRecord,
): Promise<void> {
  const sequence = electronicSequence ?? legalSequence
  await tx.query({
    name: 'insert bank statement',
    text: `insert into svc.bank_statements (bank_file_id, statement_key, bank_account_id, series, sequence, recorded_at)
           values ($1, $2, $3, $4, $5, svc.now()) on conflict do nothing`,
    values: [
      bankFileId,
      statementKey,
      bankAccountId,
      [statementId, electronicSequence ?? '', legalSequence ?? ''].join('|'),
      sequence !== undefined && /^\d{1,18}$/.test(sequence) ? sequence : null,
    ],
  })
}

/** Records the closing booked balance of a statement. */
export async function recordClosing(
  tx: Tx,
  { bankFileId }: Pick<Place, 'bankFileId'>,
  { statementKey, direction, amount, date }: BalanceRecord,
): Promise<void> {
  await tx.query({
    name: 'record closing balance of bank statement',
    text: `update svc.bank_statements set closing = $3, day = $4 where bank_file_id = $1 and statement_key = $2`,
    values: [bankFileId, statementKey, direction === 'CREDIT' ? amount.units : -amount.units, date ?? null],
  })
}
