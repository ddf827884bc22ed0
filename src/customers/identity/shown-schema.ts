import Type, { type TSchema } from 'typebox'
import { imageNames, maskedNames } from './mask.ts'
import { KybBody, KycBody } from './schema.ts'

type Keywords = {
  type?: string
  title?: string
  description?: string
  examples?: unknown[]
  enum?: unknown[]
  properties?: Record<string, TSchema>
  items?: TSchema
}

/**
 * Derives the schema of submitted data as an answer shows it: without images, and with the types alone, because masked
 * numbers break the rules of real ones.
 */
function shown(schema: TSchema): TSchema {
  const { type, title, description, examples, enum: values, properties, items } = schema as Keywords
  return {
    ...(type ? { type } : {}),
    ...(values ? { enum: values } : {}),
    ...(description ? { description } : {}),
    ...(examples ? { examples } : {}),
    ...(items ? { items: shown(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties)
              .filter(([name]) => !imageNames.has(name))
              .map(([name, property]) => [name, maskedNames.has(name) ? { ...maskedNumber } : shown(property)]),
          ),
        }
      : {}),
    ...(title ? { title: `Submitted${title}` } : {}),
  } as TSchema
}

const maskedNumber = Type.String({ description: 'Masked', examples: ['*******6788'] })

/** The submitted data of a customer, as `includeVerification=true` shows it. */
export const SubmittedData = Type.Object(
  { kycData: Type.Optional(shown(KycBody)), kybData: Type.Optional(shown(KybBody)) },
  { title: 'SubmittedData' },
)
