import Type, { type Static } from 'typebox'
import { fiatRails, networks } from '../catalog/currencies.ts'
import { compileSchema } from '../http/bodies/validate.ts'
import { examplePolicyRules } from '../http/examples/organizations.ts'
import { oneOf, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import {
  limitSubjects,
  limitWindows,
  type Policy,
  policyOwners,
  ruleKinds,
  type WrittenRule,
  weekdays,
} from './policy.ts'

/** The most rules of a policy, and the most ids of a list. */
const mostRules = 50
const mostIds = 1_000

const Ids = (description: string) =>
  Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: mostIds, uniqueItems: true, description }))
const Usd = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `${description}, in USD`, examples: ['1000.00'] }))
const Time = (description: string) =>
  Type.Optional(Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: ['22:00'] }))

const appliesTo = {
  apiKeyIds: Ids('Only payments of these API keys'),
  customerIds: Ids('Only payments of these customers'),
  paymentAccountIds: Ids('Only payments to these accounts'),
  rails: Type.Optional(
    Type.Array(oneOf(fiatRails), {
      minItems: 1,
      uniqueItems: true,
      description: 'Only payments that leave by these rails',
    }),
  ),
  networks: Type.Optional(
    Type.Array(oneOf(networks), {
      minItems: 1,
      uniqueItems: true,
      description: 'Only payments that leave on these networks; with rails, a payment by either',
    }),
  ),
}

const ruleFields = {
  ruleId: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description: 'Your name for the rule. Its counters and the times of its destinations belong to this name',
    examples: ['daily-total'],
  }),
  kind: oneOf(ruleKinds, 'What the rule does; each kind has fields of its own'),
  appliesTo: Type.Optional(requestBody('PolicyRuleScope', appliesTo, { description: 'Absent: to every payment' })),
  per: Type.Optional(oneOf(limitSubjects, 'LIMIT: whose payments are added up')),
  transactionMax: Usd('LIMIT: the most of one payment'),
  hourMax: Usd('LIMIT: the most of an hour of UTC'),
  dayMax: Usd('LIMIT: the most of a day of UTC'),
  monthMax: Usd('LIMIT: the most of a month of UTC'),
  allowed: Type.Optional(
    Type.Array(Uuid, {
      maxItems: mostIds,
      uniqueItems: true,
      description: 'DESTINATIONS: the accounts that can be paid. Every other is refused',
    }),
  ),
  coolingHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 8_760,
      description: 'DESTINATIONS: the hours after which an account can be paid that was listed, created or changed',
    }),
  ),
  above: Usd('APPROVAL: payments above this need approvals'),
  approvals: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'APPROVAL: how many keys approve' })),
  approvers: Ids('APPROVAL: the keys that can approve; absent: any other key with the scope'),
  expiresInHours: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 720, description: 'APPROVAL: the hours after which an open one expires' }),
  ),
  from: Time('QUIET_HOURS: the local time at which they begin'),
  to: Time('QUIET_HOURS: the local time at which they end; on the next day unless it is later than from'),
  timeZone: Type.Optional(
    Type.String({ maxLength: 64, description: 'QUIET_HOURS: the time zone of both', examples: ['Europe/Berlin'] }),
  ),
  days: Type.Optional(
    Type.Array(oneOf(weekdays), {
      minItems: 1,
      uniqueItems: true,
      description: 'QUIET_HOURS: the days on which they begin',
    }),
  ),
}

export const PolicyBody = requestBody(
  'ReplacePolicy',
  {
    rules: Type.Array(requestBody('PolicyRuleTerms', ruleFields), {
      maxItems: mostRules,
      description: 'All rules. Rules that are not here end, with their counters',
    }),
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The version that you have read: 409 when the policy has another by now',
      }),
    ),
  },
  { examples: [{ rules: examplePolicyRules }] },
)

/** Reads the rules of a file, and names what is wrong with it. */
export function readRules(text: string): WrittenRule[] {
  const read = compileSchema(PolicyBody)({ rules: JSON.parse(text) })
  if (read.ok) return read.value.rules as WrittenRule[]
  throw new Error(read.problems.map(({ field, message }) => `${field} ${message}`).join('\n'))
}

type PresentedPolicies = { own: Policy; platform: Pick<Policy, 'rules'>; inherited: readonly WrittenRule[] }

const Rule = resource('PolicyRule', ruleFields)

export const PolicyAnswer = resource('Policy', {
  organizationId: Uuid,
  version: Type.Integer({ description: 'Counts the changes; 0 before the first', examples: [1] }),
  rules: Type.Array(Rule, { description: "The organization's own rules", examples: [examplePolicyRules] }),
  platformRules: Type.Array(Rule, {
    description: 'Rules of the platform, for the organization or its parent, which bind in addition',
    examples: [[]],
  }),
  updatedAt: Type.Optional({ ...Timestamp, description: 'Absent before the first change' }),
})

export const PolicyQuery = Type.Object(
  { organizationId: Type.Optional({ ...Uuid, description: 'A child organization; by default your own' }) },
  { additionalProperties: false },
)

export const PreviewBody = requestBody('PreviewPolicy', {
  quoteId: Type.Optional({ ...Uuid, description: 'The quote of the payment; or the four fields below' }),
  customerId: Type.Optional(Uuid),
  destinationPaymentAccountId: Type.Optional(Uuid),
  amount: Type.Optional(Type.String({ maxLength: 200, description: 'The source amount', examples: ['250.00'] })),
  currency: Type.Optional(
    Type.String({ maxLength: 16, description: 'The source currency, such as USDC', examples: ['USDC'] }),
  ),
  apiKeyId: Type.Optional({ ...Uuid, description: 'The key that would ask for it; by default your own' }),
  at: Type.Optional({ ...Timestamp, description: 'When it would be asked for; by default now' }),
})

const Outcome = oneOf(['GO', 'REFUSE', 'APPROVAL'], 'GO, a refusal (422 POLICY_REFUSED), or an approval that is opened')
const Amount = Type.Optional(Type.String({ description: 'LIMIT, in USD', examples: ['250.00'] }))

export const PreviewAnswer = resource('PolicyPreview', {
  outcome: Outcome,
  usdAmount: Type.Optional(
    Type.String({
      description: 'The value that rules compare and count, in USD; absent while there is no current price',
      examples: ['250.00'],
    }),
  ),
  rules: Type.Array(
    resource('PolicyPreviewRule', {
      ruleId: Type.String({ examples: ['daily-total'] }),
      owner: oneOf(policyOwners, 'Whose policy the rule belongs to'),
      kind: oneOf(ruleKinds),
      outcome: Outcome,
      window: Type.Optional(oneOf(limitWindows, 'LIMIT: the maximum that leaves least')),
      limit: Amount,
      used: Amount,
      remaining: Amount,
    }),
    { description: 'The rules that apply to the payment, in the order in which they are evaluated' },
  ),
})

export function presentPolicy({ own, platform, inherited }: PresentedPolicies): Static<typeof PolicyAnswer> {
  const { organizationId, version, rules, updatedAt } = own
  return {
    organizationId,
    version,
    rules: rules as Static<typeof Rule>[],
    platformRules: [...inherited, ...platform.rules] as Static<typeof Rule>[],
    ...(version === 0 ? {} : { updatedAt: updatedAt.toISOString() }),
  }
}
