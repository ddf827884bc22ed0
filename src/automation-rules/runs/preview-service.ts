import { methodsEdition } from '../../catalog/payment-methods.ts'
import type { CustomerService } from '../../customers/service.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Validated } from '../../lib/validated.ts'
import { priceFor, type QuoteDeps, requireOffered, requirePriced, tierOf } from '../../quotes/price.ts'
import { readRoute } from '../../quotes/request.ts'
import { findCustomer } from '../reference-store.ts'
import type { RuleCustomer } from '../references.ts'
import { neverFiresProblems, type RuleTerms, type ShowCurrency, valueAt } from '../request.ts'
import { readRequestedRule } from '../requested-rule.ts'
import { maxRulesPerWallet, type Rule } from '../rule.ts'
import { listRules } from '../store.ts'
import { parseCron } from '../triggers/cron.ts'
import { type DueRun, decideRun, outcomeOfRefusal, quoteBodyOf } from './due-run.ts'
import {
  type PreviewRun,
  type PreviewWarning,
  runWarnings,
  type SimulatedRun,
  simulateSchedule,
  type TimedRule,
} from './preview.ts'
import { presentPreview } from './preview-wire.ts'
import { runMoves } from './run.ts'

export type PreviewDeps = {
  database: Database
  showCurrency: ShowCurrency
  customers: Pick<CustomerService, 'refreshAllowedMethods'>
  ledger: Pick<LedgerService, 'balances'>
  quoteDeps: QuoteDeps
}

export type PreviewService = ReturnType<typeof createPreviewService>

const defaultRuns = 5

export function createPreviewService(deps: PreviewDeps) {
  const { database, showCurrency } = deps
  return {
    /** Simulates a requested rule. Writes nothing. */
    preview: async (caller: Caller, inspected: Validated<unknown>) => {
      const reading = { queryable: database, showCurrency, mode: 'read' } as const
      const requested = await readRequestedRule(reading, caller, inspected, [])
      const { terms } = requested
      const customer = await refreshAllowedMethods(deps, requested.customer)
      const { now } = await readClock(database)
      const available = await readAvailable(deps, customer, terms)
      const tier = tierOf(caller, customer.organizationId)
      const dueRunOf = (rule: Rule): DueRun => ({
        ...rule,
        tier,
        customerStatus: customer.status,
        isSuspended: false, // or the caller would not have been admitted
        available: String(available),
        runId: rule.ruleId,
        fence: '0',
        tries: 0,
      })
      const own = dueRunOf(ruleOf(requested, now))
      const others = (await findOthers(deps, own)).map(dueRunOf)
      const simulate = (dueRun: DueRun) => simulateRun(deps, customer, dueRun)
      const count = (valueAt(inspected.value, 'runs') as number | undefined) ?? defaultRuns
      const { runs, warnings } =
        terms.cronSchedule === null
          ? previewThreshold(own, now, simulate)
          : previewSchedule(own, others, { available, after: now, count }, simulate)
      const all = [
        ...neverFiresProblems(inspected.value).map(({ message }) => ({
          code: 'NEVER_FIRES',
          message: `The schedule ${message}`,
        })),
        ...warnings,
        ...conflicts(others),
      ]
      return presentPreview(terms, { available, runs, warnings: all }, showCurrency)
    },
  }
}

/** The rule as if it were created now: the newest of its wallet, so it fires last in each minute. */
function ruleOf({ customer, name, terms }: Awaited<ReturnType<typeof readRequestedRule>>, now: Date): Rule {
  const { organizationId, customerId } = customer
  return {
    ...terms,
    organizationId,
    customerId,
    ruleId: newId(),
    apiKeyId: null,
    name,
    status: 'ACTIVE',
    version: 1,
    nextRunAt: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    externalId: null,
    metadata: null,
  }
}

/** Derives the allowed methods again if they come from an older catalog edition, as a quote does. */
async function refreshAllowedMethods(
  { database, customers }: PreviewDeps,
  customer: RuleCustomer,
): Promise<RuleCustomer> {
  if (customer.status !== 'ACTIVE' || customer.allowedBy === methodsEdition) return customer
  const { organizationId, customerId } = customer
  await customers.refreshAllowedMethods(organizationId, customerId)
  return (await findCustomer(database, [organizationId], customerId)) ?? customer
}

async function readAvailable(
  { database, ledger }: PreviewDeps,
  { organizationId }: RuleCustomer,
  { sourcePaymentAccountId, sourceAsset }: RuleTerms,
): Promise<bigint> {
  const balances = await ledger.balances(database, organizationId, sourcePaymentAccountId)
  return balances.find(({ asset }) => asset === sourceAsset)?.available ?? 0n
}

/** Finds the ACTIVE rules that take from the same balance. */
async function findOthers({ database }: PreviewDeps, own: DueRun): Promise<Rule[]> {
  const { sourcePaymentAccountId, organizationId, sourceAsset } = own
  const rules = await listRules(
    database,
    [organizationId],
    { sourcePaymentAccountId },
    { after: undefined, limit: maxRulesPerWallet },
  )
  return rules.filter((rule) => rule.status === 'ACTIVE' && rule.sourceAsset === sourceAsset)
}

function previewSchedule(
  own: DueRun,
  others: readonly DueRun[],
  start: Parameters<typeof simulateSchedule>[2],
  simulate: (dueRun: DueRun) => SimulatedRun,
): { runs: PreviewRun[]; warnings: PreviewWarning[] } {
  const [timed, ...rest] = [own, ...others].flatMap(timedRule)
  if (!timed) return { runs: [], warnings: [] }
  const runs = simulateSchedule(timed, rest, start, simulate)
  const isCutOff = runs.some(({ status }) => status === undefined)
  const message = 'Other rules of this wallet fire too often in between: the later runs were not simulated'
  return { runs, warnings: [...runWarnings(runs), ...(isCutOff ? [{ code: 'NOT_PLAYED_THROUGH', message }] : [])] }
}

function timedRule(dueRun: DueRun): TimedRule[] {
  const parsed = dueRun.cronSchedule === null ? undefined : parseCron(dueRun.cronSchedule)
  return parsed?.ok ? [{ dueRun, cron: parsed.value }] : []
}

/**
 * Simulates a run now. Below the threshold, it also simulates a run at exactly the threshold, to warn of its problems.
 */
function previewThreshold(own: DueRun, now: Date, simulate: (dueRun: DueRun) => SimulatedRun) {
  const outcome = simulate(own)
  if (outcome.reason !== 'BELOW_THRESHOLD') {
    return { runs: [{ scheduledFor: now, ...outcome }], warnings: runWarnings([outcome]) }
  }
  const later = simulate({ ...own, available: own.thresholdUnits ?? '0' })
  return { runs: [], warnings: runWarnings([outcome, later]) }
}

function simulateRun({ quoteDeps }: PreviewDeps, customer: RuleCustomer, dueRun: DueRun): SimulatedRun {
  const decision = decideRun(dueRun)
  if ('skip' in decision) return { status: 'SKIPPED', reason: decision.skip }
  const { amount } = decision
  try {
    const closed = [dueRun.sourceMethod, dueRun.destinationMethod].find(
      (each) => !customer.allowedMethods?.includes(each),
    )
    if (closed) throw new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `The customer may not use ${closed}`)
    const route = readRoute(quoteBodyOf(dueRun, amount))
    requireOffered(quoteDeps, route)
    const { destinationAmount } = requirePriced(priceFor(quoteDeps, route, dueRun.tier))
    return { status: 'EXECUTED', amount, destinationAmount }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'SERVICE_UNAVAILABLE') throw error
    const { move, ...outcome } = outcomeOfRefusal(dueRun, error)
    if (move !== 'skip' && move !== 'fail') throw error
    return { status: runMoves[move].to, message: error.message, ...outcome }
  }
}

function conflicts(others: readonly DueRun[]): PreviewWarning[] {
  if (others.length === 0) return []
  const message = 'Other rules take from the same balance. Within a minute, rules fire in the order of their creation'
  return [{ code: 'CONFLICTS_WITH_RULE', message, ruleIds: others.map(({ ruleId }) => ruleId) }]
}
