import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import { scaleOf } from '../catalog/currencies.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { isUuid } from '../lib/ids.ts'
import { formatAmount } from '../lib/money.ts'
import type { ListedPayout } from '../transactions/payouts/manual-settlement-store.ts'
import { runPayoutsResume, withApp } from './tools.ts'

type Print = (line: string) => void
type Run = (config: Config, log: Logger, print: Print) => Promise<number>

const text = { type: 'string', default: '' } as const
const flag = { type: 'boolean', default: false } as const
const options = {
  reason: text,
  outcome: text,
  reference: text,
  force: flag,
  stuck: flag,
  contradicted: flag,
  yes: flag,
  payout: text,
}

/** Finds the command about payouts; undefined when the arguments make no command. */
export function findPayoutCommand(args: string[]): Run | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  if (positionals[0] === 'reports') return findReportCommand(positionals.slice(1), values)
  const [verb, payoutId = '', ...rest] = positionals
  const { reason, outcome, reference, force, stuck, contradicted, yes } = values
  const hasReason = reason.trim() !== ''
  if (rest.length > 0) return undefined
  if (verb === 'resume' && payoutId === '' && hasReason) {
    return (config, log, print) => runPayoutsResume(config, log, print, { reason, force })
  }
  if (verb === 'list' && payoutId === '' && stuck !== contradicted) {
    return (config, log, print) => withApp(config, log, (app) => list(app, print, stuck ? 'stuck' : 'contradicted'))
  }
  if (!isUuid(payoutId) || !hasReason) return undefined
  if (verb === 'acknowledge') {
    return (config, log, print) => withApp(config, log, (app) => acknowledge(app, print, payoutId, reason))
  }
  const isOutcome = outcome === 'confirmed' || outcome === 'refused'
  if (verb !== 'settle' || !isOutcome || reference.trim() === '') return undefined
  return (config, log, print) =>
    withApp(config, log, (app) => settle(app, print, { payoutId, outcome, reference, reason }, yes))
}

function findReportCommand(
  words: readonly string[],
  { reason, payout: payoutId }: { reason: string; payout: string },
): Run | undefined {
  const [verb, rail = '', reportId = '', ...rest] = words
  if (verb === undefined && reason === '')
    return (config, log, print) => withApp(config, log, (app) => listReports(app, print))
  if (rail === '' || reportId === '' || rest.length > 0 || reason.trim() === '') return undefined
  if (verb === 'apply' && isUuid(payoutId)) {
    const wanted = { rail, reportId, payoutId, reason }
    return (config, log, print) => withApp(config, log, (app) => applyReport(app, print, wanted))
  }
  if (verb !== 'resolve' || payoutId !== '') return undefined
  return (config, log, print) => withApp(config, log, (app) => resolveReport(app, print, { rail, reportId, reason }))
}

/** Lists reports in quotes: rails chose their ids and references. */
async function listReports({ unmatchedReports }: App, print: Print): Promise<number> {
  const found = await unmatchedReports.list()
  for (const { state, receivedAt, rail, reportId, reference, content } of found) {
    const ids = [rail, reportId].map((id) => JSON.stringify(id)).join(' ')
    print(
      [state, receivedAt.toISOString(), ids, `reference ${JSON.stringify(reference)}`, JSON.stringify(content)].join(
        '  ',
      ),
    )
  }
  if (found.length === 0) print('Every report of a rail is applied.')
  return 0
}

async function applyReport(
  { unmatchedReports, manualSettlements }: App,
  print: Print,
  wanted: { rail: string; reportId: string; payoutId: string; reason: string },
): Promise<number> {
  if (!(await manualSettlements.find(wanted.payoutId))) {
    print('There is no such payout.')
    return 1
  }
  const isApplied = await unmatchedReports.apply(wanted)
  print(isApplied ? 'A worker applies it now.' : 'There is no such unmatched report. "svc payouts reports" lists them.')
  return isApplied ? 0 : 1
}

async function resolveReport(
  { unmatchedReports }: App,
  print: Print,
  wanted: { rail: string; reportId: string; reason: string },
): Promise<number> {
  const isResolved = await unmatchedReports.resolve(wanted)
  print(isResolved ? 'Resolved.' : 'There is no such unmatched report. "svc payouts reports" lists them.')
  return isResolved ? 0 : 1
}

async function list(app: App, print: Print, which: 'stuck' | 'contradicted'): Promise<number> {
  const { listStuck, listContradicted } = app.manualSettlements
  const found = await (which === 'stuck' ? listStuck : listContradicted)()
  for (const payout of found) print(describe(payout))
  if (found.length === 0) print(`No payout is ${which}.`)
  return 0
}

function describe(payout: ListedPayout): string {
  const { payoutId, createdAt, organizationId, purpose, status, method, asset, amount, attempts } = payout
  const { transactionId, depositId, customerId, paysFrom } = payout
  const money = `${formatAmount(BigInt(amount), scaleOf(asset))} ${asset}`
  const about = [payoutId, createdAt.toISOString(), `organization ${organizationId}`, `${purpose} ${status}`, money]
  const alone = purpose === 'DISBURSEMENT' ? 'disbursement' : 'own money'
  const subject = transactionId ? `transaction ${transactionId}` : depositId ? `deposit ${depositId}` : alone
  const from = paysFrom ? `from ${paysFrom}` : "from the customer's wallet"
  return [
    ...about,
    method,
    from,
    `attempts ${attempts}`,
    ...(customerId ? [`customer ${customerId}`] : []),
    subject,
  ].join('  ')
}

type Wanted = Parameters<App['manualSettlements']['settle']>[0]

/** Records an outcome that the rail does not tell. A refusal needs --yes: a late payment would pay it twice. */
async function settle(app: App, print: Print, wanted: Wanted, isSure: boolean): Promise<number> {
  const found = await app.manualSettlements.find(wanted.payoutId)
  if (found && wanted.outcome === 'refused' && !isSure) {
    print(describe(found))
    print('Svc frees the money at once. If the bank or chain still pays it, the money is paid twice.')
    print('Get the written answer of the bank that it will never pay it. Then repeat the command with --yes.')
    return 1
  }
  const settled = await app.manualSettlements.settle(wanted)
  if (settled.result === 'SETTLED') {
    print(`Settled as ${wanted.outcome}. Svc polls for some days, and reports an answer that contradicts it.`)
    return 0
  }
  if (settled.result === 'KNOWN') print(`Nothing was changed: the payout is ${settled.status}.`)
  if (settled.result === 'BUSY') print('Nothing was changed: a worker is calling the rail. Retry in a minute.')
  if (settled.result === 'MAY_LEAVE')
    print('Nothing was changed: its file may still leave, or its chain may still execute it. Retry in an hour.')
  if (settled.result === 'UNKNOWN_PAYOUT') print('There is no such payout. "svc payouts list --stuck" lists them.')
  return 1
}

async function acknowledge(app: App, print: Print, payoutId: string, reason: string): Promise<number> {
  if (!(await app.manualSettlements.find(payoutId))) {
    print('There is no such payout. "svc payouts list --contradicted" lists them.')
    return 1
  }
  const isAcknowledged = await app.manualSettlements.acknowledge({ payoutId, reason })
  print(isAcknowledged ? 'Acknowledged.' : 'The rail does not contradict the outcome of this payout.')
  return isAcknowledged ? 0 : 1
}
