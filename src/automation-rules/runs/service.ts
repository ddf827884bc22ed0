import { type Database, isDatabaseUnavailable, type Tx } from '../../db/database.ts'
import { appendEvents, type NewEvent } from '../../db/outbox/events.ts'
import { LeaseLost, requireFence } from '../../db/work.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { QuoteService } from '../../quotes/service.ts'
import type { TransactionService } from '../../transactions/service.ts'
import {
  balanceKeyOf,
  type DueRun,
  decideInOrder,
  outcomeOfRefusal,
  quoteBodyOf,
  type RunOutcome,
  retryOrFail,
} from './due-run.ts'
import { presentRunWithRule } from './event-wire.ts'
import { type Run, runMoves, type SkipReason } from './run.ts'
import * as store from './store.ts'

export type RunDeps = {
  database: Database
  quotes: Pick<QuoteService, 'createMany' | 'currencyOf'>
  transactions: Pick<TransactionService, 'createTogether'>
  /** Business time after which a threshold rule is re-checked when its run moved nothing. */
  coolDownSeconds: number
  onOutcome(status: Run['status']): void
  onFailure(error: unknown): void
  onPoint(point: string): void
}

/** The idempotency route of runs: retries of one run create one transaction. */
const route = 'automation rule run'

type QuotedRun = { dueRun: DueRun; amount: bigint; quoteId: string }
type RunResult = { dueRun: DueRun; outcome: RunOutcome }

/** Executes due runs: creates a quote and a transaction for each, as an integrator would. */
export function createRunService(deps: RunDeps) {
  const { database, onPoint } = deps
  return {
    due: store.dueRuns,
    fireDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimRuns(database, { limit, leaseMs })
      if (claimed.length === 0) return 0
      onPoint('rule runs claimed')
      const claims = claimed.map(({ organization_id, rule_id, run_id, fence }) => ({
        organizationId: organization_id,
        ruleId: rule_id,
        runId: run_id,
        fence,
      }))
      for (let left: readonly store.RunClaim[] = claims; left.length > 0; ) {
        left = await fire(deps, await store.readDueRuns(database, left))
      }
      onPoint('rule runs fired')
      return claimed.length
    },
  }
}

/** Fires a batch; a failing run does not block the others. Returns the runs to re-check after the batch. */
async function fire(deps: RunDeps, dueRuns: readonly DueRun[]): Promise<DueRun[]> {
  try {
    const { results, quoted, deferred } = await quoteRuns(deps, dueRuns)
    if (results.length > 0) await record(deps, results)
    if (quoted.length > 0) {
      deps.onPoint('rule runs quoted')
      await createRunTransactions(deps, quoted)
    }
    return deferred
  } catch (error) {
    deps.onFailure(error)
    await record(
      deps,
      dueRuns.map((dueRun) => ({ dueRun, outcome: outcomeOfError(dueRun, error) })),
    )
    return []
  }
}

async function quoteRuns(deps: RunDeps, dueRuns: readonly DueRun[]) {
  const decided = decideInOrder(dueRuns)
  const toQuote = decided.flatMap(({ dueRun, decision }) => ('amount' in decision ? [{ dueRun, ...decision }] : []))
  const quotes = await deps.quotes.createMany(
    toQuote.map(({ dueRun, amount }) => {
      const { organizationId, tier } = dueRun
      const caller = { organizationIds: [organizationId], tiers: new Map([[organizationId, tier]]) }
      return { caller, body: quoteBodyOf(dueRun, amount) }
    }),
  )
  const quoteOf = new Map(toQuote.map(({ dueRun }, place) => [dueRun, quotes[place]]))
  const results: RunResult[] = []
  const quoted: QuotedRun[] = []
  const deferred: DueRun[] = []
  const [refusedBalances, plannedBalances] = [new Set<string>(), new Set<string>()]
  for (const { dueRun, decision } of decided) {
    const quote = quoteOf.get(dueRun)
    const balance = balanceKeyOf(dueRun)
    // The plan of earlier runs leaves too little: re-check this run after they have moved their amounts.
    if (refusedBalances.has(balance) || ('skip' in decision && plannedBalances.has(balance))) deferred.push(dueRun)
    else if ('skip' in decision) results.push({ dueRun, outcome: { move: 'skip', reason: decision.skip } })
    else if (quote && !(quote instanceof Refusal)) {
      quoted.push({ dueRun, ...decision, quoteId: quote.quoteId })
      plannedBalances.add(balance)
    } else {
      if (!quote) throw new Error(`run ${dueRun.runId} has no quote`)
      results.push({ dueRun, outcome: outcomeOfRefusal(dueRun, quote) })
      // A refused run moves nothing, so later runs of this balance find more than planned.
      refusedBalances.add(balance)
    }
  }
  return { results, quoted, deferred }
}

/** Commits all runs in one tx; if that fails, each in a tx of its own. Returns whether a single run was executed. */
async function createRunTransactions(deps: RunDeps, quoted: readonly QuotedRun[]): Promise<boolean> {
  try {
    return await commit(deps, quoted)
  } catch (error) {
    if (quoted.length > 1 && !isDatabaseUnavailable(error)) {
      await createRunsOneByOne(deps, quoted)
      return false
    }
    if (error instanceof LeaseLost) return false
    if (!(error instanceof Refusal)) deps.onFailure(error)
    await record(
      deps,
      quoted.map(({ dueRun }) => ({ dueRun, outcome: outcomeOfError(dueRun, error) })),
    )
    return false
  }
}

async function createRunsOneByOne(deps: RunDeps, quoted: readonly QuotedRun[]): Promise<void> {
  const changedBalances = new Set<string>()
  for (const each of quoted) {
    const balance = balanceKeyOf(each.dueRun)
    if (changedBalances.has(balance)) await record(deps, [recheck(each, 'BALANCE_CHANGED')])
    else if (!(await createRunTransactions(deps, [each]))) changedBalances.add(balance)
  }
}

/** Retries an outdated run at once. */
function recheck({ dueRun }: QuotedRun, reason: 'RULE_CHANGED' | 'BALANCE_CHANGED'): RunResult {
  return { dueRun, outcome: { move: 'retry', reason, inSeconds: 0 } }
}

function outcomeOfError(dueRun: DueRun, error: unknown): RunOutcome {
  if (error instanceof Refusal) return outcomeOfRefusal(dueRun, error)
  return retryOrFail(dueRun, isDatabaseUnavailable(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR')
}

/**
 * Commits transactions, run records and events in one tx, which locks the rules. It sees every earlier change, pause or
 * deletion of a rule; a later one waits, so no money moves on old terms after its caller has the answer. When a run is
 * outdated, the later runs of its balance are re-checked, because their plan assumed the amount that it would leave.
 */
async function commit(deps: RunDeps, quoted: readonly QuotedRun[]): Promise<boolean> {
  const results = await deps.database.inTx(async (tx) => {
    const lockedRuleIds = await store.lockUnchangedRules(
      tx,
      quoted.map(({ dueRun }) => dueRun),
    )
    const { current, outdated } = separateOutdated(quoted, lockedRuleIds)
    const created = await deps.transactions.createTogether(tx, current.map(transactionRequest))
    deps.onPoint('rule transactions made')
    const outcomes = current.map(({ dueRun, amount, quoteId }, place): RunResult => {
      const transaction = created[place]
      if (!transaction) throw new Error(`run ${dueRun.runId} has no transaction`)
      if (transaction instanceof Refusal) return { dueRun, outcome: outcomeOfRefusal(dueRun, transaction) }
      const { transactionId } = JSON.parse(transaction.answer) as { transactionId: string }
      return { dueRun, outcome: { move: 'execute', amount, quoteId, transactionId } }
    })
    const all = [...outcomes, ...outdated]
    await writeResults(deps, tx, all)
    deps.onPoint('rule runs about to be recorded')
    return all
  })
  reportOutcomes(deps, results)
  return results.every(({ outcome }) => outcome.move === 'execute')
}

function separateOutdated(quoted: readonly QuotedRun[], lockedRuleIds: ReadonlySet<string>) {
  const current: QuotedRun[] = []
  const outdated: RunResult[] = []
  const changedBalances = new Set<string>()
  for (const each of quoted) {
    const balance = balanceKeyOf(each.dueRun)
    const isLocked = lockedRuleIds.has(each.dueRun.ruleId)
    if (isLocked && !changedBalances.has(balance)) current.push(each)
    else {
      outdated.push(recheck(each, isLocked ? 'BALANCE_CHANGED' : 'RULE_CHANGED'))
      changedBalances.add(balance)
    }
  }
  return { current, outdated }
}

function transactionRequest({ dueRun, quoteId }: QuotedRun) {
  const { organizationId, apiKeyId, runId: key } = dueRun
  // The fingerprint leaves out the quote: a retry with a new quote is the same request.
  const request = { organizationId, route, key, fingerprint: Buffer.from(key) }
  return { request, organizationIds: [organizationId], apiKeyId, quoteId, correlationId: undefined }
}

async function record(deps: RunDeps, results: readonly RunResult[]): Promise<void> {
  await deps.database.inTx((tx) => writeResults(deps, tx, results))
  reportOutcomes(deps, results)
}

/** Writes each run's outcome, its event and its rule's next check. Skips runs that another worker took over (fence). */
async function writeResults(deps: RunDeps, tx: Tx, results: readonly RunResult[]): Promise<void> {
  const rules = new Map(results.map(({ dueRun }) => [dueRun.ruleId, dueRun]))
  const finished: store.FinishedRun[] = []
  const retried: store.RetriedRun[] = []
  for (const { dueRun, outcome } of results) {
    const { organizationId, ruleId, runId, fence } = dueRun
    if (outcome.move === 'retry') retried.push({ organizationId, ruleId, runId, fence, ...outcome })
    else if (outcome.move !== 'leave') finished.push({ organizationId, ruleId, runId, fence, ...outcome })
  }
  await store.retryRuns(tx, retried)
  if (finished.length === 0) return
  const ended = await store.finishRuns(tx, finished)
  // Never commit a transaction without its run record: the worker that took the run over creates both.
  const endedIds = new Set(ended.map(({ runId }) => runId))
  if (finished.some(({ move, runId }) => move === 'execute' && !endedIds.has(runId))) requireFence([])
  await store.releaseWatches(
    tx,
    ended.filter(({ triggerType }) => triggerType === 'THRESHOLD_BASED').map((run) => watchToRelease(deps, run)),
  )
  await appendEvents(
    tx,
    ended.flatMap((run) => eventOf(deps, run, rules.get(run.ruleId))),
  )
}

/** Skip reasons that need no timed re-check: a change of the rule or customer, or the next credit, triggers one. */
const reasonsWithoutCoolDown: readonly string[] = [
  'RULE_PAUSED',
  'RULE_DELETED',
  'CUSTOMER_NOT_ACTIVE',
  'BELOW_THRESHOLD',
] satisfies SkipReason[]

function watchToRelease({ coolDownSeconds }: RunDeps, { organizationId, ruleId, status, reason }: Run) {
  const hasCoolDown = status !== 'EXECUTED' && !reasonsWithoutCoolDown.includes(reason ?? '')
  return { organizationId, ruleId, coolDownSeconds: hasCoolDown ? coolDownSeconds : undefined }
}

/** Builds the event of an executed or failed run. Skipped runs emit none: they are only listed. */
function eventOf({ quotes }: RunDeps, run: Run, rule: DueRun | undefined): NewEvent[] {
  if (!rule || run.status === 'SKIPPED') return []
  const type = run.status === 'EXECUTED' ? 'automation_rule.executed' : 'automation_rule.failed'
  const { organizationId, runId: resourceId, ruleId: parentResourceId } = run
  const data = presentRunWithRule(run, rule, quotes.currencyOf)
  return [{ organizationId, type, resourceId, resourceVersion: 1, parentResourceId, data }]
}

function reportOutcomes({ onOutcome }: RunDeps, results: readonly RunResult[]): void {
  for (const { outcome } of results) {
    if (outcome.move !== 'retry' && outcome.move !== 'leave') onOutcome(runMoves[outcome.move].to)
  }
}
