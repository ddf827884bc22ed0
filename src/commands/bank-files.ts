import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import { type FiatLabel, scaleOf } from '../catalog/currencies.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { isUuid } from '../lib/ids.ts'
import { formatAmount } from '../lib/money.ts'
import { UsageError } from '../lib/settings.ts'
import { withApp } from './tools.ts'

type Print = (line: string) => void
type Run = (app: App, print: Print) => Promise<void>

const text = { type: 'string', default: '' } as const
const options = { reason: text, deposit: text, amount: text }

/** Finds the command about bank files; undefined when the arguments make no command. */
export function findBankFileCommand(
  args: string[],
): ((config: Config, log: Logger, print: Print) => Promise<number>) | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb = '', id = '', ...rest] = positionals
  const run = rest.length > 0 ? undefined : findRun(verb, id, values.reason.trim(), values)
  if (!run) return undefined
  return (config, log, print) => withApp(config, log, (app) => run(app, print).then(() => 0))
}

type Found = { deposit: string; amount: string }

function findRun(verb: string, id: string, reason: string, found: Found): Run | undefined {
  if ((found.deposit !== '') !== (verb === 'reverse') || (found.amount !== '' && verb !== 'reverse')) return undefined
  if (verb === 'adopt-folders' && id === '') {
    if (reason === '') throw new UsageError('--reason is missing.')
    return (app, print) => adoptFolders(app, print, reason)
  }
  if (id === '') return reason === '' ? lists.get(verb) : undefined
  if (!isUuid(id)) throw new UsageError(`"svc bank-files ${verb}" needs an id that "svc bank-files" lists.`)
  if (verb === 'show') return reason === '' ? (app, print) => show(app, print, id) : undefined
  const act = verb === 'reverse' ? reverseBy(found) : acts.get(verb)
  if (!act) return undefined
  if (reason === '') throw new UsageError('--reason is missing.')
  return (app, print) => act(app, print, id, reason)
}

const lists = new Map<string, Run>([
  ['list', (app, print) => listFiles(app, print, {})],
  ['quarantined', (app, print) => listFiles(app, print, { status: 'QUARANTINED' })],
  ['unmatched', listUnmatched],
  ['changes', listChanges],
])

type Act = (app: App, print: Print, id: string, reason: string) => Promise<void>

/** Lets an unmatched debit take back the deposit that the operator has found. */
function reverseBy({ deposit: depositId, amount: told }: Found): Act {
  if (!isUuid(depositId)) throw new UsageError('--deposit must be the id of a deposit.')
  const wanted = { depositId, ...(told === '' ? {} : { amount: told }) }
  return async ({ bankFileRecords }, print, id, reason) => {
    const amount = await bankFileRecords.reverseDeposit(id, wanted, reason)
    if (amount === undefined)
      throw new Error(
        'There is no such unmatched debit, or it cannot take this deposit back: the deposit must have come to the same ' +
          'account, with a part that is left. "svc bank-files unmatched" lists the entries.',
      )
    print(`The debit takes ${amount} of the deposit back: a worker books it now.`)
  }
}

const acts = new Map<string, Act>([
  ['retry', (app, print, id, reason) => decide(print, app.bankFileRecords.retry(id, reason), 'Svc reads it again.')],
  ['dismiss', (app, print, id, reason) => decide(print, app.bankFileRecords.dismiss(id, reason), 'It is dismissed.')],
  [
    'confirm-change',
    (app, print, id, reason) =>
      decide(
        print,
        app.bankChanges.decideByCommand(id, { decision: 'CONFIRM', reason }),
        'New payouts use the corrected coordinates.',
      ),
  ],
  [
    'refuse-change',
    (app, print, id, reason) =>
      decide(print, app.bankChanges.decideByCommand(id, { decision: 'REFUSE', reason }), 'The account stays as it is.'),
  ],
  [
    'resolve',
    (app, print, id, reason) => decide(print, app.bankFileRecords.resolveEntry(id, reason), 'It is resolved.'),
  ],
])

type Filter = Parameters<App['bankFileRecords']['listRecent']>[0]

async function listFiles({ bankFileRecords }: App, print: Print, filter: Filter): Promise<void> {
  const found = await bankFileRecords.listRecent(filter)
  for (const { bankFileId, createdAt, direction, status, format, itemCount, name, problemCode, problem } of found) {
    const why = problemCode === null ? '' : `  ${problemCode}: ${problem}`
    const what = `${direction}  ${status}  ${format ?? 'unknown'}  ${itemCount} items  ${name}`
    print(`${bankFileId}  ${createdAt.toISOString()}  ${what}${why}`)
  }
  if (found.length === 0) print('There are no such files.')
}

async function show({ bankFileRecords }: App, print: Print, bankFileId: string): Promise<void> {
  const file = await bankFileRecords.find(bankFileId)
  if (!file) throw new Error('There is no such file. "svc bank-files list" lists them.')
  for (const [name, value] of Object.entries(file)) {
    if (value !== null) print(`${name}  ${value instanceof Date ? value.toISOString() : value}`)
  }
}

/** Lists entries of our accounts that match no payment, deposit or return of ours. */
async function listUnmatched({ bankFileRecords }: App, print: Print): Promise<void> {
  const found = await bankFileRecords.listUnmatched()
  for (const entry of found) {
    const amount = `${formatAmount(BigInt(entry.amount), scaleOf(entry.currency as FiatLabel))} ${entry.currency}`
    const kind = entry.isReversal ? `${entry.direction} (reversal)` : entry.direction
    const where = `${entry.bankAccountId}  ${entry.bookingDate ?? ''}  ${entry.bankReference ?? entry.statementKey}`
    print(`${entry.bankEntryId}  ${kind}  ${amount}  ${where}${entry.reason === null ? '' : `  ${entry.reason}`}`)
  }
  if (found.length === 0) print('There are no unmatched entries.')
}

/** Lists the payments for which a bank asks for other coordinates, with the correction as the bank wrote it. */
async function listChanges({ bankChanges }: App, print: Print): Promise<void> {
  const found = await bankChanges.listAll()
  for (const { bankChangeId, recordedAt, status, code, reference, isRefused, correction, ...about } of found) {
    const meaning = isRefused ? 'the bank refuses a notification' : `use ${correction.trim().replaceAll(/ {2,}/g, ' ')}`
    const where = about.payoutId === null ? 'no payout of ours' : `${about.payoutId}  account ${about.paymentAccountId}`
    print(`${bankChangeId}  ${recordedAt.toISOString()}  ${status}  ${code}  ${reference}  ${where}  ${meaning}`)
  }
  if (found.length === 0) print('No bank has asked for other coordinates.')
}

async function adoptFolders({ bankFileRecords }: App, print: Print, reason: string): Promise<void> {
  await bankFileRecords.adoptFolders(reason)
  print('Svc uses the folders as they are now. A staged file that is missing counts as sent: ask the bank about it.')
}

async function decide(print: Print, decided: Promise<boolean>, done: string): Promise<void> {
  if (!(await decided))
    throw new Error('There is nothing to decide under this id. "svc bank-files list" lists the files.')
  print(done)
}
