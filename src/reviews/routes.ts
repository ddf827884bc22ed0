import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { ReviewService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Reviews'
const params = Type.Object({ customerId: Uuid })
const oneReview = { status: 200, description: 'The review', schema: wire.ReviewAnswer } as const
const claimMinutes = 30
type Customer = Awaited<ReturnType<ReviewService['openFor']>>

export function reviewRoutes(reviews: ReviewService): Route[] {
  const act = (name: string) =>
    ({ method: 'POST', path: `/reviews/{customerId}/${name}`, access: 'reviews:write', tag, params }) as const
  return [
    route({
      ...({ method: 'GET', path: '/reviews', access: 'reviews:read', tag } as const),
      summary: 'List what waits for a person',
      description: 'Oldest first, those of child organizations among them. Open ones, unless you ask for decided ones.',
      query: wire.ReviewQuery,
      answer: { status: 200, description: 'One page', schema: wire.ReviewPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await reviews.list(caller, query)
        return { reviews: items.map(wire.presentReview), nextPageToken }
      },
    }),
    route({
      ...({ method: 'GET', path: '/reviews/{customerId}', access: 'reviews:read', tag, params } as const),
      summary: 'Read the review of a customer',
      description:
        'The open one, or the last there was, with the reasons given for what was done about the customer before. ' +
        'To read those is recorded in the audit log.',
      answer: oneReview,
      handle: async ({ caller, params: { customerId } }) =>
        wire.presentReviewWithNotes(await reviews.read(caller, customerId)),
    }),
    route({
      ...act('claim'),
      summary: 'Take a review',
      description:
        'Nobody else can decide it until the time is over, by real time. Take it again to have it for longer.',
      body: wire.ClaimBody,
      refusals: ['CONFLICT'],
      answer: oneReview,
      handle: async ({ caller, params: { customerId }, readBody, once }) =>
        once(
          async (tx, customer: Customer) =>
            wire.presentReview(await reviews.claim(tx, caller, customer, () => readBody().minutes ?? claimMinutes)),
          () => reviews.openFor(caller, customerId),
          ({ key }) => key,
        ),
    }),
    route({
      ...act('release'),
      summary: 'Give a review back',
      refusals: ['CONFLICT'],
      answer: oneReview,
      handle: async ({ caller, params: { customerId }, once }) =>
        once(
          async (tx, customer: Customer) => wire.presentReview(await reviews.release(tx, caller, customer)),
          () => reviews.openFor(caller, customerId),
          ({ key }) => key,
        ),
    }),
    route({
      ...act('decision'),
      summary: 'Decide a review',
      description:
        'Once. About a submission: APPROVE makes the customer ACTIVE, NEEDS_INFO asks for corrections, REJECT ends it. ' +
        'About a hit on a watch list: APPROVE clears it, and what had stopped goes on; REJECT confirms it, and transactions ' +
        'whose money has not left fail; ' +
        'NEEDS_INFO is not possible, because it would tell of the hit.',
      body: wire.DecideBody,
      refusals: ['CONFLICT'],
      answer: oneReview,
      handle: async ({ caller, params: { customerId }, readBody, once }) =>
        once(
          async (tx, customer: Customer) => wire.presentReview(await reviews.decide(tx, caller, customer, readBody)),
          () => reviews.openFor(caller, customerId),
          ({ key }) => key,
        ),
    }),
  ]
}
