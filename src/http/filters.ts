import Type from 'typebox'

/** The filters that lists share, with the same words everywhere. */

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const createdQuery = {
  createdFrom: time('Only those created at this time or later'),
  createdTo: time('Only those created before this time'),
}

export const updatedQuery = {
  updatedFrom: time('Only those changed at this time or later'),
  updatedTo: time('Only those changed before this time'),
}

const amount = (description: string) =>
  Type.Optional(Type.String({ maxLength: 200, description, examples: ['100.00'] }))

export const amountQuery = {
  currency: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 16,
      description: 'Only amounts in this currency; required for an amount range',
      examples: ['USD'],
    }),
  ),
  amountFrom: amount('Only amounts of at least this much of `currency`'),
  amountTo: amount('Only amounts of at most this much of `currency`'),
}
