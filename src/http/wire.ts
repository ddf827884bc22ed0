import Type, { type Static, type TProperties, type TSchema } from 'typebox'

/** Schemas that every capability shares. `title` names a schema in the OpenAPI document. */

export const Uuid = Type.String({ format: 'uuid', examples: ['0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'] })

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601 in UTC',
  examples: ['2025-11-21T10:00:00.000Z'],
})

/** One of a closed list of words; shown as an enum in the document. */
export function oneOf<const Value extends string>(values: readonly Value[], description?: string) {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], ...(description ? { description } : {}) })
}

/** A request body: what it does not name is refused. */
export function requestBody<Properties extends TProperties>(title: string, properties: Properties, more = {}) {
  return Type.Object(properties, { additionalProperties: false, title, ...more })
}

/** A resource in an answer. Clients must expect new fields, so the document leaves them open. */
export function resource<Properties extends TProperties>(title: string, properties: Properties) {
  return Type.Object(properties, { title })
}

/** `{ <name>: [...], nextPageToken }`, as every list answers. */
export function pageOf<Item extends TSchema>(title: string, name: string, item: Item) {
  return resource(title, { [name]: Type.Array(item), nextPageToken: NextPageToken })
}

/** Of fiat the label alone. */
export const CurrencyAnswer = resource('Currency', {
  label: Type.String({ examples: ['USDC'] }),
  chain: Type.Optional(Type.String({ description: 'The network; of a token only', examples: ['BASE'] })),
  contractAddress: Type.Optional(
    Type.String({ description: 'Of a token only', examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'] }),
  ),
  currencyDecimals: Type.Optional(Type.Integer({ description: 'Of a token only', examples: [6] })),
})

const NextPageToken = Type.String({
  description: 'Pass it as pageToken to get the next page; empty on the last page',
  examples: [''],
})

export const pageQuery = {
  pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the page before; empty for the first page' })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'How many to return' })),
}

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A stable code to act on', examples: ['BAD_REQUEST'] }),
    message: Type.String({ description: 'For people; may change', examples: ['name is required'] }),
    statusCode: Type.Integer({ examples: [400] }),
    requestId: Type.String({
      description: 'Quote it when you ask for help',
      examples: ['0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'],
    }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ examples: ['name'] }),
          message: Type.String({ examples: ['is required'] }),
        }),
        { description: 'Every failing field of a request that did not validate' },
      ),
    ),
  },
  { title: 'Error' },
)

export type ErrorBody = Static<typeof ErrorBody>

/** What the data of a type of event looks like: the resource as its GET shows it, and one that could be real. */
export type EventPayload = { schema: TSchema; example: object }
