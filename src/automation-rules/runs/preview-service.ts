import { methodsEdition } from '../../catalog/payment-methods.ts'
import type { CustomerService } from '../../customers/service.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Validated } from '../../lib/validated.ts'
import { orRefuse, priceFor, type QuoteDeps, requireOffered, tierOf } from '../../quotes/price.ts'
import { readRoute } from '../../quotes/request.ts'
import { findCustomer } from '../reference-store.ts'
import type { RuleCustomer } from '../references.ts'
import { firingProblems, partOf, type RuleTerms, type ShowCurrency } from '../request.ts'
import type { Rule } from '../rule.ts'
import { listRules } from '../store.ts'
import { parseCron } from '../triggers/cron.ts'
import { readWanted } from '../wanted-rule.ts'
import { decide, type Firing, outcomeOfRefusal, quoteBodyOf } from './firing.ts'
import { type Played, type PreviewRun, playThrough, runWarnings, type TimedRule, type Warning } from './preview.ts'
import { presentPreview } from './preview-wire.ts'
import { runMoves } from './run.ts'

export type PreviewDeps = {
  database: Database
  showCurrency: ShowCurrency
  customers: Pick<CustomerService, 'findAllowedMethods'>
  ledger: Pick<LedgerService, 'balances'>
  quoteDeps: QuoteDeps
}

export type PreviewService = ReturnType<typeof createPreviewService>

const defaultRuns = 5

export function createPreviewService(deps: PreviewDeps) {
  const { database, showCurrency } = deps
  return {
    /** Reads and counts, and writes nothing. */
    preview: async (caller: Caller, inspected: Validated<unknown>) => {
      const wanted = await readWanted({ queryable: database, showCurrency, how: 'look' }, caller, inspected, [])
      const { terms } = wanted
      const customer = await withMethods(deps, wanted.customer)
      const { now } = await readClock(database)
      const available = await readAvailable(deps, customer, terms)
      const tier = tierOf(caller, customer.organizationId)
      const firingOf = (rule: Rule): Firing => ({
        ...{ ...rule, tier, customerStatus: customer.status, available: String(available) },
        ...{ runId: rule.ruleId, fence: '0', tries: 0 },
      })
      const own = firingOf(ruleOf(wanted, now))
      const others = (await findOthers(deps, own)).map(firingOf)
      const play = (firing: Firing) => playOne(deps, customer, firing)
      const count = (partOf(inspected.value, 'runs') as number | undefined) ?? defaultRuns
      const { runs, warnings } =
        terms.cronSchedule === null
          ? previewThreshold(own, now, play)
          : previewSchedule(own, others, { available, after: now, count }, play)
      const all = [
        ...firingProblems(inspected.value).map(({ message }) => ({
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

/** The rule as if it had just been made: the newest one of its wallet, and so the last of each minute. */
function ruleOf({ customer, name, terms }: Awaited<ReturnType<typeof readWanted>>, now: Date): Rule {
  const { organizationId, customerId } = customer
  return {
    ...{ ...terms, organizationId, customerId, ruleId: newId(), name, status: 'ACTIVE', version: 1 },
    ...{ nextRunAt: null, createdAt: now, updatedAt: now, deletedAt: null },
  }
}

/** What was found out with an older catalog is found out anew, as a quote would. */
async function withMethods({ database, customers }: PreviewDeps, customer: RuleCustomer): Promise<RuleCustomer> {
  if (customer.status !== 'ACTIVE' || customer.allowedBy === methodsEdition) return customer
  const { organizationId, customerId } = customer
  await customers.findAllowedMethods(organizationId, customerId)
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

/** Those that take from the same balance. */
async function findOthers({ database }: PreviewDeps, own: Firing): Promise<Rule[]> {
  const { sourcePaymentAccountId, organizationId, sourceAsset } = own
  const rules = await listRules(database, [organizationId], { sourcePaymentAccountId }, {})
  return rules.filter((rule) => rule.status === 'ACTIVE' && rule.sourceAsset === sourceAsset)
}

function previewSchedule(
  own: Firing,
  others: readonly Firing[],
  start: Parameters<typeof playThrough>[2],
  play: (firing: Firing) => Played,
): { runs: PreviewRun[]; warnings: Warning[] } {
  const [timed, ...rest] = [own, ...others].flatMap(timedRule)
  if (!timed) return { runs: [], warnings: [] }
  const runs = playThrough(timed, rest, start, play)
  const isCut = runs.some(({ status }) => status === undefined)
  const message = 'Other rules of this wallet fire so often before that the later runs were not played through'
  return { runs, warnings: [...runWarnings(runs), ...(isCut ? [{ code: 'NOT_PLAYED_THROUGH', message }] : [])] }
}

function timedRule(firing: Firing): TimedRule[] {
  const parsed = firing.cronSchedule === null ? undefined : parseCron(firing.cronSchedule)
  return parsed?.ok ? [{ firing, cron: parsed.value }] : []
}

/** Enough now: it fires as soon as it is made. Else what is wrong is told as if exactly enough had come in. */
function previewThreshold(own: Firing, now: Date, play: (firing: Firing) => Played) {
  const outcome = play(own)
  if (outcome.reason !== 'BELOW_THRESHOLD') {
    return { runs: [{ scheduledFor: now, ...outcome }], warnings: runWarnings([outcome]) }
  }
  const later = play({ ...own, available: own.thresholdUnits ?? '0' })
  return { runs: [], warnings: runWarnings([outcome, later]) }
}

function playOne({ quoteDeps }: PreviewDeps, customer: RuleCustomer, firing: Firing): Played {
  const decided = decide(firing)
  if ('skip' in decided) return { status: 'SKIPPED', reason: decided.skip }
  const { amount } = decided
  try {
    const closed = [firing.sourceMethod, firing.destinationMethod].find(
      (each) => !customer.allowedMethods?.includes(each),
    )
    if (closed) throw new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `The customer may not use ${closed}`)
    const route = readRoute(quoteBodyOf(firing, amount))
    requireOffered(quoteDeps, route)
    const { destinationAmount } = orRefuse(priceFor(quoteDeps, route, firing.tier))
    return { status: 'EXECUTED', amount, destinationAmount }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'SERVICE_UNAVAILABLE') throw error
    const { move, ...outcome } = outcomeOfRefusal(firing, error)
    if (move !== 'skip' && move !== 'fail') throw error
    return { status: runMoves[move].to, why: error.message, ...outcome }
  }
}

function conflicts(others: readonly Firing[]): Warning[] {
  if (others.length === 0) return []
  const message = 'Other rules take from the same balance; in one minute they fire in the order in which they were made'
  return [{ code: 'CONFLICTS_WITH_RULE', message, ruleIds: others.map(({ ruleId }) => ruleId) }]
}
