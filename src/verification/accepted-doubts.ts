import { createHmac } from 'node:crypto'
import type { Profile } from '../customers/customer.ts'
import type { Identity } from '../customers/identity/identity.ts'
import type { Finding } from './submission.ts'

type Data = { customerId: string; identity: Identity; profile: Profile | undefined }

/**
 * Hashes a doubt together with the data that it is about. A reviewer who settles a doubt settles it for this data: the
 * same doubt about other data is a new one. The hash is keyed, because the data may be guessed.
 */
export function hashDoubt(key: Buffer, { customerId, identity, profile }: Data, { code, field }: Finding): Buffer {
  const content = field === undefined ? { identity, profile } : contentOf(identity, field)
  return createHmac('sha256', key)
    .update(stableText([customerId, code, field, content]))
    .digest()
}

const personFields = ['legalFirstName', 'legalMiddleName', 'legalLastName', 'dateOfBirth']

/**
 * The value at a path, and its companions: highRiskActivities has highRiskActivitiesExplanation. A doubt about a person
 * is settled for this person: another one at the same place is doubted anew.
 */
function contentOf(identity: Identity, field: string): unknown {
  const place = /^(?:kycData|kybData\.associatedPersons\[\d+\])(?=\.)/.exec(field)?.[0]
  const person = place === undefined ? undefined : valueAt(identity, place)
  const who = personFields.map((name) => stepInto(person, name) ?? null)
  return [valueAndCompanions(identity, field), ...(person === undefined ? [] : [who])]
}

function valueAt(identity: Identity, field: string): unknown {
  return stepsOf(field).reduce<unknown>(stepInto, identity)
}

function stepsOf(field: string): string[] {
  return field.split(/[.[\]]+/).filter(Boolean)
}

function valueAndCompanions(identity: Identity, field: string): unknown {
  const steps = stepsOf(field)
  const name = steps.at(-1) ?? ''
  const parent = steps.slice(0, -1).reduce<unknown>(stepInto, identity)
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) return stepInto(parent, name)
  return Object.fromEntries(Object.entries(parent).filter(([each]) => each.startsWith(name)))
}

function stepInto(inside: unknown, step: string): unknown {
  return typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[step] : undefined
}

/** JSON with sorted names: a patch may store the same data in another order. */
function stableText(value: unknown): string {
  return JSON.stringify(value, (_name, inside) =>
    typeof inside === 'object' && inside !== null && !Array.isArray(inside)
      ? Object.fromEntries(Object.entries(inside).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inside,
  )
}
