import { Readable } from 'node:stream'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import { badField, notFound } from '../../lib/refusal.ts'
import type { LedgerStatement, StatedEntry, WriteStatement } from '../bank-files/formats.ts'
import type { BankAccount } from '../treasury/bank-account.ts'
import { joinCharges } from './charges.ts'
import { isDay } from './reconciliation.ts'
import { entryOf, nameOwnAccount, writeCsv } from './statement.ts'
import * as store from './store.ts'

export type ExportDeps = {
  database: Database
  ledger: Pick<LedgerService, 'foldAll'>
  listAccounts(): Promise<readonly BankAccount[]>
  writeStatement: WriteStatement
  isSandbox: boolean
}

export type StatementExports = ReturnType<typeof createStatementExportService>

const pageSize = 2_000
const start: store.LinePlace = { postingId: '00000000-0000-0000-0000-000000000000', entryNumber: 0 }

export type StatementFormat = 'CSV' | 'CAMT053'

/** Writes the ledger's own statements of bank accounts, page by page, so that a day of any size needs little memory. */
export function createStatementExportService(deps: ExportDeps) {
  const write = async (bankAccountId: string, date: string, format: StatementFormat): Promise<Readable> => {
    const account = (await deps.listAccounts()).find((each) => each.bankAccountId === bankAccountId)
    if (!account) throw notFound()
    const { statement, lines } = await openStatement(deps, account, date)
    return Readable.from(
      format === 'CSV' ? gather(writeCsv(statement, lines)) : deps.writeStatement(statement, entries(statement, lines)),
      { objectMode: false },
    )
  }
  return {
    /** Writes the statement of an account for a day that has ended. */
    export: (caller: Caller, bankAccountId: string, date: string, format: StatementFormat): Promise<Readable> => {
      const isAllowed = deps.isSandbox || caller.organizationIds.includes(platformOrganizationId)
      return isAllowed ? write(bankAccountId, date, format) : Promise.reject(notFound())
    },

    /** Does the same for the operator of the deployment. */
    exportByCommand: write,
  }
}

async function openStatement(deps: ExportDeps, account: BankAccount, date: string) {
  const { bankAccountId, currency, files } = account
  const today = await store.readToday(deps.database)
  if (!isDay(date) || date >= today)
    throw badField('date', 'must be a day since 1900 and before today, such as "2026-11-16"')
  await deps.ledger.foldAll()
  const opening = await store.readLedgerBalance(deps.database, { bankAccountId, date: dayBefore(date) }, false)
  const closing = await store.readLedgerBalance(deps.database, { bankAccountId, date }, false)
  const statement: LedgerStatement = {
    statementId: `${date.replaceAll('-', '')}-${bankAccountId}`.slice(0, 35),
    createdAt: new Date(`${today}T00:00:00Z`),
    account: files ? nameOwnAccount(files.coordinates, currency) : { number: bankAccountId, currency },
    currency,
    date,
    opening,
    closing,
  }
  return { statement, lines: readLines(deps.database, { bankAccountId, date }, closing - opening) }
}

/** Reads the lines of a day page by page. Throws at the end if they do not lead from the opening to the closing balance. */
async function* readLines(database: Database, of: { bankAccountId: string; date: string }, expected: bigint) {
  let sum = 0n
  let after = start
  for (;;) {
    const page = await store.pageLines(database, of, after, pageSize)
    for (const line of page) {
      sum += line.amount
      yield line
    }
    const last = page.at(-1)
    if (!last || page.length < pageSize) break
    after = last
  }
  if (sum !== expected) throw new Error(`the lines of ${of.bankAccountId} on ${of.date} do not lead to its balance`)
}

/** Writes lines as entries. Throws at the end if they do not lead from the opening to the closing balance. */
async function* entries(
  statement: LedgerStatement,
  lines: AsyncIterable<store.StatementLine>,
): AsyncGenerator<StatedEntry, void, undefined> {
  let balance = statement.opening
  for await (const line of joinCharges(lines)) {
    const entry = entryOf(line, statement)
    balance += entry.direction === 'CREDIT' ? entry.amount.units : -entry.amount.units
    yield entry
  }
  if (balance !== statement.closing)
    throw new Error(`the entries of ${statement.statementId} do not lead to its closing balance`)
}

const chunkLength = 64 * 1024

/** Gathers short texts into chunks. */
async function* gather(texts: AsyncIterable<string>): AsyncGenerator<Buffer, void, undefined> {
  let gathered = ''
  for await (const text of texts) {
    gathered += text
    if (gathered.length < chunkLength) continue
    yield Buffer.from(gathered)
    gathered = ''
  }
  yield Buffer.from(gathered)
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
}
