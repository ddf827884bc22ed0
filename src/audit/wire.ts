import Type, { type Static } from 'typebox'
import { pageOf, pageQuery, resource, Timestamp, Uuid } from '../http/wire.ts'
import { badField } from '../lib/refusal.ts'
import type { Entry, EntryFilter } from './entry.ts'

const actorExample = 'api_key:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'
const actExample = 'webhook.changed'

export const AuditEntry = resource('AuditEntry', {
  auditId: Uuid,
  organizationId: Uuid,
  at: { ...Timestamp, description: 'Real time in ISO 8601 in UTC, also where the sandbox clock was moved' },
  actor: Type.String({
    description:
      'Who acted: `api_key:<id>`, `operator`, `command line`, `hosted form` or `worker`. Only the platform sees `operator:<name>`',
    examples: [actorExample],
  }),
  act: Type.String({ description: 'What was done', examples: [actExample] }),
  subjectId: Type.String({
    description: 'The id of what it was done to',
    examples: ['0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'],
  }),
  sourceAddress: Type.Optional(
    Type.String({
      description: 'The IP address of the request. Absent for a command or a worker',
      examples: ['203.0.113.7'],
    }),
  ),
  details: Type.Object(
    {},
    { description: 'More about the act; of a change, the old and the new values', additionalProperties: true },
  ),
})

export const AuditPage = pageOf('AuditPage', 'entries', AuditEntry)

export const AuditQuery = Type.Object(
  {
    ...pageQuery,
    actor: Type.Optional(
      Type.String({
        pattern: '^(?:api_key:[0-9a-fA-F-]{36}|operator:[a-z0-9][a-z0-9._-]{0,39}|command line|hosted form|worker)$',
        description:
          'Only acts of this actor: api_key:<id>, command line, hosted form or worker; for the platform also operator:<name>',
        examples: [actorExample],
      }),
    ),
    act: Type.Optional(
      Type.String({
        pattern: '^[a-z_]{1,40}\\.[a-z_]{1,40}$',
        description: 'Only this act, such as webhook.changed',
        examples: [actExample],
      }),
    ),
    from: Type.Optional({ ...Timestamp, description: 'Only acts from this moment on, in ISO 8601' }),
    to: Type.Optional({ ...Timestamp, description: 'Only acts before this moment, in ISO 8601' }),
  },
  { additionalProperties: false },
)

export function readFilter({ actor, act, from, to }: Static<typeof AuditQuery>): EntryFilter {
  return {
    ...(actor === undefined ? {} : { actor: actor.toLowerCase() }),
    ...(act === undefined ? {} : { action: act }),
    ...(from === undefined ? {} : { from: readMoment('from', from) }),
    ...(to === undefined ? {} : { to: readMoment('to', to) }),
  }
}

function readMoment(field: string, text: string): Date {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) throw badField(field, 'must be a moment such as 2025-11-21T10:00:00Z')
  return moment
}

export function presentEntry({ at, action, sourceAddress, ...entry }: Entry) {
  const { auditId, organizationId, actor, subjectId, details } = entry
  return {
    auditId,
    organizationId,
    at: new Date(at).toISOString(),
    actor,
    act: action,
    subjectId,
    ...(sourceAddress === null ? {} : { sourceAddress }),
    details,
  }
}
