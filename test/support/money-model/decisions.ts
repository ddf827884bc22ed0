import { newId } from '../../../src/lib/ids.ts'
import { isOwnMovement } from '../../../src/transactions/payouts/payout.ts'
import { decideReview, sandboxDecide } from '../customers/reviews.ts'
import type { Books, StoredDeposit, StoredPayout, StoredTransaction } from './books.ts'
import { movePayment } from './rail.ts'
import { answered, type Outcome, ownerOf, pickFrom, post, type Run } from './run.ts'
import type { CustomerAct, DepositAction, TransactionAction, Wish } from './wishes.ts'
import type { Person } from './world.ts'

type Decision = Pick<Extract<Wish, { do: 'operate' }>, 'to' | 'order'>

/** Decides one of the items that wait for an operator or a reviewer, in one of the possible ways. */
export async function operate(
  run: Run,
  { pick, choice, ...decision }: Extract<Wish, { do: 'operate' }>,
): Promise<Outcome> {
  const item = pickFrom(listWaiting(run.books), pick)
  const action = pickFrom(item?.actions ?? [], choice)
  return item && action ? decide(run, item, action, decision) : 'NOTHING'
}

export type WaitingItem =
  | { deposit: StoredDeposit; actions: readonly DepositAction[] }
  | { transaction: StoredTransaction; actions: readonly TransactionAction[] }

/** Lists what waits for an operator or a reviewer, with the possible decisions. */
export function listWaiting({ deposits, transactions }: Books): WaitingItem[] {
  return [
    ...deposits
      .filter(({ status }) => status === 'HELD' || status === 'UNMATCHED')
      .map((deposit) => ({ deposit, actions: ['APPLY', 'RETURN', 'CREDIT'] as const })),
    ...transactions
      .filter(({ refund }) => refund === 'WAITING_FOR_OPERATOR')
      .map((transaction) => ({ transaction, actions: ['REFUND', 'CREDIT'] as const })),
    ...transactions
      .filter(({ repayment }) => repayment === 'WAITING_FOR_OPERATOR')
      .map((transaction) => ({ transaction, actions: ['PAY_AGAIN'] as const })),
    ...transactions
      .filter(({ step }) => step === 'FROZEN')
      .map((transaction) => ({ transaction, actions: ['REJECT'] as const })),
  ]
}

export function decide(
  run: Run,
  item: WaitingItem,
  action: DepositAction | TransactionAction,
  decision: Decision,
): Promise<Outcome> {
  if ('deposit' in item) return decideDeposit(run, item.deposit, action as DepositAction, decision)
  return decideTransaction(run, item.transaction, action as TransactionAction, decision)
}

export async function decideDeposit(
  { world, books: { transactions } }: Run,
  deposit: StoredDeposit | undefined,
  action: DepositAction,
  { to, order }: Decision,
): Promise<Outcome> {
  const person = Object.values(world.people).find(({ customerId }) => customerId === deposit?.customerId)
  if (!deposit || !person) return 'NOTHING'
  const isAwaiting = ({ status, customerId }: StoredTransaction) =>
    status === 'AWAITING_TRANSFER' && customerId === person.customerId
  const awaiting = transactions.filter(isAwaiting)
  const chosen = pickFrom(awaiting.length > 0 ? awaiting : transactions, order)
  return post(person.api, `/deposits/${deposit.depositId}/resolve`, {
    action,
    reason: 'a test',
    ...(action === 'APPLY' ? { transactionId: chosen?.transactionId ?? newId() } : {}),
    ...(action === 'RETURN' && to ? { paymentAccountId: person.accounts[to] } : {}),
  })
}

export async function decideTransaction(
  { world }: Run,
  transaction: StoredTransaction | undefined,
  action: TransactionAction,
  { to }: Pick<Decision, 'to'>,
): Promise<Outcome> {
  if (!transaction) return 'NOTHING'
  const { api, accounts } = ownerOf(world, transaction)
  const takesAccount = action === 'REFUND' || action === 'PAY_AGAIN'
  return post(api, `/transactions/${transaction.transactionId}/resolve`, {
    action,
    reason: 'a test',
    ...(takesAccount && to ? { paymentAccountId: accounts[to] } : {}),
  })
}

/** Records what the bank says about a payout on its way; the bank stops one that is still pending. */
export async function settleByHand(
  { world, books }: Run,
  { pick }: Pick<Extract<Wish, { do: 'settle by hand' }>, 'pick'>,
): Promise<Outcome> {
  // The test rail confirms movements between addresses of ours by itself.
  const isSent = ({ status, purpose }: StoredPayout) =>
    (status === 'SENDING' || status === 'SENT') && !isOwnMovement({ purpose })
  const payout = pickFrom(books.payouts.filter(isSent), pick)
  if (!payout) return 'NOTHING'
  const { payoutId } = payout
  const payment = world.rail.payments().find(({ reference }) => reference === payoutId)
  if (payment?.state === 'PENDING') movePayment(payment, 'refuse')
  const outcome = payment?.state === 'SETTLED' ? 'confirmed' : 'refused'
  const settlement = { payoutId, outcome, reference: `rail-${payoutId}`, reason: 'a test' } as const
  const { result } = await world.api.app.manualSettlements.settle(settlement)
  return result === 'SETTLED' ? 'DONE' : 'NOTHING'
}

export async function readReturnedFunds({ api, customerId }: Person) {
  return (await api.get(`/customers/${customerId}/returned-funds`)).body.returnedFunds
}

/** Pays out money that is kept for a customer, to one of the customer's accounts. */
export async function disburse(
  { world }: Run,
  { who, from, to }: Pick<Extract<Wish, { do: 'disburse' }>, 'who' | 'from' | 'to'>,
): Promise<Outcome> {
  const { api, customerId, accounts } = world.people[who]
  const [funds] = from === 'returned funds' ? await readReturnedFunds(world.people[who]) : []
  if (from === 'returned funds' && !funds) return 'NOTHING'
  const source = {
    paymentAccountId: funds?.paymentAccountId ?? accounts[from === 'spare' ? 'spare' : 'wallet'],
    currency: funds?.currency.label ?? 'USDC',
    ...(funds && !funds.currency.chain ? {} : { chain: funds?.currency.chain ?? 'BASE' }),
  }
  const destination = { destinationPaymentAccountId: accounts[to], reason: 'a test' }
  return post(api, `/customers/${customerId}/disbursements`, { ...source, ...destination })
}

/** Decides about a customer: a watch-list match, the verification, or the service itself. */
export async function actOn({ api, customerId }: Person, act: CustomerAct): Promise<Outcome> {
  const reason = 'a test'
  switch (act) {
    case 'block':
      return answered((await sandboxDecide(api, { customerId }, { outcome: 'REVIEW' })).status)
    case 'reject':
      return answered((await sandboxDecide(api, { customerId }, { outcome: 'REJECT' })).status)
    case 'clear':
      return answered((await decideReview(api, { customerId }, { decision: 'APPROVE' })).status)
    case 'reject match':
      return answered((await decideReview(api, { customerId }, { decision: 'REJECT' })).status)
    default:
      return post(api, `/customers/${customerId}/${act}`, { reason })
  }
}
