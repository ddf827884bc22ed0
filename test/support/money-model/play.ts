import { expect } from 'vitest'
import { advance } from '../money/transactions.ts'
import { readBooks } from './books.ts'
import { actOn, decideDeposit, decideTransaction, disburse, operate, settleByHand } from './decisions.ts'
import { findViolations, type Model } from './model.ts'
import { arrive, convert, decideQuarantined, payIn, placeOrder, reportAgain } from './orders.ts'
import { canMove, movePayment } from './rail.ts'
import { answered, type Outcome, ownerOf, pickFrom, post, type Run, Violation } from './run.ts'
import type { Job, Wish } from './wishes.ts'
import { names, type World } from './world.ts'

type Kind = Wish['do']
type Player<Type extends Kind> = (run: Run, wish: Extract<Wish, { do: Type }>) => Promise<Outcome>

export async function startRun(world: World): Promise<Run> {
  const model: Model = { arrivals: [] }
  const books = await readBooks(world.api.app.database, world.organizationIds, world.prefix)
  const run: Run = { world, model, books, orders: [] }
  for (const who of names) await play(run, { do: 'top up', who, to: 'wallet', amount: '200.00' })
  await play(run, { do: 'work', job: 'deposits', answers: ['settle'] })
  return run
}

/** Plays one command and checks everything that must hold after it. */
export async function play(run: Run, wish: Wish): Promise<Outcome> {
  const before = run.books
  const outcome = await (players[wish.do] as Player<Kind>)(run, wish).catch((error: unknown) => {
    const logged = run.world.api.logs.filter((line) => line.includes('"err"')).at(-1)
    throw error instanceof Violation ? new Violation([...error.violations, logged ?? '']) : error
  })
  run.books = await readBooks(run.world.api.app.database, run.world.organizationIds, run.world.prefix)
  const violations = findViolations(run.model, run.world, run.books)
  if (violations.length > 0) throw new Violation(violations)
  if (outcome === 'REFUSED') expect(run.books, 'a refused request changes nothing').toEqual(before)
  return outcome
}

const players: { readonly [Type in Kind]: Player<Type> } = {
  order: placeOrder,
  cancel: async ({ world, books }, { pick }) => {
    const transaction = pickFrom(books.transactions, pick)
    if (!transaction) return 'NOTHING'
    return post(ownerOf(world, transaction).api, `/transactions/${transaction.transactionId}/cancel`)
  },
  'pay in': payIn,
  'report again': reportAgain,
  'decide quarantined': decideQuarantined,
  disburse,
  convert,
  'send stray': (run, { who, amount }) => {
    const person = run.world.people[who]
    return arrive(run, person, person.accounts.bank, { amount, currency: person.currency, rail: person.rails.bank })
  },
  'top up': (run, { who, to, amount }) => {
    const person = run.world.people[who]
    return arrive(run, person, person.accounts[to], { amount, currency: 'USDC', chain: 'BASE' })
  },
  delete: async ({ world }, { who, account }) => {
    const { api, accounts } = world.people[who]
    return answered((await api.delete(`/payment-accounts/${accounts[account]}`)).status)
  },
  wait: async ({ world }, { duration }) => {
    await advance(world.api, duration)
    return 'DONE'
  },
  customer: ({ world }, { who, act }) => actOn(world.people[who], act),
  operate,
  'decide deposit': (run, { pick, action, ...decision }) =>
    decideDeposit(run, pickFrom(run.books.deposits, pick), action, decision),
  'decide transaction': (run, { pick, action, ...decision }) =>
    decideTransaction(run, pickFrom(run.books.transactions, pick), action, decision),
  fund: async ({ world }, { who, what, amount }) => {
    const { organizationId, currency, holdings } = world.people[who]
    const funded = [
      ...(what === 'bank' || what === 'everything' ? [{ holding: holdings.bank, asset: currency }] : []),
      ...(what === 'otherBank' || what === 'everything' ? [{ holding: holdings.otherBank, asset: currency }] : []),
      ...(what === 'treasury' || what === 'everything' ? [{ holding: 'TREASURY', asset: 'USDC/BASE' }] : []),
    ]
    const sum = { organizationId, amount, reason: 'a test' }
    for (const each of funded) await world.api.app.treasury.fund({ ...sum, ...each })
    return 'DONE'
  },
  work: async ({ world }, { job, answers }) => {
    world.rail.answerWith(answers)
    await work(world, job)
    return 'DONE'
  },
  rail: async ({ world }, { pick, event }) => {
    const payment = pickFrom(
      world.rail.payments().filter((each) => canMove(each, event)),
      pick,
    )
    if (payment) movePayment(payment, event)
    return payment ? 'DONE' : 'NOTHING'
  },
  'settle by hand': settleByHand,
  verify: async ({ world }) => {
    await expectOwnVerified(world)
    return 'DONE'
  },
}

/** Runs one batch of the jobs, as a worker does. */
export async function work({ api, hands }: World, job: Job): Promise<number> {
  let done = 0
  if (job === 'all' || job === 'deposits') done += (await hands.receive()) + (await hands.release())
  if (job === 'all' || job === 'transactions') done += await hands.advanceAll()
  if (job === 'all' || job === 'payouts') done += await hands.payOut()
  if (job === 'fold') await api.app.ledger.fold()
  return done
}

/** The checks of the service find nothing in the organizations of this world. */
export async function expectOwnVerified({ api, organizationIds }: World): Promise<void> {
  const { checks } = await api.app.verify()
  const isOwn = (violation: string) => organizationIds.some((id) => violation.includes(id))
  const violations = checks.flatMap(({ name, violations }) =>
    violations.filter(isOwn).map((each) => `${name}: ${each}`),
  )
  const unchecked = checks.filter(({ state }) => state === 'NOT_CHECKED').map(({ name, error }) => `${name}: ${error}`)
  if (violations.length + unchecked.length > 0) throw new Violation([...violations, ...unchecked])
}
