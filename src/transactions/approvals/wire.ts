import Type, { type Static } from 'typebox'
import { paymentMethodNames } from '../../catalog/payment-methods.ts'
import { exampleApproval, exampleApproved } from '../../http/examples/organizations.ts'
import {
  CurrencyAnswer,
  type EventPayload,
  oneOf,
  pageOf,
  pageQuery,
  requestBody,
  resource,
  Timestamp,
  Uuid,
} from '../../http/wire.ts'
import type { EventType } from '../../lib/event-types.ts'
import { policyOwners } from '../../policies/policy.ts'
import { type Approval, approvalDecisions, approvalStatuses } from './approval.ts'

const Amount = Type.String({ examples: ['100.00'] })

export const ApprovalAnswer = resource(
  'Approval',
  {
    approvalId: Uuid,
    approvalStatus: oneOf(
      approvalStatuses,
      'OPEN until it is approved or refused, or its time is over; CANCELLED when its transaction ended first',
    ),
    transactionId: Uuid,
    customerId: Uuid,
    source: resource('ApprovalSource', {
      sourcePaymentAccountId: Uuid,
      sourceCurrency: CurrencyAnswer,
      sourceAmount: Amount,
    }),
    destination: resource('ApprovalDestination', {
      destinationPaymentAccountId: Uuid,
      destinationPaymentMethod: oneOf(paymentMethodNames),
      destinationCurrency: CurrencyAnswer,
      destinationAmount: Amount,
    }),
    rules: Type.Array(
      resource('ApprovalRule', {
        ruleId: Type.String({ examples: ['large-payouts'] }),
        owner: oneOf(policyOwners, 'Whose policy the rule belongs to'),
        approvals: Type.Integer({ minimum: 1, description: 'The number of keys that have to approve' }),
        approvers: Type.Optional(Type.Array(Uuid, { description: 'The only keys that can decide; absent for any' })),
      }),
      { description: 'The rules of the policy that demand the approval; each needs its own number of approvals' },
    ),
    makerApiKeyId: Type.Optional({ ...Uuid, description: 'The key that made the transaction' }),
    decisions: Type.Array(
      resource('ApprovalDecision', { apiKeyId: Uuid, decision: oneOf(approvalDecisions), decidedAt: Timestamp }),
      { description: 'Oldest first. The approval of a key that was revoked before the last decision does not count' },
    ),
    createdAt: Timestamp,
    expiresAt: Timestamp,
    decidedAt: Type.Optional({ ...Timestamp, description: 'When the approval ended' }),
  },
  exampleApproval,
)

export const ApprovalPage = pageOf('ApprovalPage', 'approvals', ApprovalAnswer)
export const ApprovalParams = Type.Object({ approvalId: Uuid })
export const ApprovalQuery = Type.Object(
  { ...pageQuery, status: Type.Optional(oneOf(approvalStatuses)), transactionId: Type.Optional(Uuid) },
  { additionalProperties: false },
)

export const DecideApprovalBody = requestBody(
  'DecideApproval',
  {
    decision: oneOf(approvalDecisions, 'One REFUSE ends the transaction'),
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Stored encrypted with the customer, and shown to reviewers',
      examples: ['The invoice matches the order'],
    }),
  },
  { examples: [{ decision: 'APPROVE', reason: 'The invoice matches the order' }] },
)

/** The payloads of approval events. */
export const approvalEvents = {
  'approval.created': { schema: ApprovalAnswer, example: exampleApproval },
  'approval.decided': {
    schema: ApprovalAnswer,
    example: exampleApproved,
  },
} satisfies Partial<Record<EventType, EventPayload>>

/** Presents an approval. svc.show_approval has written its JSON. */
export function presentApproval({ shown }: Pick<Approval, 'shown'>): Static<typeof ApprovalAnswer> {
  return JSON.parse(shown) as Static<typeof ApprovalAnswer>
}
