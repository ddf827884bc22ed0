import { type Database, isDatabaseAway, type Tx } from '../../db/database.ts'
import { appendEvents, type NewEvent } from '../../db/outbox/events.ts'
import { LeaseLost, requireFence } from '../../db/work.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { QuoteService } from '../../quotes/service.ts'
import type { TransactionService } from '../../transactions/service.ts'
import { presentRunOfRule } from './event-wire.ts'
import { decideInOrder, type Firing, outcomeOf, quoteBodyOf, type RunOutcome, retryOrFail, walletOf } from './firing.ts'
import { type Run, runMoves, type SkipReason } from './run.ts'
import * as store from './store.ts'

export type RunDeps = {
  database: Database
  quotes: Pick<QuoteService, 'createMany' | 'currencyOf'>
  transactions: Pick<TransactionService, 'createTogether'>
  /** Business time until a rule that waits for a balance is looked at again after a run that moved nothing. */
  coolDownSeconds: number
  onOutcome(status: Run['status']): void
  onFailure(error: unknown): void
  onPoint(point: string): void
}

/** Keys of a route of their own: a run makes one transaction, however often it is tried. */
const route = 'automation rule run'

type Quoted = { firing: Firing; amount: bigint; quoteId: string }
type Settled = { firing: Firing; outcome: RunOutcome }

/** Carries out the runs that were opened: a quote and a transaction each, as an integrator would make them. */
export function createRunService(deps: RunDeps) {
  const { database, onPoint } = deps
  return {
    fireDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimRuns(database, { limit, leaseMs })
      if (claimed.length === 0) return 0
      onPoint('rule runs claimed')
      const claims = claimed.map(({ organization_id, rule_id, run_id, fence }) => ({
        ...{ organizationId: organization_id, ruleId: rule_id, runId: run_id, fence },
      }))
      for (let left: readonly store.RunClaim[] = claims; left.length > 0; ) {
        left = await fire(deps, await store.readFirings(database, left))
      }
      onPoint('rule runs fired')
      return claimed.length
    },
  }
}

/** One that cannot be carried out keeps back no other. Answers those that have to be looked at again. */
async function fire(deps: RunDeps, firings: readonly Firing[]): Promise<Firing[]> {
  try {
    const { settled, quoted, deferred } = await quoteAll(deps, firings)
    if (settled.length > 0) await record(deps, settled)
    if (quoted.length > 0) {
      deps.onPoint('rule runs quoted')
      await createRunTransactions(deps, quoted)
    }
    return deferred
  } catch (error) {
    deps.onFailure(error)
    await record(
      deps,
      firings.map((firing) => ({ firing, outcome: outcomeOfFault(firing, error) })),
    )
    return []
  }
}

async function quoteAll(deps: RunDeps, firings: readonly Firing[]) {
  const decided = decideInOrder(firings)
  const wanted = decided.flatMap(({ firing, decision }) => ('amount' in decision ? [{ firing, ...decision }] : []))
  const quotes = await deps.quotes.createMany(
    wanted.map(({ firing, amount }) => {
      const { organizationId, tier } = firing
      const asker = { organizationIds: [organizationId], tiers: new Map([[organizationId, tier]]) }
      return { asker, body: quoteBodyOf(firing, amount) }
    }),
  )
  const quoteOf = new Map(wanted.map(({ firing }, place) => [firing, quotes[place]]))
  const [settled, quoted, deferred]: [Settled[], Quoted[], Firing[]] = [[], [], []]
  const [surprised, planned] = [new Set<string>(), new Set<string>()]
  for (const { firing, decision } of decided) {
    const quote = quoteOf.get(firing)
    const wallet = walletOf(firing)
    // One that finds too little because of those before it is looked at again when they have moved it.
    if (surprised.has(wallet) || ('skip' in decision && planned.has(wallet))) deferred.push(firing)
    else if ('skip' in decision) settled.push({ firing, outcome: { move: 'skip', reason: decision.skip } })
    else if (quote && !(quote instanceof Refusal)) {
      quoted.push({ firing, ...decision, quoteId: quote.quoteId })
      planned.add(wallet)
    } else {
      if (!quote) throw new Error(`the quote of run ${firing.runId} came to nothing`)
      settled.push({ firing, outcome: outcomeOf(firing, quote) })
      // It moves nothing after all, and leaves more to those that come after it.
      surprised.add(wallet)
    }
  }
  return { settled, quoted, deferred }
}

/** All of them in one database transaction; if that fails, each in its own. Answers whether it was made, of one alone. */
async function createRunTransactions(deps: RunDeps, quoted: readonly Quoted[]): Promise<boolean> {
  try {
    return await commit(deps, quoted)
  } catch (error) {
    if (quoted.length > 1 && !isDatabaseAway(error)) {
      await createRunsOneByOne(deps, quoted)
      return false
    }
    if (error instanceof LeaseLost) return false
    if (!(error instanceof Refusal)) deps.onFailure(error)
    await record(
      deps,
      quoted.map(({ firing }) => ({ firing, outcome: outcomeOfFault(firing, error) })),
    )
    return false
  }
}

async function createRunsOneByOne(deps: RunDeps, quoted: readonly Quoted[]): Promise<void> {
  const missed = new Set<string>()
  for (const each of quoted) {
    const wallet = walletOf(each.firing)
    if (missed.has(wallet)) await record(deps, [recheck(each, 'BALANCE_CHANGED')])
    else if (!(await createRunTransactions(deps, [each]))) missed.add(wallet)
  }
}

/** Nothing is wrong with it, but it was planned on what is not so. */
function recheck({ firing }: Quoted, reason: 'RULE_CHANGED' | 'BALANCE_CHANGED'): Settled {
  return { firing, outcome: { move: 'retry', reason, inSeconds: 0 } }
}

function outcomeOfFault(firing: Firing, error: unknown): RunOutcome {
  if (error instanceof Refusal) return outcomeOf(firing, error)
  return retryOrFail(firing, isDatabaseAway(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR')
}

/**
 * The rule is held, so that whoever changed, paused or deleted it before is seen, and whoever wants to waits until this
 * is over: after their answer nothing moves on the old terms. Those that come after it on its wallet were planned on
 * what it would leave, and are planned anew. Transaction, record and event are written together.
 */
async function commit(deps: RunDeps, quoted: readonly Quoted[]): Promise<boolean> {
  const settled = await deps.database.inTx(async (tx) => {
    const held = await store.holdRules(
      tx,
      quoted.map(({ firing }) => firing),
    )
    const { firm, again } = sortOut(quoted, held)
    const made = await deps.transactions.createTogether(tx, firm.map(wantedTransaction))
    deps.onPoint('rule transactions made')
    const outcomes = firm.map(({ firing, amount, quoteId }, place): Settled => {
      const each = made[place]
      if (!each) throw new Error(`the transaction of run ${firing.runId} came to nothing`)
      if (each instanceof Refusal) return { firing, outcome: outcomeOf(firing, each) }
      const { transactionId } = JSON.parse(each.answer) as { transactionId: string }
      return { firing, outcome: { move: 'execute', amount, quoteId, transactionId } }
    })
    const all = [...outcomes, ...again]
    await write(deps, tx, all)
    deps.onPoint('rule runs about to be recorded')
    return all
  })
  tell(deps, settled)
  return settled.every(({ outcome }) => outcome.move === 'execute')
}

function sortOut(quoted: readonly Quoted[], held: ReadonlySet<string>): { firm: Quoted[]; again: Settled[] } {
  const [firm, again, missed]: [Quoted[], Settled[], Set<string>] = [[], [], new Set()]
  for (const each of quoted) {
    const wallet = walletOf(each.firing)
    const isHeld = held.has(each.firing.ruleId)
    if (isHeld && !missed.has(wallet)) firm.push(each)
    else {
      again.push(recheck(each, isHeld ? 'BALANCE_CHANGED' : 'RULE_CHANGED'))
      missed.add(wallet)
    }
  }
  return { firm, again }
}

function wantedTransaction({ firing, quoteId }: Quoted) {
  const { organizationId, runId: key } = firing
  // The same run is the same request, with whatever quote it comes.
  const request = { organizationId, route, key, fingerprint: Buffer.from(key) }
  return { request, organizationIds: [organizationId], quoteId, correlationId: undefined }
}

async function record(deps: RunDeps, settled: readonly Settled[]): Promise<void> {
  await deps.database.inTx((tx) => write(deps, tx, settled))
  tell(deps, settled)
}

/** What became of each run, with its event, and what happens next. A run that somebody else took over is theirs. */
async function write(deps: RunDeps, tx: Tx, settled: readonly Settled[]): Promise<void> {
  const rules = new Map(settled.map(({ firing }) => [firing.ruleId, firing]))
  const finished: store.FinishedRun[] = []
  const retried: store.RetriedRun[] = []
  for (const { firing, outcome } of settled) {
    const { organizationId, ruleId, runId, fence } = firing
    if (outcome.move === 'retry') retried.push({ organizationId, ruleId, runId, fence, ...outcome })
    else if (outcome.move !== 'leave') finished.push({ organizationId, ruleId, runId, fence, ...outcome })
  }
  await store.retryRuns(tx, retried)
  if (finished.length === 0) return
  const ended = await store.finishRuns(tx, finished)
  // A transaction without its record must not be: whoever took the run over makes both.
  const ours = new Set(ended.map(({ runId }) => runId))
  if (finished.some(({ move, runId }) => move === 'execute' && !ours.has(runId))) requireFence([])
  await store.freeWatches(
    tx,
    ended.filter(({ triggerType }) => triggerType === 'THRESHOLD_BASED').map((run) => waitAfter(deps, run)),
  )
  await appendEvents(
    tx,
    ended.flatMap((run) => eventOf(deps, run, rules.get(run.ruleId))),
  )
}

/** What ends the wait by itself needs no second look: a new state of the rule or of the customer, or the next credit. */
const endsByItself: readonly string[] = [
  'RULE_PAUSED',
  'RULE_DELETED',
  'CUSTOMER_NOT_ACTIVE',
  'BELOW_THRESHOLD',
] satisfies SkipReason[]

function waitAfter({ coolDownSeconds }: RunDeps, { organizationId, ruleId, status, reason }: Run) {
  const waits = status !== 'EXECUTED' && !endsByItself.includes(reason ?? '')
  return { organizationId, ruleId, coolDownSeconds: waits ? coolDownSeconds : undefined }
}

/** A run that was skipped is no news: it is on the list of runs. */
function eventOf({ quotes }: RunDeps, run: Run, rule: Firing | undefined): NewEvent[] {
  if (!rule || run.status === 'SKIPPED') return []
  const type = run.status === 'EXECUTED' ? 'automation_rule.executed' : 'automation_rule.failed'
  const { organizationId, runId: resourceId } = run
  const data = presentRunOfRule(run, rule, quotes.currencyOf)
  return [{ organizationId, type, resourceId, resourceVersion: 1, data }]
}

function tell({ onOutcome }: RunDeps, settled: readonly Settled[]): void {
  for (const { outcome } of settled) {
    if (outcome.move !== 'retry' && outcome.move !== 'leave') onOutcome(runMoves[outcome.move].to)
  }
}
