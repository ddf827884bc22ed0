import { Refusal } from '../lib/refusal.ts'

/**
 * Refuses a payment on behalf of a rule, given by its owner, kind and id. Names the rule, but not its amounts: the caller
 * may lack the scope to read the policy.
 */
export function refusedByPolicy(field: string, rule: string): Refusal {
  const [owner, kind, ruleId] = rule.split(' ')
  const policy = owner === 'PLATFORM' ? "the platform's policy" : "the organization's policy"
  const message = `is refused by the rule "${ruleId}" (${kind}) of ${policy}`
  return new Refusal('POLICY_REFUSED', `${field} ${message}`, { details: [{ field, message }] })
}
