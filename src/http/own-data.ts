import Type from 'typebox'
import { type Metadata, mostPairs } from '../lib/resources/own-data.ts'

const externalIdText = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  examples: ['order-1234'],
}
const pairs = (value: object) => ({
  type: 'object',
  maxProperties: mostPairs,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: value,
})
const pairValue = { type: 'string', maxLength: 500 }
const pairsDescription =
  `Up to ${mostPairs} pairs of your own, with names of up to 40 and values of up to 500 characters. ` +
  'Svc does not read them, and erases them with the customer'

/** Own data in the body of a POST. */
export const newOwnData = {
  externalId: Type.Optional(
    Type.Unsafe<string>({ ...externalIdText, description: 'Your own id, used once per organization and resource' }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Metadata>({ ...pairs(pairValue), description: pairsDescription, examples: [{ team: 'north' }] }),
  ),
}

/** Own data in the body of a PATCH: null clears. */
export const changedOwnData = {
  externalId: Type.Optional(
    Type.Unsafe<string | null>({ ...externalIdText, type: ['string', 'null'], description: 'null clears it' }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string | null> | null>({
      ...pairs({ ...pairValue, type: ['string', 'null'] }),
      type: ['object', 'null'],
      description: 'Merged with the stored pairs: null clears one pair, or all of them',
      examples: [{ team: 'north' }],
    }),
  ),
}

/** Own data in the body of a PUT: left out, it stays; null clears it. */
export const replacedOwnData = {
  externalId: changedOwnData.externalId,
  metadata: Type.Optional(
    Type.Unsafe<Metadata | null>({
      ...pairs(pairValue),
      type: ['object', 'null'],
      description: 'Replaces all pairs; null clears them, and they stay if you leave it out',
      examples: [{ team: 'north' }],
    }),
  ),
}

/** Own data in an answer. */
export const shownExternalId = {
  externalId: Type.Optional(Type.String({ description: 'Your own id, if you set one', examples: ['order-1234'] })),
}
export const shownMetadata = {
  metadata: Type.Optional(
    Type.Unsafe<Metadata>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Your own pairs, if you set any. Events and the answers to acts leave them out',
      examples: [{ team: 'north' }],
    }),
  ),
}
export const shownOwnData = { ...shownExternalId, ...shownMetadata }

/** The filter of a list. */
export const externalIdQuery = {
  externalId: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only the one with this id' })),
}
