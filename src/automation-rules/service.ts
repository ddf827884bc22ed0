import type { Audit } from '../db/audit/audit.ts'
import { readClock } from '../db/business-clock.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import { changeProblems } from './change.ts'
import { fitProblems, neverFiresProblems, readTerms, type ShowCurrency } from './request.ts'
import { badRequest, findNamedAccounts, readRequestedRule } from './requested-rule.ts'
import { maxRulesPerWallet, type Rule, ruleMoves } from './rule.ts'
import * as history from './runs/history-store.ts'
import type { RunStatus } from './runs/run.ts'
import { presentRun } from './runs/wire.ts'
import * as store from './store.ts'
import { nextRunAfter, parseCron } from './triggers/cron.ts'
import * as thresholds from './triggers/threshold-store.ts'
import { presentRule, type RuleView, type RunView } from './wire.ts'

export type RuleDeps = { database: Database; pages: Pages; audit: Audit; showCurrency: ShowCurrency }

export type RuleService = ReturnType<typeof createRuleService>

export function createRuleService(deps: RuleDeps) {
  return { ...createReadOperations(deps), ...createChangeOperations(deps), ...createStatusOperations(deps) }
}

function createReadOperations(deps: RuleDeps) {
  const { database, pages } = deps
  return {
    /** Lists rules, newest first: all of them, unless the caller asks for a page. */
    list: async (caller: Caller, filter: store.RuleFilter, request: PageRequest): Promise<Page<RuleView>> => {
      const { customerId, sourcePaymentAccountId: source } = filter
      // Ids are opaque to callers. No account has an id that is not a UUID.
      if (source !== undefined && !isUuid(source)) return { items: [], nextPageToken: '' }
      const fetch = (slice: { after?: string | undefined; limit?: number }) =>
        store.listRules(database, caller.organizationIds, filter, slice)
      if (request.pageSize === undefined && !request.pageToken) {
        return { items: await view(deps, database, await fetch({})), nextPageToken: '' }
      }
      const filters = { customerId: customerId?.toLowerCase(), source: source?.toLowerCase() }
      const page = await pages.read(
        { list: 'automation rules', filters: { for: caller.organizationId, ...filters } },
        request,
        fetch,
        (rule) => rule.ruleId,
      )
      return { ...page, items: await view(deps, database, page.items) }
    },

    read: async (caller: Caller, ruleId: string): Promise<RuleView> =>
      viewOne(deps, database, await find(database, caller, ruleId)),

    /** Lists the runs of a rule, also of a deleted one. */
    listRuns: async (
      caller: Caller,
      ruleId: string,
      status: RunStatus | undefined,
      request: PageRequest,
    ): Promise<Page<RunView>> => {
      const rule = await findEvenDeleted(database, caller, ruleId)
      const page = await pages.read(
        { list: 'runs of automation rule', filters: { for: caller.organizationId, ruleId: rule.ruleId, status } },
        request,
        (slice) => history.listRuns(database, rule, status, slice),
        (run) => run.runId,
      )
      return { ...page, items: page.items.map((run) => presentRun(run, rule.sourceAsset)) }
    },
  }
}

function createChangeOperations(deps: RuleDeps) {
  const { database, showCurrency } = deps
  return {
    create: async (tx: Tx, caller: Caller, inspected: Validated<unknown>): Promise<RuleView> => {
      const reading = { queryable: tx, showCurrency, mode: 'lock' } as const
      const requested = await readRequestedRule(reading, caller, inspected, neverFiresProblems(inspected.value))
      const { customer, name, terms } = requested
      const { organizationId, customerId } = customer
      const count = await store.countRulesOf(tx, organizationId, terms.sourcePaymentAccountId)
      if (count >= maxRulesPerWallet) {
        throw new Refusal(
          'CONFLICT',
          `A wallet can have at most ${maxRulesPerWallet} automation rules: delete one first`,
        )
      }
      const nextRunAt = await findNextRun(tx, terms)
      const ruleId = newId()
      const rule = await store.insertRule(tx, { ...terms, organizationId, ruleId, customerId, name, nextRunAt })
      await checkBalanceNow(tx, rule)
      await audited(deps, tx, caller, rule, 'created')
      return presentRule(rule, undefined, showCurrency)
    },

    /** Replaces the terms. A run that has not created its transaction is re-checked on the new terms (rule version). */
    replace: (caller: Caller, ruleId: string, inspect: () => Validated<unknown>): Promise<RuleView> =>
      database.inTx(async (tx) => {
        const rule = await find(tx, caller, ruleId)
        const inspected = inspect()
        const body = inspected.value
        const accounts = await findNamedAccounts(tx, rule, body, ['destination'], 'lock')
        const { terms, problems } = readTerms(body, showCurrency)
        const wrong = [
          ...changeProblems(rule, body, showCurrency),
          ...accounts.flatMap(({ side, account }) => fitProblems(body, side, account)),
          ...problems,
        ]
        if (!inspected.ok || wrong.length > 0) throw badRequest(inspected, wrong)
        const replaced = (await store.replaceTerms(tx, rule, terms)) ?? refuse()
        await checkBalanceNow(tx, replaced)
        await audited(deps, tx, caller, replaced, 'changed')
        return viewOne(deps, tx, replaced)
      }),

    delete: (caller: Caller, ruleId: string): Promise<RuleView> =>
      database.inTx(async (tx) => {
        const { organizationIds } = caller
        const deleted = isUuid(ruleId) ? await store.deleteRule(tx, organizationIds, ruleId) : undefined
        if (!deleted) throw notFound()
        await thresholds.endWatch(tx, deleted)
        await audited(deps, tx, caller, deleted, 'deleted')
        return viewOne(deps, tx, deleted)
      }),
  }
}

/** Pauses and resumes rules. Repeating a call changes nothing. */
function createStatusOperations(deps: RuleDeps) {
  const move = async (tx: Tx, caller: Caller, rule: Rule, name: keyof typeof ruleMoves) => {
    if (!canMove(ruleMoves, name, rule.status)) return rule
    const nextRunAt = name === 'resume' ? await findNextRun(tx, rule) : null
    // Undefined: a concurrent caller has moved or deleted the rule.
    const moved = await store.moveRule(tx, rule, name, nextRunAt)
    if (!moved) return find(tx, caller, rule.ruleId)
    await audited(deps, tx, caller, moved, `${name}d`)
    return moved
  }
  return {
    pause: async (tx: Tx, caller: Caller, ruleId: string): Promise<RuleView> => {
      const rule = await find(tx, caller, ruleId)
      return viewOne(deps, tx, await move(tx, caller, rule, 'pause'))
    },

    /** Resumes a rule. It does not catch up on runs missed during the pause. */
    resume: async (tx: Tx, caller: Caller, ruleId: string): Promise<RuleView> => {
      const rule = await find(tx, caller, ruleId)
      // The accounts of a PAUSED rule can be deleted.
      const { transactionTemplate } = presentRule(rule, undefined, deps.showCurrency)
      await findNamedAccounts(tx, rule, { transactionTemplate }, ['source', 'destination'], 'lock')
      const resumed = await move(tx, caller, rule, 'resume')
      if (resumed !== rule) await checkBalanceNow(tx, resumed)
      return viewOne(deps, tx, resumed)
    },
  }
}

/** Makes a threshold rule compare its balance now, so that it fires without a new credit if there is enough. */
async function checkBalanceNow(tx: Tx, rule: Rule): Promise<void> {
  if (rule.triggerType === 'THRESHOLD_BASED' && rule.status === 'ACTIVE') await thresholds.watchBalance(tx, rule)
}

async function findNextRun(tx: Tx, { cronSchedule }: Pick<Rule, 'cronSchedule'>): Promise<Date | null> {
  const parsed = cronSchedule === null ? undefined : parseCron(cronSchedule)
  if (!parsed?.ok) return null
  const { now } = await readClock(tx)
  return nextRunAfter(parsed.value, now) ?? null
}

async function find(queryable: Queryable, caller: Caller, ruleId: string): Promise<Rule> {
  const rule = await findEvenDeleted(queryable, caller, ruleId)
  return rule.deletedAt ? refuse() : rule
}

async function findEvenDeleted(queryable: Queryable, caller: Caller, ruleId: string): Promise<Rule> {
  if (!isUuid(ruleId)) throw notFound()
  return (await store.findRule(queryable, caller.organizationIds, ruleId)) ?? refuse()
}

async function view({ showCurrency }: RuleDeps, queryable: Queryable, rules: Rule[]): Promise<RuleView[]> {
  if (rules.length === 0) return []
  const lastRuns = await history.findLastRuns(queryable, rules)
  const byRule = new Map(lastRuns.map((run) => [run.ruleId, run]))
  return rules.map((rule) => presentRule(rule, byRule.get(rule.ruleId), showCurrency))
}

async function viewOne(deps: RuleDeps, queryable: Queryable, rule: Rule): Promise<RuleView> {
  const [shown] = await view(deps, queryable, [rule])
  return shown as RuleView
}

async function audited(
  { audit }: RuleDeps,
  tx: Tx,
  { apiKeyId }: Caller,
  { organizationId, ruleId: subjectId }: Rule,
  act: string,
): Promise<void> {
  const entry = { actor: `api_key:${apiKeyId}`, action: `automation_rule.${act}`, subjectId }
  await audit.append(tx, { organizationId, ...entry })
}

function refuse(): never {
  throw notFound()
}

/** Tells why a payment account cannot be deleted; undefined when no rule uses it. */
export async function findAccountUse(
  tx: Tx,
  { organizationId, paymentAccountId }: { organizationId: string; paymentAccountId: string },
): Promise<string | undefined> {
  const ruleId = await store.findRuleUsingAccount(tx, organizationId, paymentAccountId)
  return ruleId === undefined ? undefined : `The automation rule ${ruleId} uses it: pause or delete the rule first`
}

/** Tells why a customer cannot be erased. PAUSED rules count: without their customer they would stay forever. */
export async function findErasureObstacle(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<string | undefined> {
  const hasRules = await store.hasRules(tx, organizationId, customerId)
  return hasRules ? 'This customer has automation rules: delete them first' : undefined
}
