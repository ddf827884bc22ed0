import { readEligibilities } from '../../../src/transactions/screening/eligibility-store.ts'
import { decideReview } from '../customers/reviews.ts'
import type { Books, Kept } from './books.ts'
import { decide, disburse, listWaiting, readReturnedFunds, type WaitingItem } from './decisions.ts'
import { expectOwnVerified, play, work } from './play.ts'
import { movePayment } from './rail.ts'
import { type Run, Violation } from './run.ts'
import { accountNames, type Name, names, replaceExternalWallet } from './world.ts'

/**
 * Ends a run: customers are cleared as far as possible and have a wallet, every rail pays, and money is there. Everything must reach a
 * final state or wait visibly for an operator, and the decision of an operator must end each wait.
 */
export async function playQuietPhase(run: Run): Promise<void> {
  await clearAndFund(run)
  await settle(run)
  const ineligible = await findIneligible(run)
  report(findHidden(run.books, ineligible))
  const stuck: string[] = []
  // One at a time: the decision about a deposit ends the wait of its transaction as well.
  for (let item = listWaiting(run.books)[0]; item; item = listWaiting(run.books)[stuck.length]) {
    if (!(await isDecidable(run, item))) stuck.push(`no decision is possible: ${JSON.stringify(item)}`)
    await play(run, { do: 'work', job: 'all', answers: ['settle'] })
  }
  report(stuck)
  await settle(run)
  for (const who of names) report(await findUndisbursed(run, who))
  await settle(run)
  const isOpen = ({ kind, customerId }: Kept) => ['SUSPENSE', 'CLEARING'].includes(kind) && !ineligible.has(customerId)
  report(run.books.kept.filter(isOpen).map((kept) => `no decision ended this wait: ${JSON.stringify(kept)}`))
  await expectOwnVerified(run.world)
}

/** Tries the decisions in turn, last with each account of the customer. */
async function isDecidable(run: Run, item: WaitingItem): Promise<boolean> {
  for (const to of [undefined, ...accountNames]) {
    for (const action of item.actions.toReversed()) {
      if ((await decide(run, item, action, { to, order: 0 })) === 'DONE') return true
    }
  }
  return false
}

/** Pays out all returned funds, and finds those that no account of the customer can take although one should. */
async function findUndisbursed(run: Run, who: Name): Promise<string[]> {
  const { currency, accounts, ...person } = run.world.people[who]
  for (;;) {
    const [funds] = await readReturnedFunds({ currency, accounts, ...person })
    if (!funds) return []
    const outcomes: string[] = []
    for (const to of ['bank', 'otherBank', 'external'] as const)
      outcomes.push(await disburse(run, { who, from: 'returned funds', to }))
    const fitting = funds.currency.label === currency ? accounts.bank : accounts.external
    if (outcomes.includes('DONE')) continue
    const isFitting = funds.currency.label === currency || funds.currency.label === 'USDC'
    return isFitting && !run.books.closed.includes(fitting) ? [`no way out: ${JSON.stringify(funds)}`] : []
  }
}

async function clearAndFund(run: Run): Promise<void> {
  for (const who of names) {
    const person = run.world.people[who]
    const { api, customerId, accounts } = person
    await decideReview(api, { customerId }, { decision: 'APPROVE' })
    await api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })
    if (run.books.closed.includes(accounts.external)) await replaceExternalWallet(person)
    await play(run, { do: 'fund', who, what: 'everything', amount: '100000.00' })
  }
  while ((await play(run, { do: 'decide quarantined', pick: 0, action: 'accept' })) === 'DONE');
}

/** Lets the workers and the rails finish, over more days than a transaction lives. */
async function settle(run: Run): Promise<void> {
  const { world } = run
  world.rail.answerWith(['settle'])
  for (const duration of ['PT5M', 'PT1H', 'PT1H', 'P8D', 'PT1H']) {
    for (const payment of world.rail.payments().filter(({ state }) => state === 'PENDING'))
      movePayment(payment, 'settle')
    for (let batches = 0; batches < 10 && (await work(world, 'all')) > 0; batches += 1);
    await play(run, { do: 'wait', duration })
  }
}

/** Finds the customers whose money waits for a reviewer, or for good. */
async function findIneligible({ world }: Run): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { organizationId, customerId } of Object.values(world.people)) {
    const eligibilities = await readEligibilities(world.api.app.database, organizationId, [customerId])
    const eligibility = eligibilities.get(customerId)
    const isEligible = eligibility?.status === 'ACTIVE' && !eligibility.hasOpenMatch && !eligibility.isMatchConfirmed
    if (!isEligible) found.add(customerId)
  }
  return found
}

/** Finds money and work that stopped where no operator sees it. */
function findHidden(books: Books, ineligible: ReadonlySet<string>): string[] {
  const { transactions, deposits, payouts, due, kept } = books
  const isEligible = ({ customerId }: { customerId: string | null }) =>
    customerId === null || !ineligible.has(customerId)
  const isVisible = ({ kind, subject }: Kept) => {
    const deposit = deposits.find(({ depositId }) => depositId === subject)
    const transaction = transactions.find(({ transactionId }) => transactionId === (deposit?.transactionId ?? subject))
    const isWaiting = kind === 'SUSPENSE' && ['HELD', 'UNMATCHED'].includes(deposit?.status ?? '')
    return isWaiting || transaction?.refund === 'WAITING_FOR_OPERATOR'
  }
  return [
    ...due.map((sighting) => ({ sighting })),
    ...transactions
      .filter(isEligible)
      .filter(({ status }) => ['CREATED', 'PROCESSING', 'AWAITING_TRANSFER'].includes(status)),
    ...payouts.filter(isEligible).filter(({ status }) => ['WAITING', 'SENDING', 'SENT'].includes(status)),
    ...deposits.filter(isEligible).filter(({ status }) => status === 'RETURNING'),
    ...kept
      .filter(isEligible)
      .filter(({ kind }) => kind === 'SUSPENSE' || kind === 'CLEARING')
      .filter((each) => !isVisible(each)),
  ].map((each) => `stopped, and hidden from operators: ${JSON.stringify(each)}`)
}

function report(violations: readonly string[]): void {
  if (violations.length > 0) throw new Violation(violations)
}
