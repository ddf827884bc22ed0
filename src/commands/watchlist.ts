import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { UsageError } from '../lib/settings.ts'
import { isListName, type ListName, listNames } from '../screening/lists/readers/lists.ts'
import type { UnreadPart } from '../screening/lists/readers/reader.ts'
import type { WatchList } from '../screening/lists/store.ts'
import type { AwaitingList } from '../verification/store.ts'
import { withApp } from './tools.ts'

type Print = (line: string) => void
type Run = (config: Config, log: Logger, print: Print) => Promise<number>

const actor = 'command line'
const options = {
  force: { type: 'boolean', default: false },
  reason: { type: 'string', default: '' },
  published: { type: 'string', default: '' },
} as const

/** Finds the command about watch lists; undefined when the arguments make no command. */
export function findWatchlistCommand(args: string[]): Run | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb, ...words] = positionals
  const [first = '', second] = words
  const { force: isForced, reason, published } = values
  if (words.length > 2) return undefined
  if (verb === 'show' && args.length === 1) {
    return (config, log, print) => withApp(config, log, (app) => show(app, config, print))
  }
  if (verb === 'import' && first !== '' && reason === '') {
    if (second === undefined && isListName(first)) {
      throw new UsageError(`Name the folder or file of the list after "${first}".`)
    }
    const [list, place] = second === undefined ? [undefined, first] : [requireListName(first), second]
    const wanted = { list, place, isForced, ...(published === '' ? {} : { publishedAt: readDate(published) }) }
    return (config, log, print) => withApp(config, log, (app) => runImport(app, print, wanted))
  }
  if (verb !== 'remove' || second !== undefined || reason.trim() === '' || isForced || published) return undefined
  const list = requireListName(first)
  return (config, log, print) => withApp(config, log, (app) => remove(app, print, list, reason))
}

function requireListName(text: string): ListName {
  if (isListName(text)) return text
  throw new UsageError(`The list must be one of ${listNames.join(', ')}, not "${text}".`)
}

function readDate(text: string): Date {
  const date = new Date(`${text}T00:00:00Z`)
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  if (!isDate) throw new UsageError(`--published must be a date such as 2026-02-20, not "${text}".`)
  return date
}

type WantedImport = { list: ListName | undefined; place: string; isForced: boolean; publishedAt?: Date }

/** Imports a published list, whole or not at all. */
async function runImport({ screening }: App, print: Print, wanted: WantedImport): Promise<number> {
  const { list, place, ...options } = wanted
  const began = performance.now()
  const outcome = await screening.importList(place, { actor, ...options, ...(list ? { list } : {}) })
  const took = `in ${((performance.now() - began) / 1_000).toFixed(1)} s`
  const { version } = outcome.list
  const what = `${outcome.list.list} ${outcome.isNew ? 'imported as' : 'confirmed, still'} version ${version}`
  print(`${what} ${took}: ${countsOf(outcome.list)}.`)
  for (const line of describeUnread(outcome.unread)) print(line)
  // Publishers may change nothing for weeks, so an unchanged list stays current; a person judges.
  if (!outcome.isNew)
    print(
      `It has not changed since ${outcome.list.createdAt.toISOString()}: check that your download brings new files.`,
    )
  return 0
}

const plurals: Readonly<Record<UnreadPart['part'], string>> = {
  'birth date': 'birth dates',
  'crypto address': 'crypto addresses',
  'document number': 'document numbers',
}

/** Describes what was not read, by kind, with the first of each: an operator judges whether the list has a new form. */
function describeUnread(unread: readonly UnreadPart[]): string[] {
  if (unread.length === 0) return ['Everything in it could be read.']
  return [...Map.groupBy(unread, ({ part }) => part)].map(([part, all]) => {
    const count = countOf(all.length, part, plurals[part])
    const example = `${all[0]?.text.slice(0, 80)}" of entry ${all[0]?.entryNumber}`
    return `Not read, and not compared: ${count}, such as "${example}.`
  })
}

/** Prints each list in force. Exits with 1 when there is none, or one is too old. */
async function show(
  { screening, verification }: App,
  { watchLists: { maxAgeSeconds } }: Config,
  print: Print,
): Promise<number> {
  const lists = await screening.show()
  if (lists.length === 0) print('No watch list was imported: no customer is screened.')
  for (const list of lists) {
    const published = list.publishedAt ? `, published ${list.publishedAt.toISOString()}` : ''
    const imported = `last imported ${list.importedAt.toISOString()}, ${describeAge(list.ageSeconds)} ago`
    const isOld = list.ageSeconds > maxAgeSeconds
    print(
      `${list.list} version ${list.version}${published}: ${countsOf(list)}; ${imported}${isOld ? ' (too old)' : ''}`,
    )
  }
  for (const line of describeWaiting(await verification.listAwaitingList())) print(line)
  return lists.length > 0 && lists.every(({ ageSeconds }) => ageSeconds <= maxAgeSeconds) ? 0 : 1
}

/** Lists submissions that the checks would approve if a list were current. They have no review. */
function describeWaiting(waiting: readonly AwaitingList[]): string[] {
  if (waiting.length === 0) return []
  const what = waiting.length === 1 ? '1 submission waits' : `${waiting.length} submissions wait`
  const lines = waiting.map(
    ({ customerId, organizationId, submittedAt }) =>
      `  customer ${customerId} of organization ${organizationId}, since ${submittedAt.toISOString()}`,
  )
  return [`${what} for a current watch list:`, ...lines]
}

async function remove({ screening }: App, print: Print, list: ListName, reason: string): Promise<number> {
  const isRemoved = await screening.removeList(list, { actor, reason })
  print(isRemoved ? `${list} is removed: nothing is screened against it.` : `${list} is not in force.`)
  return isRemoved ? 0 : 1
}

function countsOf({ entryCount, nameCount, addressCount, documentCount }: WatchList): string {
  return [
    countOf(entryCount, 'entry', 'entries'),
    countOf(nameCount, 'name', 'names'),
    countOf(addressCount, 'address', 'addresses'),
    countOf(documentCount, 'document number', 'document numbers'),
  ].join(', ')
}

function countOf(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`
}

function describeAge(seconds: number): string {
  const hours = seconds / 3_600
  return hours < 48 ? `${hours.toFixed(1)} hours` : `${(hours / 24).toFixed(1)} days`
}
