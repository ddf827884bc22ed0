import { createHmac } from 'node:crypto'
import type { StoredProfile } from './present.ts'

/** Prefixes of a name that can be searched. Shorter ones would match too many customers. */
export const shortestPrefix = 3
export const longestPrefix = 24

/** A search for customers by sealed data: by one of these. */
export type CustomerSearch = { email?: string; name?: string; namePrefix?: string }

const hashLength = 12

/**
 * Hashes the texts by which a customer can be found: email, whole name, and each prefix of the name. The key and the
 * organization are part of each hash, so that a copy of the table can neither be guessed nor compared between
 * organizations.
 */
export function searchHashes(key: Buffer, organizationId: string, { email, name }: SearchedProfile): Buffer[] {
  const plain = [...plainName(name)]
  const texts = [`email|${plainEmail(email)}`, `name|${plain.join('')}`]
  for (let length = shortestPrefix; length <= Math.min(longestPrefix, plain.length); length++) {
    texts.push(`prefix|${plain.slice(0, length).join('')}`)
  }
  return texts.map((text) => hash(key, organizationId, text))
}

type SearchedProfile = Pick<StoredProfile, 'email' | 'name'>

/** Hashes each text of a search. A customer must have all of them. */
export function wantedHashes(key: Buffer, organizationId: string, search: CustomerSearch): Buffer[] {
  const texts = [
    ...(search.email === undefined ? [] : [`email|${plainEmail(search.email)}`]),
    ...(search.name === undefined ? [] : [`name|${plainName(search.name)}`]),
    ...(search.namePrefix === undefined ? [] : [`prefix|${plainName(search.namePrefix)}`]),
  ]
  return texts.map((text) => hash(key, organizationId, text))
}

/** The number of characters of a prefix that count. */
export function prefixLength(prefix: string): number {
  return [...plainName(prefix)].length
}

function hash(key: Buffer, organizationId: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${organizationId}|${text}`).digest().subarray(0, hashLength)
}

function plainEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Writes a name without case, accents and punctuation, so that "O’Neil, Zoë" is found as "o neil zoe". */
function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
