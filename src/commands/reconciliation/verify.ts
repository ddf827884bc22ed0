import type { App } from '../../app.ts'
import type { Difference } from '../../chains/reconciliation/difference.ts'
import type { NetworkReport } from '../../chains/reconciliation/reconcile.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { formatAmount } from '../../lib/money.ts'
import { type Item, isAged } from '../../transactions/reconciliation/reconciliation.ts'
import type { ReconciledAccount, ReconciledNetwork } from '../../transactions/reconciliation/service.ts'
import { decimalsOf } from '../../transactions/reconciliation/wire.ts'
import { type Print, withApp } from '../tools.ts'

const shownStates = { OK: 'ok         ', VIOLATED: 'VIOLATED   ', NOT_CHECKED: 'NOT CHECKED' } as const

/** Checks every invariant and prints each violation. Exits with 1 when one is violated or could not be checked. */
export function runVerify(config: Config, log: Logger, print: Print): Promise<number> {
  return withApp(config, log, async (app) => {
    // Each line appears as soon as its check has ended.
    const { ok } = await app.verify(({ state, name, violations, error, durationMs }) => {
      print(`${shownStates[state]}  ${name}${durationMs >= 1_000 ? ` (${Math.round(durationMs / 1_000)} s)` : ''}`)
      if (error) print(`               ${error}`)
      for (const violation of violations) print(`               ${violation}`)
    })
    const areEqual = await printNetworks(app, print)
    return ok && areEqual ? 0 : 1
  })
}

/** Prints the newest comparison of each network with the ledger. One that no worker has compared is compared now. */
async function printNetworks({ chainPayouts: { comparisons } }: App, print: Print): Promise<boolean> {
  const kept = await comparisons.readNewest()
  if (kept.some(({ problem }) => problem !== undefined)) await comparisons.compareAll()
  const networks = await comparisons.readNewest()
  for (const network of networks) for (const line of describeNetwork(network)) print(line)
  return !networks.some(isAlarm)
}

/** True for a network that is not compared, or has a difference that should have ended by now. */
function isAlarm({ problem, accounts }: ReconciledNetwork): boolean {
  return problem !== undefined || accounts.some(({ items }) => items.some(isAged))
}

/** Describes a network as it was compared, one line for each open item. */
export function describeNetwork(network: ReconciledNetwork): string[] {
  const { network: name, problem, block, comparedAt, accounts } = network
  if (problem !== undefined || !block) return [`NOT CHECKED  ${name} has what the ledger says`, `${indent}${problem}`]
  const at = `block ${block.number}, compared ${comparedAt?.toISOString()}`
  return [
    `${isAlarm(network) ? 'VIOLATED   ' : 'ok         '}  ${name} has what the ledger says (${at})`,
    ...accounts.flatMap(({ account, asset, items }) =>
      items.map((item) => {
        const amount = `${formatAmount(item.amount, decimalsOf(asset))} ${asset.split('/')[0]}`
        return `${indent}${account}: ${describeItem(item, amount)}`
      }),
    ),
  ]
}

/** Compares every wallet and treasury with the ledger. Exits with 1 when they differ, or when no network has nodes. */
export function runVerifyChains(config: Config, log: Logger, print: Print): Promise<number> {
  return withApp(config, log, async (app) => {
    const reports = await app.chainPayouts.comparisons.compareAll()
    if (reports.length === 0)
      print('No network has nodes: set SVC_BASE_RPC_URLS and the others, or start "svc dev" first.')
    for (const report of reports) for (const line of describeReport(report)) print(line)
    return reports.length > 0 && reports.every(isEqual) ? 0 : 1
  })
}

/** Compares every bank account of ours with the ledger. */
export function runVerifyBanks(config: Config, log: Logger, print: Print, date: string | undefined): Promise<number> {
  return withApp(config, log, (app) => printBanks(app.reconciliation, print, date))
}

/**
 * Prints each bank account at the end of a day, and what the worker keeps of it otherwise than the records tell it. Returns
 * 1 when an open item is aged, something was kept wrongly, or no bank sends files.
 */
export async function printBanks(
  { reconcile, proveNames }: App['reconciliation'],
  print: Print,
  date: string | undefined,
): Promise<number> {
  const { accounts, date: day } = await reconcile(date)
  if (accounts.length === 0) print('No bank account exchanges files: connect one with "svc treasury connect".')
  for (const account of accounts) for (const line of describeAccount(account, day)) print(line)
  const wrong = (await proveNames()).filter((proof) => proof.wrong.length > 0)
  for (const { account, wrong: names } of wrong) {
    print(
      `VIOLATED     ${account} keeps what its records tell. All of it is forgotten now, and made anew by the worker`,
    )
    for (const { kind, reference } of names) print(`${indent}${kind} ${reference}`)
  }
  return accounts.length > 0 && wrong.length === 0 && !accounts.some(({ items }) => items.some(isAged)) ? 0 : 1
}

const indent = ' '.repeat(15)

/** True when a network could be compared, and nothing differs without a known cause. */
export function isEqual({ problem, differences }: NetworkReport): boolean {
  return problem === undefined && differences.length === 0
}

/** Describes a comparison of a network with the ledger, one line for each difference. */
export function describeReport(report: NetworkReport): string[] {
  const { network, block, problem, compared, differences, explained } = report
  if (problem !== undefined || !block) return [`NOT CHECKED  ${network}: ${problem}`]
  const state = differences.length === 0 ? 'ok         ' : 'VIOLATED   '
  const counted = `${compared} ${compared === 1 ? 'balance' : 'balances'} compared`
  return [
    `${state}  ${network} at block ${block.number}: ${counted}`,
    ...differences.map((each) => `${indent}${describe(each)}`),
    ...explained.map((each) => `${indent}explained: ${describe(each)}`),
  ]
}

function describe({ about, asset, place, ledger, chain, causes }: Difference): string {
  const [currency = asset] = asset.split('/')
  const show = (units: bigint) => `${formatAmount(units, decimalsOf(asset))} ${currency}`
  if (about === 'BOOKS')
    return `${place}: the ledger has ${show(ledger)} at customers' addresses, deposits and payouts make ${show(chain)}`
  if (about === 'BALANCES') return `${place}: customers have ${show(ledger)}, deposits and payouts make ${show(chain)}`
  const difference = chain > ledger ? `${show(chain - ledger)} more` : `${show(ledger - chain)} less`
  const known = causes.map(({ cause, amount }) => `${show(amount)} ${cause}`).join(', ')
  const because = known === '' ? '' : `; known: ${known}`
  return `${place} has ${difference} than the ledger: ${show(chain)} instead of ${show(ledger)}${because}`
}

/** Describes a bank account at the end of a day, one line for each open item. */
export function describeAccount(
  { account, asset, ledger, outside, items, lastStatement }: ReconciledAccount,
  day: string,
) {
  const show = (units: bigint) => `${formatAmount(units, decimalsOf(asset))} ${asset.split('/')[0]}`
  const open = items.filter(({ state }) => state !== 'MATCHED')
  const state = items.some(isAged) ? 'VIOLATED   ' : 'ok         '
  const stated = lastStatement === undefined ? 'no statement yet' : `last statement ${lastStatement}`
  return [
    `${state}  ${account} on ${day}: ledger ${show(ledger)}, bank ${show(outside)}, ${stated}`,
    ...open.map((item) => `${indent}${describeItem(item, show(item.amount))}`),
  ]
}

function describeItem(item: Item, amount: string): string {
  const { state, kind, reference, ageDays, matchedOn } = item
  const followed = matchedOn === undefined ? '' : `, matched on ${matchedOn}`
  const age = `${ageDays} ${ageDays === 1 ? 'day' : 'days'}`
  return `${isAged(item) ? 'aged' : item.isAccepted ? 'accepted' : 'in flight'}: ${state} ${kind} ${reference}, ${amount}, ${age}${followed}`
}
