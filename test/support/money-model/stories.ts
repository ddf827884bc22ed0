import type { Wish } from './wishes.ts'

const settle: Wish = { do: 'work', job: 'all', answers: ['settle'] }
const refuse: Wish = { do: 'work', job: 'all', answers: ['refuse'] }
const funds: Wish = { do: 'fund', who: 'ann', what: 'everything', amount: '1000.00' }
const order: Wish = { do: 'order', who: 'ann', route: 'bank to wallet', amount: '100.00' }
const payFirst: Wish = { do: 'pay in', pick: 0, how: 'exact' }
const applyFirst: Wish = { do: 'operate', pick: 0, choice: 0, order: 0 }
const decideFirst: Wish = { do: 'operate', pick: 0, choice: 0, order: 0 }

/** A late deposit whose return the bank refuses is applied to a second transaction; the first still owes its refund. */
export const spentTwice: readonly Wish[] = [
  funds,
  order,
  { do: 'wait', duration: 'P8D' },
  settle,
  payFirst,
  refuse,
  order,
  applyFirst,
  decideFirst,
  settle,
  settle,
]

/** The same within one transaction: held, returned in vain, and applied after all. */
export const spentTwiceWithin: readonly Wish[] = [
  funds,
  order,
  { do: 'customer', who: 'ann', act: 'deactivate' },
  payFirst,
  settle,
  { do: 'operate', pick: 0, choice: 1, order: 0 },
  refuse,
  { do: 'customer', who: 'ann', act: 'reactivate' },
  applyFirst,
  decideFirst,
  settle,
  settle,
]

/** Bob's money waits for an operator, and Ann sells tokens: her payout must not use it. */
export const paidFromOthers: readonly Wish[] = [
  { do: 'send stray', who: 'bob', amount: '100.00' },
  { do: 'order', who: 'ann', route: 'wallet to bank', amount: '100.00' },
  settle,
  settle,
]

/** A wallet is deleted, and tokens arrive at its address. */
export const deletedWallet: readonly Wish[] = [
  { do: 'delete', who: 'ann', account: 'spare' },
  { do: 'top up', who: 'ann', to: 'spare', amount: '20.00' },
  settle,
]

/** Credited money is converted: a half that the chain refuses comes back, then all of it goes to another bank. */
export const convertedFunds: readonly Wish[] = [
  funds,
  { do: 'send stray', who: 'ann', amount: '100.00' },
  settle,
  { do: 'operate', pick: 0, choice: 2, order: 0 },
  { do: 'convert', who: 'ann', to: 'wallet', part: 'half' },
  { do: 'disburse', who: 'ann', from: 'returned funds', to: 'bank' },
  refuse,
  refuse,
  { do: 'convert', who: 'ann', to: 'otherBank', part: 'all' },
  { do: 'convert', who: 'ann', to: 'wallet', part: 'all' },
  settle,
  settle,
]

export const stories: Readonly<Record<string, readonly Wish[]>> = {
  'a late deposit, whose return the bank refused, is applied to another transaction': spentTwice,
  'a held deposit, whose return the bank refused, is applied to its own transaction': spentTwiceWithin,
  'a payout waits while the bank holds only the money of another customer': paidFromOthers,
  'tokens arrive at a deleted wallet': deletedWallet,
  'returned funds are converted, in vain and again': convertedFunds,
}
