import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import type { Rule } from './rule.ts'

/** Records what a caller did to a rule. The details hold no name and no metadata: both may be about people. */
export async function recordAct(
  { audit }: { audit: Audit },
  tx: Tx,
  { apiKeyId }: Caller,
  { organizationId, ruleId: subjectId }: Rule,
  act: string,
  details: object = {},
): Promise<void> {
  const entry = { actor: `api_key:${apiKeyId}`, action: `automation_rule.${act}`, subjectId, details }
  await audit.append(tx, { organizationId, ...entry })
}

/** Describes what a rule pays, where to and when. */
export function describeTerms(rule: Rule): { terms: object } {
  const present = Object.entries(termsOf(rule)).filter(([, value]) => value !== null)
  return { terms: Object.fromEntries(present) }
}

/** Describes the terms that have changed: the old and the new values. */
export function describeChanges(before: Rule, after: Rule): { changes: object } {
  const [old, now] = [termsOf(before), termsOf(after)]
  const changed = (Object.keys(old) as (keyof typeof old)[]).filter((name) => old[name] !== now[name])
  return { changes: Object.fromEntries(changed.map((name) => [name, { from: old[name], to: now[name] }])) }
}

function termsOf(rule: Rule) {
  return {
    sourcePaymentAccountId: rule.sourcePaymentAccountId,
    sourceAsset: rule.sourceAsset,
    destinationPaymentAccountId: rule.destinationPaymentAccountId,
    destinationAsset: rule.destinationAsset,
    destinationMethod: rule.destinationMethod,
    amountType: rule.amountType,
    amount: rule.amountText,
    developerFeeType: rule.developerFeeType,
    developerFee: rule.developerFeeText,
    cronSchedule: rule.cronSchedule,
    threshold: rule.thresholdText,
  }
}
