import type { Network } from '../../catalog/currencies.ts'
import type { Duty } from '../../db/duties.ts'
import type { ChainComparisonService } from './service.ts'

/** The pause before a network that could not be compared is tried again. */
const retryMs = 10_000

/** Compares a network with the ledger once for each day of business time, as soon as the day begins. */
export function comparisonDuty(comparisons: ChainComparisonService, network: Network): Duty {
  return {
    name: `compare ${network} with the ledger`,
    everyMs: retryMs,
    due: comparisons.due(network),
    run: () => comparisons.compareDaily(network),
    pauseMs: (outcome) => (hasProblem(outcome) ? retryMs : 0),
  }
}

function hasProblem(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && 'problem' in outcome && outcome.problem !== undefined
}
