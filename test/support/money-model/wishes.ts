import fc from 'fast-check'
import { type RailEvent, railEvents, type SendAnswer } from './rail.ts'
import { type AccountName, accountNames, type Name, names } from './world.ts'

export const routes = [
  'bank to wallet',
  'wallet to bank',
  'bank to bank',
  'wallet to external',
  'external to bank',
] as const
export type Route = (typeof routes)[number]
export const customerActs = ['block', 'clear', 'reject match', 'deactivate', 'reactivate', 'reject'] as const
export type CustomerAct = (typeof customerActs)[number]
export const jobs = ['all', 'deposits', 'transactions', 'payouts', 'fold'] as const
export type Job = (typeof jobs)[number]
export type DepositAction = 'RETURN' | 'CREDIT' | 'APPLY'
export type TransactionAction = 'REJECT' | 'REFUND' | 'CREDIT' | 'PAY_AGAIN'

/**
 * One command as plain data, so that a story can be written down. A number picks one of the existing transactions,
 * deposits or payments, oldest first, beginning again after the last.
 */
export type Wish =
  | { do: 'order'; who: Name; route: Route; amount: string; hasFee?: boolean }
  | { do: 'cancel'; pick: number }
  | { do: 'pay in'; pick: number; how: 'exact' | 'short' | 'excess' | 'other asset' | 'other rail' }
  | { do: 'report again'; pick: number; isChanged?: boolean }
  | { do: 'decide quarantined'; pick: number; action: 'accept' | 'dismiss' }
  | { do: 'disburse'; who: Name; from: 'returned funds' | 'wallet' | 'spare'; to: AccountName }
  | { do: 'convert'; who: Name; to: 'wallet' | 'otherBank'; part: 'all' | 'half' }
  | { do: 'send stray'; who: Name; amount: string }
  | { do: 'top up'; who: Name; to: 'wallet' | 'spare'; amount: string }
  | { do: 'delete'; who: Name; account: AccountName }
  | { do: 'wait'; duration: string }
  | { do: 'customer'; who: Name; act: CustomerAct }
  | { do: 'operate'; pick: number; choice: number; to?: AccountName | undefined; order: number }
  | { do: 'decide deposit'; pick: number; action: DepositAction; to?: AccountName | undefined; order: number }
  | { do: 'decide transaction'; pick: number; action: TransactionAction; to?: AccountName | undefined }
  | { do: 'fund'; who: Name; what: 'bank' | 'otherBank' | 'treasury' | 'everything'; amount: string }
  | { do: 'work'; job: Job; answers: SendAnswer[] }
  | { do: 'rail'; pick: number; event: RailEvent }
  | { do: 'settle by hand'; pick: number }
  | { do: 'verify' }

const pick = fc.nat({ max: 3 })
/** Mostly one customer, so that her payments meet. */
const who = fc.constantFrom(...names, 'ann' as const, 'ann' as const, 'ann' as const)
/** Few amounts, so that one covers another. */
const amount = fc.constantFrom('20.00', '20.00', '50.00', '100.00')
const to = fc.option(fc.constantFrom(...accountNames), { nil: undefined, freq: 1 })
const answer = fc.oneof(
  { weight: 3, arbitrary: fc.constant('settle' as const) },
  { weight: 3, arbitrary: fc.constant('refuse' as const) },
  { weight: 1, arbitrary: fc.constantFrom('accept' as const, 'lose reply' as const) },
  { weight: 1, arbitrary: fc.constantFrom('lose request' as const, 'fail' as const) },
)

const work = fc.record({
  do: fc.constant('work' as const),
  job: fc.constantFrom('all', 'all', 'all', 'all', 'all', 'all', 'all', ...jobs),
  answers: fc.oneof(
    { weight: 3, arbitrary: fc.array(answer, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(answer, { minLength: 2, maxLength: 3 }) },
  ),
})

const weighted: readonly { weight: number; arbitrary: fc.Arbitrary<Wish> }[] = [
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      who,
      route: fc.constantFrom(...routes, 'bank to wallet' as const, 'bank to wallet' as const),
      amount,
      hasFee: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('pay in' as const),
      pick,
      how: fc.constantFrom('exact', 'exact', 'exact', 'exact', 'short', 'excess', 'other asset', 'other rail'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('report again' as const), pick, isChanged: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('decide quarantined' as const),
      pick,
      action: fc.constantFrom('accept' as const, 'dismiss' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('disburse' as const),
      who,
      from: fc.constantFrom('returned funds' as const, 'returned funds' as const, 'wallet' as const, 'spare' as const),
      to: fc.constantFrom(...accountNames, 'bank' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('convert' as const),
      who,
      to: fc.constantFrom('wallet' as const, 'otherBank' as const),
      part: fc.constantFrom('all' as const, 'half' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('send stray' as const), who, amount }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('top up' as const),
      who,
      to: fc.constantFrom('wallet' as const, 'wallet' as const, 'spare' as const),
      amount,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      who,
      account: fc.constantFrom(...accountNames, 'spare' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      duration: fc.constantFrom('PT1M', 'PT10M', 'PT2H', 'P1D', 'P1D', 'P1D', 'P8D'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('customer' as const), who, act: fc.constantFrom(...customerActs) }),
  },
  {
    weight: 14,
    arbitrary: fc.record({ do: fc.constant('operate' as const), pick, choice: fc.nat({ max: 2 }), to, order: pick }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('decide deposit' as const),
      pick,
      action: fc.constantFrom('RETURN', 'CREDIT', 'APPLY', 'APPLY'),
      to,
      order: pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('decide transaction' as const),
      pick,
      action: fc.constantFrom('REJECT', 'REFUND', 'REFUND', 'CREDIT', 'PAY_AGAIN'),
      to,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fund' as const),
      who,
      what: fc.constantFrom('bank' as const, 'otherBank' as const, 'treasury' as const, 'everything' as const),
      amount,
    }),
  },
  { weight: 2, arbitrary: work },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constant('rail' as const), pick, event: fc.constantFrom(...railEvents) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle by hand' as const), pick }) },
  { weight: 1, arbitrary: fc.constant({ do: 'verify' as const }) },
]

const wish: fc.Arbitrary<Wish> = fc.oneof(...weighted)

/** A command, and usually a batch of the workers after it. */
export type Step = readonly [Wish] | readonly [Wish, Wish]
export const step: fc.Arbitrary<Step> = fc
  .tuple(wish, fc.option(work, { nil: undefined, freq: 4 }))
  .map(([first, then]) => (then ? [first, then] : [first]))
