import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import { Refusal } from '../../lib/refusal.ts'

/** Who releases money that a match blocks: the persons who clear matches. */
export type MatchAuthority = {
  /** The organizations whose money the caller may release. */
  organizationIdsOf(caller: Caller): Promise<readonly string[]>
  /** `within`: the open database transaction, which must not wait for a second connection. */
  mayClear(caller: Caller, organizationId: string, within?: Queryable): Promise<boolean>
}

/** Refuses a caller who may not decide: about money of a match by authority, about other money by scope. */
export async function requireAuthority(
  authority: MatchAuthority,
  caller: Caller,
  { organizationId, isMatch, within }: { organizationId: string; isMatch: boolean; within?: Queryable },
): Promise<void> {
  if (!isMatch) return requireScope(caller, 'transactions:write')
  requireScope(caller, 'reviews:write')
  if (await authority.mayClear(caller, organizationId, within)) return
  throw new Refusal(
    'FORBIDDEN',
    "A match blocks this money: a reviewer's key releases it, or the operator of Svc where reviews are the operator's",
  )
}

export function requireScope({ scopes }: Caller, scope: 'transactions:write' | 'reviews:write'): void {
  if (!scopes.has(scope)) throw new Refusal('FORBIDDEN', `This credential lacks the scope ${scope}`)
}
