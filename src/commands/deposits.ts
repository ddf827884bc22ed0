import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import { scaleOf } from '../catalog/currencies.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { isUuid } from '../lib/ids.ts'
import { formatAmount } from '../lib/money.ts'
import { Refusal } from '../lib/refusal.ts'
import type { RecalledDeposit } from '../transactions/deposits/recalls/recall.ts'
import { mostShown, type RecallAnswer } from '../transactions/deposits/recalls/service.ts'
import { type RecoverySource, recoverySources } from '../transactions/deposits/reversals/service.ts'
import { requireOrganization, withApp } from './tools.ts'

type Print = (line: string) => void
type Run = (app: App, print: Print) => Promise<number>

const text = { type: 'string', default: '' } as const
const options = {
  organization: text,
  customer: text,
  deposit: text,
  reason: text,
  from: text,
  'leave-returned-funds': { type: 'boolean', default: false },
} as const

/** Finds the command about deposits; undefined when the arguments make no command. */
export function findDepositCommand(
  args: string[],
): ((config: Config, log: Logger, print: Print) => Promise<number>) | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb = '', id = '', ...rest] = positionals
  const run = rest.length > 0 ? undefined : findRun(verb, id, values, args.length === 1)
  return run && ((config, log, print) => withApp(config, log, (app) => run(app, print)))
}

type Values = Record<Exclude<keyof typeof options, 'leave-returned-funds'>, string> & {
  'leave-returned-funds': boolean
}

function findRun(verb: string, id: string, values: Values, isAlone: boolean): Run | undefined {
  if (isAlone) return lists.get(verb)
  const { organization: organizationId, customer: customerId, reason } = values
  if (verb === 'list') return findList(id, values)
  const from = recoverySources.find((each) => each === values.from)
  if (reason.trim() === '' || (values.from !== '') !== (verb === 'recover')) return undefined
  if ((values.deposit !== '') !== (verb === 'link-recall')) return undefined
  const leavesOthers = values['leave-returned-funds']
  if (leavesOthers && verb !== 'write-off') return undefined
  if (verb === 'assign')
    return (app, print) => assign(app, print, { depositId: id, organizationId, customerId, reason })
  if (organizationId !== '' || customerId !== '') return undefined
  if (verb === 'accept' || verb === 'dismiss') return (app, print) => decide(app, print, verb, id, reason)
  if (verb === 'recover' && from) return (app, print) => decideReversal(app, print, id, { reason, from })
  if (verb === 'link-recall') return (app, print) => linkRecall(app, print, id, { depositId: values.deposit, reason })
  if (verb === 'accept-recall') return (app, print) => answerRecall(app, print, id, { decision: 'ACCEPT', reason })
  if (verb === 'reject-recall') return (app, print) => answerRecall(app, print, id, { decision: 'REJECT', reason })
  return verb === 'write-off' ? (app, print) => decideReversal(app, print, id, { reason, leavesOthers }) : undefined
}

/** Finds the list of one organization, which takes no other argument. */
function findList(id: string, { organization, ...others }: Values): Run | undefined {
  const isAlone = id === '' && Object.values(others).every((value) => value === '' || value === false)
  return isAlone && organization !== '' ? (app, print) => listUndecided(app, print, organization) : undefined
}

const lists = new Map<string, Run>([
  ['unattributed', listUnattributed],
  ['quarantined', listQuarantined],
  ['reversed', listReversed],
  ['recalls', listRecalls],
])

const mostUndecided = 1_000

/** Lists the deposits of an organization that wait for a decision, also while it is suspended. */
async function listUndecided(app: App, print: Print, organizationId: string): Promise<number> {
  await requireOrganization(app, organizationId)
  const found = await app.deposits.listUndecidedOf(organizationId, mostUndecided)
  for (const deposit of found) {
    const shown = app.deposits.show(deposit)
    const { depositId, createdAt, depositStatus, paymentMethod, amount, currency, referenceId } = shown
    const whose = [
      ...(shown.customerId ? [`customer ${shown.customerId}`] : []),
      ...(shown.transactionId ? [`transaction ${shown.transactionId}`] : []),
    ]
    const what = [depositStatus, paymentMethod, `${amount} ${currency.label}`, referenceId, ...whose]
    print([depositId, createdAt, ...what].join('  '))
  }
  if (found.length === mostUndecided) print(`The newest ${mostUndecided} are shown: there may be more.`)
  if (found.length === 0) print('No deposit of this organization waits for a decision.')
  return 0
}

/** Lists deposits that carry no reference to a customer, with the bank's or chain's own reference. */
async function listUnattributed(app: App, print: Print): Promise<number> {
  const found = await app.unattributedDeposits.list()
  for (const deposit of found) {
    const { depositId, amount, currency, paymentMethod, referenceId, createdAt } = app.deposits.show(deposit)
    const { isAwaitingList, matches } = await app.deposits.reportSender(deposit)
    const listed = matches.map(({ matchedBy, watchList: { list, entryNumber, listedName, programs = [] } }) =>
      ['  sender', matchedBy === 'NAME' ? 'named' : 'at an address', 'of', list, entryNumber, listedName, ...programs]
        .filter((word) => word !== undefined)
        .join(' '),
    )
    const doubts = isAwaitingList ? [...listed, '  sender not screened: no current watch list'] : listed
    const suggested = deposit.suggestions.map(
      (each) =>
        `  may be of organization ${each.organizationId} customer ${each.customerId} transaction ${each.transactionId}`,
    )
    print(
      `${depositId}  ${createdAt}  ${paymentMethod}  ${amount} ${currency.label}  ${referenceId}${[...doubts, ...suggested].join('')}`,
    )
  }
  if (found.length === 0) print('There are no unattributed deposits.')
  return 0
}

type Assignment = Parameters<App['unattributedDeposits']['assign']>[0]

/** Assigns an unattributed deposit to a customer's organization, whose reviewers decide about it. Audited. */
async function assign(app: App, print: Print, wanted: Assignment): Promise<number> {
  const hasIds = [wanted.depositId, wanted.organizationId, wanted.customerId].every(isUuid)
  const assigned = hasIds ? await app.unattributedDeposits.assign(wanted) : undefined
  if (!assigned) {
    throw new Error(
      'There is no such unattributed deposit, or the organization has no such customer. ' +
        '"svc deposits unattributed" lists the deposits.',
    )
  }
  print(assigned.depositId)
  return 0
}

/** Lists bank entries that came with the reference of another entry, and what differs. */
async function listQuarantined(app: App, print: Print): Promise<number> {
  const found = await app.quarantinedSightings.list()
  for (const { quarantineId, observedAt, method, asset, amount: units, externalId, differences } of found) {
    const amount = `${formatAmount(BigInt(units), scaleOf(asset))} ${app.quotes.currencyOf(asset).label}`
    const what = `${method}  ${amount}  ${externalId}  differs in ${differences.join(', ')}`
    print(`${quarantineId}  ${observedAt.toISOString()}  ${what}`)
  }
  if (found.length === 0) print('There are no quarantined entries.')
  return 0
}

/** Accepts a quarantined entry as money of its own and prints its reference, or dismisses it. Audited. */
async function decide(
  app: App,
  print: Print,
  action: 'accept' | 'dismiss',
  quarantineId: string,
  reason: string,
): Promise<number> {
  const noSuch = new Error('There is no such quarantined entry. "svc deposits quarantined" lists them.')
  if (!isUuid(quarantineId)) throw noSuch
  return orRefusal(print, async () => {
    const decided = await app.quarantinedSightings[action]({ quarantineId, reason })
    if (!decided) throw noSuch
    print(typeof decided === 'string' ? decided : 'The entry is dismissed.')
  })
}

/** Acts, or prints why Svc refuses; answers the exit code. */
async function orRefusal(print: Print, act: () => Promise<void>): Promise<number> {
  try {
    await act()
    return 0
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    print(`${error.code}: ${error.message}.`)
    return 1
  }
}

/** Lists reversed deposits that customers owe. */
async function listReversed(app: App, print: Print): Promise<number> {
  const found = await app.depositReversals.list()
  for (const { reversalId, recordedAt, organizationId, customerId, depositId, asset, owedAmount, reason } of found) {
    const owed = `${formatAmount(BigInt(owedAmount), scaleOf(asset))} ${asset}`
    const whose = `organization ${organizationId}  customer ${customerId}  deposit ${depositId}`
    print(`${reversalId}  ${recordedAt.toISOString()}  ${owed}  ${reason}  ${whose}`)
  }
  if (found.length === 0) print('No customer owes a reversed deposit.')
  return 0
}

/** Records that the customer gave a reversed deposit back, or that it is lost. Audited. */
async function decideReversal(
  app: App,
  print: Print,
  reversalId: string,
  { reason, from, leavesOthers = false }: { reason: string; from?: RecoverySource; leavesOthers?: boolean },
): Promise<number> {
  const { recover, writeOff } = app.depositReversals
  if (!isUuid(reversalId)) throw new Error('There is no such reversal. "svc deposits reversed" lists them.')
  return orRefusal(print, async () => {
    const { owedAmount, asset, recovered } = await (from
      ? recover({ reversalId, reason, from })
      : writeOff({ reversalId, reason, leavesOthers }))
    const show = (units: bigint) => `${formatAmount(units, scaleOf(asset))} ${asset}`
    if (recovered > 0n) print(`Recovered ${show(recovered)} from ${from ?? 'returned-funds'}.`)
    if (!from) print(`Wrote off ${show(BigInt(owedAmount) - recovered)}.`)
  })
}

/** Lists recalls of banks that hold money, or whose payment is not known, with each deposit that they may name. */
async function listRecalls(app: App, print: Print): Promise<number> {
  const found = await app.recalls.list()
  for (const { bankRecallId, recordedAt, status, code, currency, amount: units, payments } of found) {
    const amount =
      currency === null || units === null
        ? 'no amount told'
        : `${formatAmount(BigInt(units), scaleOf(currency))} ${currency}`
    const [only, another] = payments.map(describePayment)
    const what = another ? `${payments.length} payments: link it with one` : (only ?? 'no known payment')
    print(`${bankRecallId}  ${recordedAt.toISOString()}  ${status}  ${code}  ${amount}  ${what}`)
    if (another) for (const payment of payments) print(`  may be ${describePayment(payment)}`)
  }
  if (found.length === mostShown) print(`The first ${mostShown} are shown: there may be more.`)
  if (found.length === 0) print('No bank recalls a payment.')
  return 0
}

function describePayment({ organizationId, customerId, depositId, externalId }: RecalledDeposit): string {
  const owner = customerId === null ? 'unattributed' : `organization ${organizationId}  customer ${customerId}`
  return `${externalId}  ${depositId === null ? 'no deposit yet' : `deposit ${depositId}  ${owner}`}`
}

const noSuchRecall = () => new Error('There is no such recall. "svc deposits recalls" lists them.')

/** Links a recall with the deposit that it names. Audited. */
async function linkRecall(
  app: App,
  print: Print,
  recallId: string,
  wanted: { depositId: string; reason: string },
): Promise<number> {
  if (!isUuid(recallId)) throw noSuchRecall()
  if (!isUuid(wanted.depositId)) throw new Error('--deposit must be the id of a deposit')
  return orRefusal(print, async () => {
    if (!(await app.recalls.link(recallId, wanted))) throw noSuchRecall()
    print(`The recall is linked with deposit ${wanted.depositId}: its money is held, and that of no other.`)
  })
}

/** Records what the operator answers a bank that recalls a payment. Audited. */
async function answerRecall(app: App, print: Print, recallId: string, answer: RecallAnswer): Promise<number> {
  if (!isUuid(recallId)) throw noSuchRecall()
  return orRefusal(print, async () => {
    if (!(await app.recalls.answerByCommand(recallId, answer))) throw noSuchRecall()
    print(
      answer.decision === 'ACCEPT'
        ? 'The recall is accepted: the money waits for the debit of the bank.'
        : 'The recall is rejected: the money is released.',
    )
  })
}
