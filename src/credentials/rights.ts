import { type IpRange, intersectRanges, isWithin, parseIpRange } from '../lib/addresses/ip-range.ts'
import type { Scope } from '../lib/caller.ts'
import { badField } from '../lib/refusal.ts'

/** The rights of a key: its scopes, its end, its addresses and its mark. Null means without end, and from any address. */
export type KeyRights = {
  scopes: readonly Scope[]
  expiresAt: Date | null
  allowedIps: readonly string[] | null
  /** The mark of a reviewer, which only the operator gives. */
  isReviewer: boolean
}

/** Tells whether a key with the first rights could have created one with the second. */
export function includesRights(own: KeyRights, others: KeyRights): boolean {
  if (others.isReviewer && !own.isReviewer) return false
  const hasScopes = others.scopes.every((scope) => own.scopes.includes(scope))
  const endsFirst = own.expiresAt === null || (others.expiresAt !== null && others.expiresAt <= own.expiresAt)
  return hasScopes && endsFirst && includesAddresses(own.allowedIps, others.allowedIps)
}

/** The earlier of two ends. */
export function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

/** The addresses that both lists allow. */
export function commonAddresses(some: KeyRights['allowedIps'], others: KeyRights['allowedIps']): string[] | null {
  if (some === null) return others && [...others]
  if (others === null) return [...some]
  return intersectRanges(readRanges(some), readRanges(others)).map(({ text }) => text)
}

/** Reads stored ranges. An unreadable one, which only a hand could have stored, allows nothing. */
export function readRanges(texts: readonly string[]): IpRange[] {
  return texts.map(parseIpRange).filter((range) => range !== undefined)
}

function includesAddresses(own: KeyRights['allowedIps'], others: KeyRights['allowedIps']): boolean {
  if (own === null) return true
  const outer = readRanges(own)
  return others !== null && readRanges(others).every((range) => outer.some((each) => isWithin(range, each)))
}

const mostRanges = 100

/** Refuses addresses that a key cannot have: none in common with the key that creates it, or too many. */
export function requireAddresses(common: string[] | null): string[] | null {
  if (common?.length === 0) throw badField('allowedIps', 'must have an address in common with those of your own key')
  if (common && common.length > mostRanges)
    throw badField('allowedIps', `has more than ${mostRanges} ranges in common with your own key; send fewer`)
  return common
}
