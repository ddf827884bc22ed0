import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { requestBody, resource, Timestamp } from '../http/wire.ts'
import type { SandboxClock } from './clock.ts'

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

export function sandboxRoutes(clock: SandboxClock): Route[] {
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
      handle: ({ readBody, once }) => once(async (transaction) => present(await clock.move(transaction, readBody()))),
    }),
  ]
}

function present({ now, frozen }: { now: Date; frozen: boolean }) {
  return { now: now.toISOString(), frozen }
}
