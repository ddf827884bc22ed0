import type { Audit } from '../db/audit/audit.ts'
import { readClock } from '../db/business-clock.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import { requireTimeRanges } from '../lib/resources/filters.ts'
import {
  type Metadata,
  type NewOwnData,
  type OwnDataChange,
  presentMetadata,
  refusingTakenIds,
} from '../lib/resources/own-data.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import { answeringKey, changeProblems } from './change.ts'
import { describeChanges, describeTerms, recordAct } from './record-act.ts'
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

export type RuleDeps = {
  database: Database
  pages: Pages
  audit: Audit
  showCurrency: ShowCurrency
  /** Finds the key that answers for what a caller lets pay, and holds it against a revocation. */
  holdKey(tx: Tx, caller: Caller): Promise<{ apiKeyId: string }>
  /** How many rules an organization can have. */
  mostRules: number
}

/** Rules that are read at once for a list of all. */
const batchSize = 100

export type RuleService = ReturnType<typeof createRuleService>

export function createRuleService(deps: RuleDeps) {
  return { ...createReadOperations(deps), ...createChangeOperations(deps), ...createStatusOperations(deps) }
}

async function* listBatches(deps: RuleDeps, caller: Caller, filter: store.RuleFilter): AsyncGenerator<RuleView[]> {
  const { sourcePaymentAccountId: source } = filter
  if (source !== undefined && !isUuid(source)) return
  let rules: Rule[]
  let after: string | undefined
  do {
    rules = await store.listRules(deps.database, caller.organizationIds, filter, { after, limit: batchSize })
    after = rules.at(-1)?.ruleId
    if (rules.length > 0) yield await viewWithMetadata(deps, rules)
  } while (rules.length === batchSize)
}

function createReadOperations(deps: RuleDeps) {
  const { database, pages } = deps
  return {
    /** Lists all rules, newest first, batch by batch. Each batch shows the moment at which it is read. */
    listAll: (caller: Caller, filter: store.RuleFilter): AsyncGenerator<RuleView[]> => {
      // Before the first byte of the answer.
      requireTimeRanges(filter)
      return listBatches(deps, caller, filter)
    },

    /** Lists one page of rules, newest first. */
    list: async (caller: Caller, filter: store.RuleFilter, request: PageRequest): Promise<Page<RuleView>> => {
      requireTimeRanges(filter)
      const { customerId, sourcePaymentAccountId: source } = filter
      // Ids are opaque to callers. No account has an id that is not a UUID.
      if (source !== undefined && !isUuid(source)) return { items: [], nextPageToken: '' }
      const filters = {
        ...filter,
        customerId: customerId?.toLowerCase(),
        sourcePaymentAccountId: source?.toLowerCase(),
      }
      const page = await pages.read(
        { list: 'automation rules', filters: { for: caller.organizationId, ...filters } },
        request,
        (slice) => store.listRules(database, caller.organizationIds, filter, slice),
        (rule) => rule.ruleId,
      )
      return { ...page, items: await viewWithMetadata(deps, page.items) }
    },

    count: (organizationIds: readonly string[]) => store.countRulesOf(database, organizationIds),

    /** Reads a rule, also a deleted one. */
    read: async (caller: Caller, ruleId: string): Promise<RuleView> => {
      const [shown] = await viewWithMetadata(deps, [await findEvenDeleted(database, caller, ruleId)])
      return shown as RuleView
    },

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
      const { apiKeyId } = await deps.holdKey(tx, caller)
      const reading = { queryable: tx, showCurrency, mode: 'lock' } as const
      const requested = await readRequestedRule(reading, caller, inspected, neverFiresProblems(inspected.value))
      const { customer, name, terms } = requested
      const { organizationId, customerId } = customer
      await requireRoomForRule(deps, tx, organizationId, terms.sourcePaymentAccountId)
      const nextRunAt = await findNextRun(tx, terms)
      const ruleId = newId()
      const own = inspected.value as NewOwnData
      const { externalId = null, metadata = null } = own
      const named = { organizationId, ruleId, apiKeyId, customerId, name }
      const wanted = { ...terms, ...named, nextRunAt, externalId, metadata }
      const rule = await refusingTakenIds(store.insertRule(tx, wanted))
      await checkBalanceNow(tx, rule)
      await recordAct(deps, tx, caller, rule, 'created', describeTerms(rule))
      return { ...presentRule(rule, undefined, showCurrency), ...presentMetadata(own) }
    },

    /** Replaces the terms. A run that has not created its transaction is re-checked on the new terms (rule version). */
    replace: (caller: Caller, ruleId: string, inspect: () => Validated<unknown>): Promise<RuleView> =>
      database.inTx(async (tx) => {
        const rule = await find(tx, caller, ruleId)
        const inspected = inspect()
        const { apiKeyId } = await deps.holdKey(tx, caller)
        const body = inspected.value
        const accounts = await findNamedAccounts(tx, rule, body, ['destination'], 'lock')
        const { terms, problems } = readTerms(body, showCurrency)
        const wrong = [
          ...changeProblems(rule, body, showCurrency),
          ...accounts.flatMap(({ side, account }) => fitProblems(body, side, account)),
          ...problems,
        ]
        if (!inspected.ok || wrong.length > 0) throw badRequest(inspected, wrong)
        const before = (await store.lockRule(tx, rule)) ?? refuse()
        const { externalId = before.externalId, metadata } = body as OwnDataChange
        const own = { externalId, metadata: metadata === undefined ? before.metadata : (metadata as Metadata | null) }
        const changed = store.replaceTerms(tx, rule, terms, own, answeringKey(before, terms, apiKeyId))
        const replaced = (await refusingTakenIds(changed)) ?? refuse()
        await checkBalanceNow(tx, replaced)
        await recordAct(deps, tx, caller, replaced, 'changed', describeChanges(before, replaced))
        return { ...(await viewOne(deps, tx, replaced)), ...presentMetadata(replaced) }
      }),

    delete: (caller: Caller, ruleId: string): Promise<RuleView> =>
      database.inTx(async (tx) => {
        const { organizationIds } = caller
        const deleted = isUuid(ruleId) ? await store.deleteRule(tx, organizationIds, ruleId) : undefined
        // A repeated DELETE answers like the first, as that of every resource does.
        if (!deleted) return viewOne(deps, tx, await findEvenDeleted(tx, caller, ruleId))
        await thresholds.endWatch(tx, deleted)
        await recordAct(deps, tx, caller, deleted, 'deleted')
        return viewOne(deps, tx, deleted)
      }),
  }
}

/** Refuses a rule beyond the limit of its wallet or of its organization. Concurrent requests wait for each other. */
async function requireRoomForRule(deps: RuleDeps, tx: Tx, organizationId: string, walletId: string): Promise<void> {
  // A request that is refused anyway must not wait, and hold a connection, for the others of its organization.
  await requireRoomNow(deps, tx, organizationId, walletId)
  await store.lockNumberOfRules(tx, organizationId)
  await requireRoomNow(deps, tx, organizationId, walletId)
}

async function requireRoomNow(
  { mostRules }: RuleDeps,
  tx: Tx,
  organizationId: string,
  walletId: string,
): Promise<void> {
  const { ofWallet, ofOrganization } = await store.countRules(tx, organizationId, walletId)
  if (ofWallet >= maxRulesPerWallet)
    throw new Refusal('CONFLICT', `A wallet can have at most ${maxRulesPerWallet} automation rules: delete one first`)
  if (ofOrganization >= mostRules)
    throw new Refusal('CONFLICT', `An organization can have at most ${mostRules} automation rules: delete one first`)
}

/** Pauses and resumes rules. Repeating a call changes nothing. */
function createStatusOperations(deps: RuleDeps) {
  const move = async (tx: Tx, caller: Caller, rule: Rule, name: keyof typeof ruleMoves, apiKeyId?: string) => {
    if (!canMove(ruleMoves, name, rule.status)) return rule
    const nextRunAt = name === 'resume' ? await findNextRun(tx, rule) : null
    // Undefined: a concurrent caller has moved or deleted the rule.
    const moved = await store.moveRule(tx, rule, name, { nextRunAt, apiKeyId })
    if (!moved) return find(tx, caller, rule.ruleId)
    await recordAct(deps, tx, caller, moved, `${name}d`)
    return moved
  }
  return {
    pause: async (tx: Tx, caller: Caller, ruleId: string): Promise<RuleView> => {
      const rule = await find(tx, caller, ruleId)
      return viewOne(deps, tx, await move(tx, caller, rule, 'pause'))
    },

    /** Resumes a rule, for which the caller's key answers then. It does not catch up on runs missed during the pause. */
    resume: async (tx: Tx, caller: Caller, ruleId: string): Promise<RuleView> => {
      const rule = await find(tx, caller, ruleId)
      const { apiKeyId } = await deps.holdKey(tx, caller)
      // The accounts of a PAUSED rule can be deleted.
      const { transactionTemplate } = presentRule(rule, undefined, deps.showCurrency)
      await findNamedAccounts(tx, rule, { transactionTemplate }, ['source', 'destination'], 'lock')
      const resumed = await move(tx, caller, rule, 'resume', apiKeyId)
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

/** Views rules for a read. Events and stored answers outlive an erasure, and leave the metadata out. */
async function viewWithMetadata(deps: RuleDeps, rules: Rule[]): Promise<RuleView[]> {
  const shown = await view(deps, deps.database, rules)
  return shown.map((each, place) => ({ ...each, ...presentMetadata(rules[place] ?? {}) }))
}

async function viewOne(deps: RuleDeps, queryable: Queryable, rule: Rule): Promise<RuleView> {
  const [shown] = await view(deps, queryable, [rule])
  return shown as RuleView
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
