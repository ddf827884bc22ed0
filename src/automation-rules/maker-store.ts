import type { Tx } from '../db/database.ts'
import { type Rule, ruleMoves } from './rule.ts'
import { columns } from './store.ts'

/**
 * Locks the rules of keys ($2) of an organization ($1) and of its children, for which its keys act: in the order in which
 * runs lock theirs, so that neither waits for the other in a circle.
 */
const lockedRules = `locked as (
  select rule.organization_id, rule.rule_id from svc.automation_rules as rule
   where rule.organization_id in (
           select organization_id from svc.organizations where organization_id = $1 or parent_organization_id = $1)
     and rule.api_key_id = any($2) and rule.deleted_at is null
   order by rule.organization_id, rule.rule_id for no key update of rule)`

/** Pauses the ACTIVE rules of these keys of an organization. */
export function pauseRulesOf(tx: Tx, organizationId: string, apiKeyIds: readonly string[]): Promise<Rule[]> {
  const { from, to } = ruleMoves.pause
  return tx.query<Rule>({
    name: 'pause automation rules of keys',
    text: `with ${lockedRules}
           update svc.automation_rules as rule
              set status = $4, next_run_at = null, version = rule.version + 1, updated_at = svc.now()
             from locked
            where rule.organization_id = locked.organization_id and rule.rule_id = locked.rule_id
              and rule.status = any($3)
        returning ${columns}`,
    values: [organizationId, apiKeyIds, from, to],
  })
}

/** Hands the rules of a key to its successor. */
export async function changeKeyOfRules(
  tx: Tx,
  { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string },
  { apiKeyId: successorId }: { apiKeyId: string },
): Promise<void> {
  await tx.query({
    name: 'change key of automation rules',
    text: `with ${lockedRules}
           update svc.automation_rules as rule set api_key_id = $3
             from locked
            where rule.organization_id = locked.organization_id and rule.rule_id = locked.rule_id`,
    values: [organizationId, [apiKeyId], successorId],
  })
}
