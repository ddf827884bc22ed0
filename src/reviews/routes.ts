import Type from 'typebox'
import { FileAnswer } from '../http/bodies/file-answer.ts'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { ReviewService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Reviews'
const params = Type.Object({ customerId: Uuid })
const documentParams = Type.Object({
  customerId: Uuid,
  n: Type.String({ description: 'The number of the document in the list of the review', examples: ['1'] }),
})
const oneReview = { status: 200, description: 'The review', schema: wire.ReviewAnswer } as const
const claimMinutes = 30
type Customer = Awaited<ReturnType<ReviewService['openFor']>>

export function reviewRoutes(reviews: ReviewService): Route[] {
  const act = (name: string) =>
    ({ method: 'POST', path: `/reviews/{customerId}/${name}`, access: 'reviews:write', tag, params }) as const
  return [
    route({
      method: 'GET',
      path: '/reviews',
      access: 'reviews:read',
      tag,
      summary: 'List reviews',
      description:
        'Lists open reviews, oldest first, including those of child organizations. Set `status` to list decided ones.',
      query: wire.ReviewQuery,
      answer: { status: 200, description: 'One page', schema: wire.ReviewPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await reviews.list(caller, query)
        return { reviews: items.map(wire.presentReview), nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/reviews/{customerId}',
      access: 'reviews:read',
      tag,
      params,
      summary: 'Read the review of a customer',
      description:
        'Returns the open review, or else the latest one, with the recorded reasons of earlier acts on the customer ' +
        "and a list of the customer's documents. The audit log records that these reasons were read.",
      answer: oneReview,
      handle: async ({ caller, params: { customerId } }) =>
        wire.presentWholeReview(await reviews.read(caller, customerId)),
    }),
    route({
      method: 'GET',
      path: '/reviews/{customerId}/documents/{n}',
      access: 'reviews:documents',
      tag,
      params: documentParams,
      summary: 'Look at a document',
      description:
        'Returns the file, with your API key and the time written all over it. The audit log records the read. ' +
        'The answer must not be cached, and is for the eyes of the reviewer only.',
      refusals: ['CUSTOMER_ERASED'],
      answer: {
        status: 200,
        description: 'The document',
        schema: wire.DocumentFile,
        fileTypes: wire.documentTypes,
      },
      handle: async ({ caller, params: { customerId, n } }) => {
        const { mediaType, name, bytes } = await reviews.readDocument(caller, customerId, n)
        return new FileAnswer(mediaType, name, bytes)
      },
    }),
    route({
      ...act('claim'),
      summary: 'Claim a review',
      description:
        'Only the caller can decide the review until the claim expires, in real time; the operator of the service ' +
        'passes over it. Claim the review again to extend the claim. A match is claimed by who may clear it.',
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
      summary: 'Release a review',
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
        'A review is decided once. For a submission, APPROVE makes the customer ACTIVE, NEEDS_INFO asks the customer ' +
        'for corrections, and REJECT rejects the customer. For a watch-list match, APPROVE clears it and resumes ' +
        'the blocked transactions; REJECT confirms it and fails the transactions whose money has not left. ' +
        'NEEDS_INFO is refused for a match, because it would reveal the match to the customer. In production the ' +
        'operator of the service decides, unless your organization may, and then a match is cleared by a key that the ' +
        "operator marked as a reviewer's.",
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
