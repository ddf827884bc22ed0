/** Things that wait, of several organizations. Each organization takes one turn after the other. */
export type Turns<Waiting> = {
  add(organizationId: string, waiting: Waiting): void
  /** Takes the oldest thing of the next organization that `mayStart` accepts; undefined when it accepts none. */
  next(
    mayStart: (organizationId: string, oldest: Waiting) => boolean,
  ): { organizationId: string; taken: Waiting } | undefined
  /** Takes everything. */
  empty(): Waiting[]
}

/** A backlog of one organization delays another by one turn, regardless of its length. */
export function createTurns<Waiting>(): Turns<Waiting> {
  // In the order of turns: an organization that has had its turn goes to the end.
  const lines = new Map<string, Waiting[]>()
  return {
    add: (organizationId, waiting) => {
      const line = lines.get(organizationId)
      if (line) line.push(waiting)
      else lines.set(organizationId, [waiting])
    },
    next: (mayStart) => {
      for (const [organizationId, line] of lines) {
        const [oldest] = line as [Waiting]
        if (!mayStart(organizationId, oldest)) continue
        line.shift()
        lines.delete(organizationId)
        if (line.length > 0) lines.set(organizationId, line)
        return { organizationId, taken: oldest }
      }
      return undefined
    },
    empty: () => {
      const all = [...lines.values()].flat()
      lines.clear()
      return all
    },
  }
}

/** Counts what each organization uses, and forgets those that use nothing. */
export function createUse() {
  const used = new Map<string, number>()
  return {
    of: (organizationId: string): number => used.get(organizationId) ?? 0,
    add: (organizationId: string, amount: number): void => {
      const now = (used.get(organizationId) ?? 0) + amount
      if (now === 0) used.delete(organizationId)
      else used.set(organizationId, now)
    },
  }
}
