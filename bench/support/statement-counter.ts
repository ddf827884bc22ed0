import pg from 'pg'

export type StatementCount = { name: string; calls: number; milliseconds: number }

/** Counts the statements of this process by their names, and the time until each was answered. */
export function countStatements() {
  const counted = new Map<string, { calls: number; milliseconds: number }>()
  const original = pg.Client.prototype.query as (...args: unknown[]) => unknown
  const counting = function (this: pg.Client, ...args: unknown[]): unknown {
    const [statement] = args as [string | { name?: string; text?: string }]
    const text = typeof statement === 'string' ? statement : (statement.name ?? statement.text ?? '')
    const count = counted.get(text) ?? { calls: 0, milliseconds: 0 }
    counted.set(text, count)
    const since = performance.now()
    const answer = original.apply(this, args)
    const end = () => {
      count.calls += 1
      count.milliseconds += performance.now() - since
    }
    if (answer instanceof Promise) answer.then(end, end)
    else end()
    return answer
  }
  pg.Client.prototype.query = counting as typeof pg.Client.prototype.query
  return {
    reset: () => counted.clear(),
    read: (): StatementCount[] =>
      [...counted].map(([name, count]) => ({ name, ...count })).sort((one, other) => other.calls - one.calls),
  }
}
