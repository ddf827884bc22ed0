import type { Transaction } from '../money/transactions.ts'
import type { TestApi } from '../runner/api.ts'
import type { Books } from './books.ts'
import type { Model } from './model.ts'
import type { Person, World } from './world.ts'

/** A run in progress: the world, the model, and the books after the last command. */
export type Run = { world: World; model: Model; books: Books; orders: Transaction[] }

/** DONE: it had an effect. REFUSED: the service answered 4xx. NOTHING: there was nothing to do it with. */
export type Outcome = 'DONE' | 'REFUSED' | 'NOTHING'

/** A broken promise about money, as opposed to a broken test. */
export class Violation extends Error {
  readonly violations: readonly string[]
  constructor(violations: readonly string[]) {
    super(violations.join('\n'))
    this.violations = violations
  }
}

export async function post(api: TestApi, path: string, body: object = {}): Promise<Outcome> {
  return answered((await api.post(path, body)).status)
}

export function answered(status: number): Outcome {
  if (status >= 500) throw new Violation([`the service answered ${status}`])
  return status < 400 ? 'DONE' : 'REFUSED'
}

export function pickFrom<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % Math.max(items.length, 1)]
}

export function ownerOf({ people }: World, { customerId }: { customerId: string }): Person {
  const owner = Object.values(people).find((person) => person.customerId === customerId)
  if (!owner) throw new Error(`customer ${customerId} is unknown`)
  return owner
}
