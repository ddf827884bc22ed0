/** A move of a state table. `from` is also the guard of the SQL update that makes the move. */
export type Move<Status extends string> = { readonly from: readonly Status[]; readonly to: Status }

/** A complete state table: `export const moves = { … } as const satisfies Transitions<Status>`. */
export type Transitions<Status extends string> = Readonly<Record<string, Move<Status>>>

// NoInfer lets only the table define names and statuses, so that a misspelt one does not compile.

export function canMove<Name extends string, Status extends string>(
  moves: Readonly<Record<Name, Move<Status>>>,
  name: NoInfer<Name>,
  status: NoInfer<Status>,
): boolean {
  return moves[name].from.includes(status)
}

/** Lists the moves that this status allows, in the order of the table. A final status has none. */
export function movesFrom<Name extends string, Status extends string>(
  moves: Readonly<Record<Name, Move<Status>>>,
  status: NoInfer<Status>,
): Name[] {
  const names = Object.keys(moves) as Name[]
  return names.filter((name) => moves[name].from.includes(status))
}
