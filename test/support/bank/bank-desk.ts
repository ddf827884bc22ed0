import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect } from 'vitest'
import { writeReturnMessage } from '../../../src/adapters/bank/iso20022/returns/pacs004-writer.ts'
import {
  type NewEntry,
  writeNotification,
  writeStatement,
} from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { type PaymentStatusOf, writeStatusReport } from '../../../src/adapters/bank/iso20022/status-writer.ts'
import type { Queryable } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { readFolders, recordMarked } from '../../../src/transactions/bank-files/folders/folder-store.ts'
import type { AccountName, EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { makeFolder } from '../runner/folder.ts'

export const euroAccount: AccountName = { iban: 'DE75512108001245126199', currency: 'EUR' }
export const dollarAccount: AccountName = { number: '900000000001', currency: 'USD' }

/** A payment of ours as a file carries it. */
export type SentPayment = { reference: string; fileId: string; name: string; amount: bigint; status: string }

export type BankDesk = Awaited<ReturnType<typeof openDesk>>

/** A folder between us and a bank, and a person at the bank who writes the bank's files by hand. */
export async function openDesk() {
  const { folder, remove } = await makeFolder()
  afterAll(remove)
  const place = (...parts: string[]) => path.join(folder, ...parts)
  const id = () => newId().replaceAll('-', '')

  /** Delivers a file as transfer agents do: complete, by a move. Answers its name. */
  async function deliver(chunks: Iterable<Buffer | string>, name = `${id()}.xml`): Promise<string> {
    const bytes = Buffer.concat([...chunks].map((chunk) => Buffer.from(chunk)))
    await eventually(() => readdir(place('incoming')))
    await writeFile(place('incoming', `${name}.tmp`), bytes)
    await rename(place('incoming', `${name}.tmp`), place('incoming', name))
    return name
  }

  const message = (account: AccountName, entries: NewEntry[], more: object = {}) => ({
    messageId: id().slice(0, 30),
    createdAt: new Date(),
    statements: [{ statementId: id().slice(0, 30), account, entries, balances: balancesOf(account, entries), ...more }],
  })

  return {
    folder,
    settings: { SVC_SANDBOX_BANK: 'folders', SVC_BANK_DIR: folder },
    deliver,
    list: (name: 'outgoing' | 'incoming' | 'received' | 'archive' | 'quarantine') =>
      readdir(place(name)).then((names) => names.filter((each) => !/^(\.|svc-folder-id$)/.test(each)).sort()),
    read: (...parts: string[]) => readFile(place(...parts)),
    notify: (account: AccountName, entries: NewEntry[], more: object = {}) =>
      deliver(writeNotification(message(account, entries, more))),
    state: (account: AccountName, entries: NewEntry[], more: object = {}) =>
      deliver(writeStatement(message(account, entries, more))),
    answer: (
      fileId: string,
      status: {
        group?: { statusCode: string; reasons?: { code: string; text?: string }[] }
        batch?: { statusCode: string; reasons?: { code: string; text?: string }[] }
        payments?: PaymentStatusOf[]
        createdAt?: Date
      },
    ) =>
      deliver(
        writeStatusReport({
          messageId: id(),
          createdAt: status.createdAt ?? new Date(),
          original: { fileId, messageName: 'pain.001.001.09' },
          ...(status.group ? { group: status.group } : {}),
          batches:
            status.payments || status.batch
              ? [
                  {
                    paymentInformationId: fileId,
                    payments: status.payments ?? [],
                    ...(status.batch ? { status: status.batch } : {}),
                  },
                ]
              : [],
        }),
      ),
    returns: (returned: Parameters<typeof writeReturnMessage>[0]['returns']) =>
      deliver(writeReturnMessage({ messageId: id(), createdAt: new Date(), returns: returned })),
    newReference: () => id().slice(0, 20).toUpperCase(),
  }
}

/** The balances before and after the entries, which every statement has. It always closes with the same one. */
export function balancesOf({ currency }: AccountName, entries: readonly NewEntry[]) {
  const booked = entries.filter(({ status }) => status === 'BOOKED')
  const opening = booked.reduce(
    (units, { direction, amount }) => units - (direction === 'CREDIT' ? amount.units : -amount.units),
    100n,
  )
  const balance = (code: string, units: bigint) => ({
    code,
    direction: units < 0n ? ('DEBIT' as const) : ('CREDIT' as const),
    amount: { currency: currency as 'EUR', units: units < 0n ? -units : units },
    date: '2026-11-16',
  })
  return [balance('OPBD', opening), balance('CLBD', 100n)]
}

const day = '2026-11-16'

/** An entry of a statement or notification; a test overrides single fields. */
export function entry(
  direction: 'CREDIT' | 'DEBIT',
  units: bigint,
  detail: Partial<EntryDetail> = {},
  more: Partial<NewEntry> = {},
): NewEntry {
  const currency = more.amount?.currency ?? 'EUR'
  return {
    entryReference: newId().slice(-12),
    direction,
    isReversal: false,
    status: 'BOOKED',
    amount: { currency, units },
    bookingDate: day,
    valueDate: day,
    charges: [],
    details: [{ references: {}, charges: [], counterparty: {}, remittance: [], creditorReferences: [], ...detail }],
    ...more,
  }
}

/** Waits until the payout of a transaction is in a released file. */
export function waitForFile(api: TestApi, transactionId: string, attempt = 1): Promise<SentPayment> {
  const text = `select item.reference, file.message_id as "fileId", file.name, item.amount, file.status
                  from svc.payouts as payout join svc.bank_file_items as item using (payout_id)
                  join svc.bank_files as file using (bank_file_id)
                 where payout.transaction_id = $1 and item.attempt = $2 and file.status = 'RELEASED'`
  return eventually(async () => {
    const rows = await api.app.database.query<Omit<SentPayment, 'amount'> & { amount: string }>({
      text,
      values: [transactionId, attempt],
    })
    expect(rows).toHaveLength(1)
    const [row] = rows
    if (!row) throw new Error('there is no file')
    return { ...row, amount: BigInt(row.amount) }
  })
}

/** Waits until every delivered file is read. */
export function waitUntilRead(api: TestApi, desk: Pick<BankDesk, 'list'>): Promise<void> {
  return eventually(async () => {
    expect([...(await desk.list('incoming')), ...(await desk.list('received'))]).toEqual([])
    const text = `select from svc.bank_files where status = 'RECEIVED'`
    expect(await api.app.database.query({ text })).toEqual([])
  })
}

/** The outcomes of the entries that are recorded, oldest first. */
export async function outcomesOf(api: TestApi, desk: Pick<BankDesk, 'list'>): Promise<string[]> {
  await waitUntilRead(api, desk)
  const text = 'select outcome from svc.bank_entries order by bank_entry_id'
  return (await api.app.database.query<{ outcome: string }>({ text })).map(({ outcome }) => outcome)
}

/** The id of the folders that a database knows. */
export const folderIdentity = (database: Queryable) => ({
  read: () => readFolders(database, randomUUID()),
  recordMarked: () => recordMarked(database),
})
