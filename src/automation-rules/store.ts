import type { Queryable, Tx } from '../db/database.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { CreatedRange } from '../lib/resources/filters.ts'
import { type OwnData, writeMetadata } from '../lib/resources/own-data.ts'
import type { RuleTerms } from './request.ts'
import { type Rule, type RuleStatus, ruleMoves } from './rule.ts'

export type RuleKey = Pick<Rule, 'organizationId' | 'ruleId'>

export const columns = `rule.organization_id as "organizationId", rule.rule_id as "ruleId", rule.customer_id as "customerId",
  rule.api_key_id as "apiKeyId", rule.name, rule.source_payment_account_id as "sourcePaymentAccountId", rule.source_asset as "sourceAsset",
  rule.source_method as "sourceMethod", rule.destination_payment_account_id as "destinationPaymentAccountId",
  rule.destination_asset as "destinationAsset", rule.destination_method as "destinationMethod",
  rule.amount_type as "amountType", rule.amount_text as "amountText", rule.amount_units as "amountUnits",
  rule.developer_fee_type as "developerFeeType", rule.developer_fee_text as "developerFeeText",
  rule.trigger_type as "triggerType", rule.cron_schedule as "cronSchedule", rule.threshold_text as "thresholdText",
  rule.threshold_units as "thresholdUnits", rule.status, rule.version, rule.next_run_at as "nextRunAt",
  rule.created_at as "createdAt", rule.updated_at as "updatedAt", rule.deleted_at as "deletedAt",
  rule.external_id as "externalId", rule.metadata`

export type NewRule = RuleTerms &
  Pick<Rule, 'organizationId' | 'ruleId' | 'apiKeyId' | 'customerId' | 'name' | 'nextRunAt' | 'externalId' | 'metadata'>

export async function insertRule(tx: Tx, rule: NewRule): Promise<Rule> {
  const [inserted] = await tx.query<Rule>({
    name: 'insert automation rule',
    text: `insert into svc.automation_rules as rule (organization_id, rule_id, customer_id, name,
                  source_payment_account_id, source_asset, source_method, destination_payment_account_id,
                  destination_asset, destination_method, amount_type, amount_text, amount_units, developer_fee_type,
                  developer_fee_text, trigger_type, cron_schedule, threshold_text, threshold_units, next_run_at,
                  api_key_id, created_at, updated_at, external_id, metadata)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                  svc.now(), svc.now(), $22, $23)
        returning ${columns}`,
    values: [
      rule.organizationId,
      rule.ruleId,
      rule.customerId,
      rule.name,
      rule.sourcePaymentAccountId,
      rule.sourceAsset,
      rule.sourceMethod,
      rule.destinationPaymentAccountId,
      rule.destinationAsset,
      rule.destinationMethod,
      rule.amountType,
      rule.amountText,
      rule.amountUnits,
      rule.developerFeeType,
      rule.developerFeeText,
      rule.triggerType,
      rule.cronSchedule,
      rule.thresholdText,
      rule.thresholdUnits,
      rule.nextRunAt,
      rule.apiKeyId,
      rule.externalId,
      writeMetadata(rule.metadata),
    ],
  })
  return inserted as Rule
}

export async function findRule(
  database: Queryable,
  organizationIds: readonly string[],
  ruleId: string,
): Promise<Rule | undefined> {
  const [found] = await database.query<Rule>({
    name: 'find automation rule',
    text: `select ${columns} from svc.automation_rules as rule
            where rule.organization_id = any($1) and rule.rule_id = $2`,
    values: [organizationIds, ruleId],
  })
  return found
}

export type RuleFilter = CreatedRange & {
  customerId?: string
  sourcePaymentAccountId?: string
  status?: RuleStatus
  externalId?: string
}

/** Lists rules, newest first (ids grow with time). */
export function listRules(
  database: Queryable,
  organizationIds: readonly string[],
  { customerId, sourcePaymentAccountId, status, externalId, createdFrom, createdTo }: RuleFilter,
  { after, limit }: PageSlice,
): Promise<Rule[]> {
  // Not prepared: each filter has an index of its own, and a generic plan would use none of them. A page of each
  // organization, in the order of its index: for all at once PostgreSQL would sort all their rules.
  return database.query<Rule>({
    text: `select ${columns}
             from (select mine.organization_id, found.rule_id
                     from unnest($1::uuid[]) as mine (organization_id)
                    cross join lateral (
                          select rule.rule_id from svc.automation_rules as rule
                           where rule.organization_id = mine.organization_id and rule.deleted_at is null
                             and ($2::uuid is null or rule.rule_id < $2)
                             and ($3::uuid is null or rule.customer_id = $3)
                             and ($4::uuid is null or rule.source_payment_account_id = $4)
                             and ($6::text is null or rule.status = $6)
                             and ($7::text is null or rule.external_id = $7)
                             and ($8::timestamptz is null or rule.created_at >= $8)
                             and ($9::timestamptz is null or rule.created_at < $9)
                           order by rule.rule_id desc limit $5) as found
                    order by found.rule_id desc limit $5) as page
             join svc.automation_rules as rule
               on rule.organization_id = page.organization_id and rule.rule_id = page.rule_id
            order by rule.rule_id desc`,
    values: [
      organizationIds,
      after ?? null,
      customerId ?? null,
      sourcePaymentAccountId ?? null,
      limit,
      status ?? null,
      externalId ?? null,
      createdFrom ?? null,
      createdTo ?? null,
    ],
  })
}

/** Finds a rule that is not deleted, and locks it until the database transaction ends. */
export async function lockRule(tx: Tx, { organizationId, ruleId }: RuleKey): Promise<Rule | undefined> {
  const [locked] = await tx.query<Rule>({
    name: 'lock automation rule',
    text: `select ${columns} from svc.automation_rules as rule
            where rule.organization_id = $1 and rule.rule_id = $2 and rule.deleted_at is null for no key update`,
    values: [organizationId, ruleId],
  })
  return locked
}

/** Writes the terms that a PUT may change. Returns undefined when the rule is deleted. */
export async function replaceTerms(
  tx: Tx,
  { organizationId, ruleId }: RuleKey,
  terms: RuleTerms,
  own: OwnData,
  apiKeyId: string,
): Promise<Rule | undefined> {
  const [replaced] = await tx.query<Rule>({
    name: 'replace terms of automation rule',
    text: `update svc.automation_rules as rule
              set destination_payment_account_id = $3, destination_asset = $4, destination_method = $5,
                  amount_type = $6, amount_text = $7, amount_units = $8, developer_fee_type = $9,
                  developer_fee_text = $10, external_id = $11, metadata = $12, api_key_id = $13,
                  version = rule.version + 1, updated_at = svc.now()
            where rule.organization_id = $1 and rule.rule_id = $2 and rule.deleted_at is null
        returning ${columns}`,
    values: [
      organizationId,
      ruleId,
      terms.destinationPaymentAccountId,
      terms.destinationAsset,
      terms.destinationMethod,
      terms.amountType,
      terms.amountText,
      terms.amountUnits,
      terms.developerFeeType,
      terms.developerFeeText,
      own.externalId,
      writeMetadata(own.metadata),
      apiKeyId,
    ],
  })
  return replaced
}

/** Returns undefined when the rule is in another status than the move starts from, or deleted. */
export async function moveRule(
  tx: Tx,
  { organizationId, ruleId }: RuleKey,
  move: keyof typeof ruleMoves,
  { nextRunAt, apiKeyId }: { nextRunAt: Date | null; apiKeyId: string | undefined },
): Promise<Rule | undefined> {
  const { from, to } = ruleMoves[move]
  const [moved] = await tx.query<Rule>({
    name: 'move automation rule',
    text: `update svc.automation_rules as rule
              set status = $4, next_run_at = $5, api_key_id = coalesce($6, rule.api_key_id),
                  version = rule.version + 1, updated_at = svc.now()
            where rule.organization_id = $1 and rule.rule_id = $2 and rule.status = any($3)
              and rule.deleted_at is null
        returning ${columns}`,
    values: [organizationId, ruleId, from, to, nextRunAt, apiKeyId ?? null],
  })
  return moved
}

export async function deleteRule(
  tx: Tx,
  organizationIds: readonly string[],
  ruleId: string,
): Promise<Rule | undefined> {
  const [deleted] = await tx.query<Rule>({
    name: 'delete automation rule',
    text: `update svc.automation_rules as rule
              set deleted_at = svc.now(), next_run_at = null, version = rule.version + 1, updated_at = svc.now()
            where rule.organization_id = any($1) and rule.rule_id = $2 and rule.deleted_at is null
        returning ${columns}`,
    values: [organizationIds, ruleId],
  })
  return deleted
}

/**
 * Makes the next count of rules exact until the database transaction ends. The lock comes after the locks of accounts, in
 * every transaction that takes both.
 */
export async function lockNumberOfRules(tx: Tx, organizationId: string): Promise<void> {
  await tx.query({
    name: 'lock number of automation rules',
    text: `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
    values: [`automation rules of ${organizationId}`],
  })
}

/** Counts the rules of an organization and of one of its wallets. */
export async function countRules(
  tx: Tx,
  organizationId: string,
  sourcePaymentAccountId: string,
): Promise<{ ofWallet: number; ofOrganization: number }> {
  const [found] = await tx.query<{ ofWallet: number; ofOrganization: number }>({
    name: 'count automation rules',
    text: `select count(*)::int as "ofOrganization",
                  (count(*) filter (where source_payment_account_id = $2))::int as "ofWallet"
             from svc.automation_rules where organization_id = $1 and deleted_at is null`,
    values: [organizationId, sourcePaymentAccountId],
  })
  return found ?? { ofWallet: 0, ofOrganization: 0 }
}

/** Counts the rules of each organization, which are few. Deleted ones do not count. */
export async function countRulesOf(
  database: Queryable,
  organizationIds: readonly string[],
): Promise<Map<string, number>> {
  const counted = await database.query<{ organizationId: string; rules: number }>({
    name: 'count automation rules of organizations',
    text: `select organization_id as "organizationId", count(*)::integer as rules from svc.automation_rules
            where organization_id = any($1) and deleted_at is null group by organization_id`,
    values: [organizationIds],
  })
  return new Map(counted.map(({ organizationId, rules }) => [organizationId, rules]))
}

/** Finds an ACTIVE rule that uses the account. A PAUSED rule does not count: resuming checks its accounts again. */
export async function findRuleUsingAccount(
  tx: Tx,
  organizationId: string,
  paymentAccountId: string,
): Promise<string | undefined> {
  const [found] = await tx.query<{ ruleId: string }>({
    name: 'find automation rule that uses account',
    // Both accounts of a rule belong to its customer, and rules are indexed by customer.
    text: `select rule.rule_id as "ruleId"
             from svc.payment_accounts as account
             join svc.automation_rules as rule on rule.organization_id = account.organization_id
              and rule.customer_id = account.customer_id and rule.status = 'ACTIVE' and rule.deleted_at is null
              and account.payment_account_id in (rule.source_payment_account_id, rule.destination_payment_account_id)
            where account.organization_id = $1 and account.payment_account_id = $2
            limit 1`,
    values: [organizationId, paymentAccountId],
  })
  return found?.ruleId
}

/** Empties the metadata of a customer's rules, for an erasure. */
export async function eraseRuleMetadata(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'erase metadata of automation rules',
    text: `update svc.automation_rules set metadata = null
            where organization_id = $1 and customer_id = $2 and metadata is not null`,
    values: [organizationId, customerId],
  })
}

export async function hasRules(tx: Tx, organizationId: string, customerId: string): Promise<boolean> {
  const found = await tx.query({
    name: 'find automation rule of customer',
    text: `select rule_id from svc.automation_rules
            where organization_id = $1 and customer_id = $2 and deleted_at is null limit 1`,
    values: [organizationId, customerId],
  })
  return found.length > 0
}
