import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import type { Attempt, PayoutOrder, Rail } from '../../../src/transactions/payouts/rail.ts'
import { first } from '../runner/first.ts'

/** A world in which a rail runs. */
export type RailWorld = {
  rail: Rail
  /** An order that the rail would pay. */
  makeOrder(): Omit<PayoutOrder, 'reference' | 'shortReference' | 'notAfter'>
  now(): Promise<Date>
  /** Lets business time pass. */
  pass(seconds: number): Promise<unknown>
  /** Counts the payments that really left for a reference. */
  countPayments(reference: string): Promise<number>
}

let references = 0
/** A reference of 15 characters, as svc.short_reference makes them. */
function nextReference(): string {
  references += 1
  return `R${String(references).padStart(14, '0')}`
}

const call = () => ({ signal: new AbortController().signal })

/** The promises that every rail keeps, which the worker's rules rely on. */
export function testRail(name: string, enter: () => RailWorld): void {
  async function prepare({ rail, makeOrder, now }: RailWorld, validSeconds = 600) {
    const notAfter = new Date((await now()).getTime() + validSeconds * 1_000)
    const order: PayoutOrder = { ...makeOrder(), reference: newId(), shortReference: nextReference(), notAfter }
    const { batches, declined } = await rail.prepare([order], call())
    expect(declined).toEqual([])
    const batch = first(batches)
    const { content, ...committed } = batch
    const attempt: Attempt = {
      ...first(batch.items),
      ...committed,
      rail: rail.name,
      attempt: 1,
      content: async () => content,
    }
    const { destination: _, originator: __, memo: ___, notAfter: ____, ...facts } = order
    return { order, batch, ask: (attempts = [attempt]) => rail.ask(facts, attempts, call()) }
  }

  test(`${name}: preparing an order pays nothing, and names every order once`, async () => {
    const world = enter()
    const { order, batch, ask } = await prepare(world)
    expect(batch.items.map(({ reference }) => reference)).toEqual([order.reference])
    expect(batch.notAfter.getTime()).toBeLessThanOrEqual(order.notAfter.getTime())
    expect(await ask()).toMatchObject({ state: 'NOT_KNOWN' })
    expect(await world.countPayments(order.reference)).toBe(0)
  })

  test(`${name}: the same bytes submitted twice pay once, and the rail tells the amount`, async () => {
    const world = enter()
    const { order, batch, ask } = await prepare(world)
    for (let times = 0; times < 2; times += 1) {
      const [outcome] = await world.rail.submit(batch, call())
      expect(outcome).toMatchObject({ outcome: 'ACCEPTED' })
    }
    await world.pass(3_600)
    expect(await ask()).toMatchObject({ state: 'CONFIRMED', amount: order.amount, returns: [] })
    expect(await world.countPayments(order.reference)).toBe(1)
  })

  test(`${name}: an order that never left is dead once it has expired, and not before`, async () => {
    const world = enter()
    const { order, ask } = await prepare(world, 60)
    expect(await ask()).toMatchObject({ state: 'NOT_KNOWN' })
    await world.pass(3_600)
    expect(await ask()).toMatchObject({ state: 'DEAD', proof: expect.stringMatching(/./) })
    expect(await world.countPayments(order.reference)).toBe(0)
  })

  test(`${name}: an order that is submitted after it has expired is not paid`, async () => {
    const world = enter()
    const { order, batch, ask } = await prepare(world, 60)
    await world.pass(3_600)
    const outcomes = await world.rail.submit(batch, call()).catch(() => [])
    expect(outcomes.map(({ outcome }) => outcome)).not.toContain('ACCEPTED')
    expect(await ask()).toMatchObject({ state: 'DEAD' })
    expect(await world.countPayments(order.reference)).toBe(0)
  })

  test(`${name}: a worker that waits no longer sends nothing`, async () => {
    const world = enter()
    const { order, batch } = await prepare(world)
    await expect(world.rail.submit(batch, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(await world.countPayments(order.reference)).toBe(0)
  })
}
