import { isTokenAsset, scaleOf } from '../catalog/currencies.ts'
import { nativeScaleOf } from '../catalog/native-coins.ts'
import type { Difference } from '../chains/reconciliation/difference.ts'
import type { NetworkReport } from '../chains/reconciliation/reconcile.ts'
import { formatAmount } from '../lib/money.ts'

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
  const show = (units: bigint) =>
    `${formatAmount(units, isTokenAsset(asset) ? scaleOf(asset) : nativeScaleOf(asset))} ${currency}`
  if (about === 'BOOKS')
    return `${place}: the ledger has ${show(ledger)} at customers' addresses, deposits and payouts make ${show(chain)}`
  if (about === 'BALANCES') return `${place}: customers have ${show(ledger)}, deposits and payouts make ${show(chain)}`
  const difference = chain > ledger ? `${show(chain - ledger)} more` : `${show(ledger - chain)} less`
  const known = causes.map(({ cause, amount }) => `${show(amount)} ${cause}`).join(', ')
  const because = known === '' ? '' : `; known: ${known}`
  return `${place} has ${difference} than the ledger: ${show(chain)} instead of ${show(ledger)}${because}`
}
