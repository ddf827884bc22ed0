import Type from 'typebox'
import { resource, Uuid } from '../../http/wire.ts'

/** A callback may hold more fields. They are ignored: the worker polls the provider for the answer. */
export const VerificationCallback = Type.Object(
  { reference: Type.String({ ...Uuid, description: 'The reference under which Svc sent the submission' }) },
  { title: 'VerificationCallback' },
)

export const CallbackReceived = resource('CallbackReceived', { received: Type.Literal(true) })
