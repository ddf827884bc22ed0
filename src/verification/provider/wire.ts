import Type from 'typebox'
import { resource, Uuid } from '../../http/wire.ts'

/** A provider may tell more than this: it is asked all the same. */
export const VerificationCallback = Type.Object(
  { reference: Type.String({ ...Uuid, description: 'Of the submission that has an answer' }) },
  { title: 'VerificationCallback' },
)

export const CallbackReceived = resource('CallbackReceived', { received: Type.Literal(true) })
