import Type from 'typebox'
import { type Network, networks } from '../catalog/currencies.ts'
import { describeIssue, issueCodes } from '../catalog/issues/verification-issues.ts'
import { CustomerAnswer } from '../customers/wire.ts'
import { type Route, route } from '../http/route.ts'
import { oneOf, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { bankEndings } from './bank/payments/behaviour.ts'
import type { SandboxClock } from './clock.ts'
import { completePath } from './payment-accounts.ts'
import { magicEndings } from './rails.ts'
import { blockedName } from './screening.ts'
import type { SandboxVerification } from './verification.ts'

export const BusinessTime = resource('BusinessTime', {
  now: Timestamp,
  frozen: Type.Boolean({ description: 'true: business time is frozen' }),
})

const MoveClock = requestBody(
  'MoveClock',
  {
    advance: Type.Optional(Type.String({ description: 'An ISO 8601 duration to advance by', examples: ['PT5M1S'] })),
    freeze: Type.Optional(Type.Literal(true, { description: 'Freeze business time at its current value' })),
    resume: Type.Optional(Type.Literal(true, { description: 'Let business time run again from its current value' })),
  },
  { description: 'Send exactly one of the three fields', examples: [{ advance: 'PT5M1S' }] },
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
      handle: async () => presentTime(await clock.read()),
    }),
    route({
      ...shared,
      method: 'POST',
      access: 'sandbox:write',
      summary: 'Move business time',
      description:
        'Quotes, transactions, rules and retry schedules follow business time, so a test need not wait. Business ' +
        'time moves forward only, and for the whole sandbox.',
      body: MoveClock,
      answer: { status: 200, description: 'Business time after the move', schema: BusinessTime },
      handle: async ({ caller, readBody, once }) => {
        const moved = await once(async (tx) => presentTime(await clock.move(tx, caller, readBody())))
        await clock.announce()
        return moved
      },
    }),
  ]
}

const DecideVerification = requestBody('DecideVerification', {
  outcome: oneOf(['APPROVE', 'NEEDS_INFO', 'REJECT', 'REVIEW']),
  issues: Type.Optional(
    Type.Array(oneOf(issueCodes), {
      maxItems: 100,
      description: 'The issues that the customer is asked to correct',
    }),
  ),
})

/** The counterparties of this sandbox: a bank that exchanges files, and EVM networks of its own; else simulated ones. */
export type Counterparties = { hasBankFiles: boolean; simulatedNetworks: readonly Network[] }

export function verificationRoutes(verification: SandboxVerification, counterparties: Counterparties): Route[] {
  return [
    route({
      method: 'POST',
      path: '/sandbox/customers/{customerId}/verification',
      access: 'sandbox:write',
      tag: 'Sandbox',
      sandboxOnly: true,
      summary: 'Decide the verification of a customer at once',
      description:
        'For a customer who has submitted data; REJECT also in NEEDS_ADDITIONAL_INFORMATION or ACTIVE. REVIEW leaves the ' +
        'decision to a reviewer; for an ACTIVE customer it creates a watch-list match. Magic names have the same ' +
        'effect after the usual delay: the last name or legal business name Approve, Reject, Review or Issue-<CODE> ' +
        '(several codes separated by spaces).',
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
      method: 'GET',
      path: '/sandbox/scenarios',
      access: 'sandbox:read',
      tag: 'Sandbox',
      sandboxOnly: true,
      summary: 'List the magic values and their effects',
      answer: { status: 200, description: 'The scenarios', schema: Scenarios },
      handle: async () => ({ scenarios: scenarios(counterparties) }),
    }),
  ]
}

export const Scenarios = resource('Scenarios', {
  scenarios: Type.Array(
    resource('Scenario', {
      where: Type.String({ examples: ['kycData.legalLastName, kybData.businessInfo.legalBusinessName'] }),
      value: Type.String({ examples: ['Approve'] }),
      does: Type.String({ examples: ['The customer becomes ACTIVE'] }),
    }),
  ),
})

function scenarios(counterparties: Counterparties) {
  const where = 'kycData.legalLastName, kybData.businessInfo.legalBusinessName'
  return [
    { where, value: 'Approve', does: 'The customer becomes ACTIVE' },
    { where, value: 'Reject', does: 'The customer becomes REJECTED' },
    { where, value: 'Review', does: 'The customer stays UNDER_REVIEW until a reviewer decides' },
    ...issueCodes.map((code) => ({
      where,
      value: `Issue-${code}`,
      does:
        describeIssue(code).leadsTo === 'review'
          ? 'The customer stays UNDER_REVIEW until a reviewer decides'
          : 'The customer moves to NEEDS_ADDITIONAL_INFORMATION',
    })),
    {
      where: 'POST /sandbox/customers/{customerId}/verification, for an ACTIVE customer',
      value: '{"outcome": "REVIEW"}',
      does: 'A watch-list match: payouts of the customer stop, the customer is not told, and GET /reviews lists it',
    },
    {
      where: `POST ${completePath}`,
      value: 'externalBankAccount',
      does: 'A PENDING bank account becomes ACTIVE, as if the customer had filled in its hosted form',
    },
    ...endings(counterparties),
    {
      where: 'bankAccountOwner.lastName of the destination, senderName of a deposit',
      value: blockedName,
      does: 'The transaction is frozen: it stays PROCESSING, and GET /reviews lists its customer; the deposit is HELD',
    },
  ]
}

/** Lists the endings that decide the outcome of a payout, at a bank or on a simulated chain. A local chain has none. */
function endings({ hasBankFiles, simulatedNetworks }: Counterparties) {
  const account = 'accountNumber or iban of the destination'
  const source = 'source.sourceAmount of a quote'
  if (!hasBankFiles) {
    return magicEndings.flatMap(({ digits, does }) => [
      { where: source, value: `….${digits}`, does },
      { where: account, value: `…00${digits}`, does },
    ])
  }
  const where = `${account}, or interacEmail`
  const atBanks = bankEndings.map(({ digits, does }) => ({ where, value: `…00${digits}`, does }))
  if (simulatedNetworks.length === 0) return atBanks
  const isEvery = simulatedNetworks.length === networks.length
  const wallet = `${source} to a ${isEvery ? 'wallet' : `${simulatedNetworks.join(' or ')} wallet`}`
  return [...atBanks, ...magicEndings.map(({ digits, does }) => ({ where: wallet, value: `….${digits}`, does }))]
}

function presentTime({ now, frozen }: { now: Date; frozen: boolean }) {
  return { now: now.toISOString(), frozen }
}
