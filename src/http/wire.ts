import Type, { type Static, type TArray, type TProperties, type TSchema } from 'typebox'
import { type RefusalCode, refusals } from '../lib/refusal.ts'
import { anyId } from './examples/story.ts'

/** Schemas that every capability shares. `title` names a schema in the OpenAPI document. */

export const Uuid = Type.String({ format: 'uuid', examples: [anyId] })

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601 in UTC',
  examples: ['2025-11-21T10:00:00.000Z'],
})

/** A string enum. */
export function oneOf<const Value extends string>(values: readonly Value[], description?: string) {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], ...(description ? { description } : {}) })
}

/** A request body. Unknown fields are refused. */
export function requestBody<Properties extends TProperties>(title: string, properties: Properties, more = {}) {
  return Type.Object(properties, { additionalProperties: false, title, ...more })
}

/** A resource in an answer. The document allows additional fields, because clients must expect new ones. */
export function resource<Properties extends TProperties>(title: string, properties: Properties, example?: object) {
  return Type.Object(properties, { title, ...(example ? { examples: [example] } : {}) })
}

/** The answer of every list: `{ <name>: [...], nextPageToken }`. */
export function pageOf<Name extends string, Item extends TSchema>(title: string, name: Name, item: Item) {
  const items = { [name]: Type.Array(item) } as Record<Name, TArray<Item>>
  return resource(title, { ...items, nextPageToken: NextPageToken })
}

/** A currency. Fiat currencies have only the label. */
export const CurrencyAnswer = resource('Currency', {
  label: Type.String({ examples: ['USDC'] }),
  chain: Type.Optional(Type.String({ description: 'The network; only for tokens', examples: ['BASE'] })),
  contractAddress: Type.Optional(
    Type.String({ description: 'Only for tokens', examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'] }),
  ),
  currencyDecimals: Type.Optional(Type.Integer({ description: 'Only for tokens', examples: [6] })),
})

export const NextPageToken = Type.String({
  description: 'Pass it as pageToken to get the next page; empty on the last page',
  examples: [''],
})

export const pageQuery = {
  pageToken: Type.Optional(
    Type.String({ description: 'nextPageToken of the previous page; empty for the first page' }),
  ),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Maximum number of items to return' }),
  ),
}

export const ErrorBody = Type.Object(
  {
    error: Type.Unsafe<RefusalCode>({
      type: 'string',
      enum: Object.keys(refusals),
      description: 'A stable code for programs. Codes may be added, so treat an unknown one by its status',
      examples: ['BAD_REQUEST'],
    }),
    message: Type.String({
      description: 'An explanation for people; its wording may change',
      examples: ['name is required'],
    }),
    statusCode: Type.Integer({ examples: [400] }),
    requestId: Type.String({
      description: 'Quote it in support requests',
      examples: ['0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'],
    }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ examples: ['name'] }),
          message: Type.String({ examples: ['is required'] }),
        }),
        { description: 'Every invalid field of the request' },
      ),
    ),
  },
  { title: 'Error' },
)

export type ErrorBody = Static<typeof ErrorBody>

/** The data of an event type: the schema of the resource as its GET shows it, and a realistic example. */
export type EventPayload = { schema: TSchema; example: object }
