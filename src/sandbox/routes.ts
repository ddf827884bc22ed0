import Type from 'typebox'
import { describeIssue, issueCodes } from '../catalog/issues/verification-issues.ts'
import { CustomerAnswer } from '../customers/wire.ts'
import { type Route, route } from '../http/route.ts'
import { oneOf, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import type { SandboxClock } from './clock.ts'
import { magicEndings } from './counterparty.ts'
import { completePath } from './payment-accounts.ts'
import { blockedName } from './screening.ts'
import type { SandboxVerification } from './verification.ts'

const BusinessTime = resource('BusinessTime', {
  now: Timestamp,
  frozen: Type.Boolean({ description: 'Whether business time stands still' }),
})

const MoveClock = requestBody(
  'MoveClock',
  {
    advance: Type.Optional(
      Type.String({ description: 'An ISO 8601 duration to jump forward by', examples: ['PT5M1S'] }),
    ),
    freeze: Type.Optional(Type.Literal(true, { description: 'Stop business time where it is' })),
    resume: Type.Optional(Type.Literal(true, { description: 'Let it go on from where it stands' })),
  },
  { description: 'Exactly one of the three', examples: [{ advance: 'PT5M1S' }] },
)

export function clockRoutes(clock: SandboxClock): Route[] {
  const shared = { path: '/sandbox/clock', sandboxOnly: true, tag: 'Sandbox' } as const
  return [
    route({
      ...shared,
      method: 'GET',
      access: 'sandbox:read',
      summary: 'Read business time',
      answer: { status: 200, description: 'Business time now', schema: BusinessTime },
      handle: async () => present(await clock.read()),
    }),
    route({
      ...shared,
      method: 'POST',
      access: 'sandbox:write',
      summary: 'Move business time',
      description:
        'Quotes, transactions, rules and retry schedules live by it, so five minutes need not be waited for. ' +
        'It moves for the whole sandbox, and forward only.',
      body: MoveClock,
      answer: { status: 200, description: 'Business time after the move', schema: BusinessTime },
      handle: ({ caller, readBody, once }) => once(async (tx) => present(await clock.move(tx, caller, readBody()))),
    }),
  ]
}

const DecideVerification = requestBody('DecideVerification', {
  outcome: oneOf(['APPROVE', 'NEEDS_INFO', 'REJECT', 'REVIEW']),
  issues: Type.Optional(
    Type.Array(oneOf(issueCodes), {
      maxItems: 100,
      description: 'What the customer is told to correct',
    }),
  ),
})

export function verificationRoutes(verification: SandboxVerification): Route[] {
  return [
    route({
      ...({
        method: 'POST',
        path: '/sandbox/customers/{customerId}/verification',
        access: 'sandbox:write',
        tag: 'Sandbox',
      } as const),
      sandboxOnly: true,
      summary: 'Decide about a customer at once',
      description:
        'For a customer who is UNDER_REVIEW; REJECT also for one who NEEDS_ADDITIONAL_INFORMATION or is ACTIVE. REVIEW ' +
        'leaves it to a person; for one who is ACTIVE it is a hit on a watch list. Names decide too: a last or legal ' +
        'business name of Approve, Reject, Review or Issue-<CODE> (several, separated by spaces) has that outcome ' +
        'after the usual delay.',
      params: Type.Object({ customerId: Uuid }),
      body: DecideVerification,
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The customer', schema: CustomerAnswer },
      handle: ({ caller, params: { customerId }, readBody, once }) =>
        once(
          (tx, customer: Awaited<ReturnType<SandboxVerification['open']>>) =>
            verification.decide(tx, caller, customer, readBody),
          () => verification.open(caller, customerId),
          ({ key }) => key,
        ),
    }),
    route({
      ...({ method: 'GET', path: '/sandbox/scenarios', access: 'sandbox:read', tag: 'Sandbox' } as const),
      sandboxOnly: true,
      summary: 'Every magic value, and what it does',
      answer: { status: 200, description: 'The scenarios', schema: Scenarios },
      handle: async () => ({ scenarios: scenarios() }),
    }),
  ]
}

const Scenarios = resource('Scenarios', {
  scenarios: Type.Array(
    resource('Scenario', {
      where: Type.String({ examples: ['kycData.legalLastName, kybData.businessInfo.legalBusinessName'] }),
      value: Type.String({ examples: ['Approve'] }),
      does: Type.String({ examples: ['The customer becomes ACTIVE'] }),
    }),
  ),
})

function scenarios() {
  const where = 'kycData.legalLastName, kybData.businessInfo.legalBusinessName'
  return [
    { where, value: 'Approve', does: 'The customer becomes ACTIVE' },
    { where, value: 'Reject', does: 'The customer becomes REJECTED' },
    { where, value: 'Review', does: 'The customer stays UNDER_REVIEW until a person decides' },
    ...issueCodes.map((code) => ({
      where,
      value: `Issue-${code}`,
      does:
        describeIssue(code).leadsTo === 'review'
          ? 'A person has to decide'
          : 'The customer NEEDS_ADDITIONAL_INFORMATION',
    })),
    {
      where: 'POST /sandbox/customers/{customerId}/verification, for a customer who is ACTIVE',
      value: '{"outcome": "REVIEW"}',
      does: 'A hit on a watch list: money no longer leaves, the customer sees nothing, and GET /reviews shows it',
    },
    {
      where: `POST ${completePath}`,
      value: 'externalBankAccount',
      does: 'A bank account that is PENDING becomes ACTIVE, as if its hosted form had been filled in',
    },
    ...magicEndings.flatMap(({ digits, does }) => [
      { where: 'source.sourceAmount of a quote', value: `….${digits}`, does },
      { where: 'accountNumber or iban of the destination', value: `…00${digits}`, does },
    ]),
    {
      where: 'bankAccountOwner.lastName of the destination, senderName of a deposit',
      value: blockedName,
      does: 'The transaction is frozen: it stays PROCESSING, and GET /reviews shows its customer; the deposit is HELD',
    },
  ]
}

function present({ now, frozen }: { now: Date; frozen: boolean }) {
  return { now: now.toISOString(), frozen }
}
