import type { CustomerService } from '../../../customers/service.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { type NewPosting, referenceOf } from '../../../ledger/posting.ts'
import * as postings from '../../../ledger/receivable-postings.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { notFound, Refusal } from '../../../lib/refusal.ts'
import { changeDetails, requirePosted } from '../../change.ts'
import { lockTransactions, recordStep } from '../../change-store.ts'
import { readReturnedFunds } from '../../refunds/returned-funds-store.ts'
import type { Transaction } from '../../transaction.ts'
import { addLiquidity } from '../../treasury/liquidity-store.ts'
import { referenceFor } from '../bookings.ts'
import type { DepositPresentation } from '../change.ts'
import { isDepositRecalled } from '../recalls/store.ts'
import { reversedAt } from './cover.ts'
import { type Reversal, reversalMoves } from './reversal.ts'
import * as store from './store.ts'

export type ReversalDeps = DepositPresentation & {
  database: Database
  ledger: LedgerService
  customers: Pick<CustomerService, 'open' | 'recordAct'>
}

export const recoverySources = ['wallet', 'returned-funds', 'bank'] as const
export type RecoverySource = (typeof recoverySources)[number]

/** The reason is for reviewers of the customer; it may hold personal data. */
export type ReversalDecision = { reversalId: string; reason: string }

/** `leavesOthers`: what rests in returned funds of other currencies stays with the customer, and does not refuse it. */
type WriteOff = ReversalDecision & { leavesOthers?: boolean }

/** `recovered`: the part that was recovered. */
export type DecidedReversal = Reversal & { recovered: bigint }

/** An open reversal: a customer owes it. */
type Owed = Reversal & { customerId: string }

const maxShown = 100
const actor = 'command line'

/** Manages deposits that were reversed after the customer had the money. Each is decided once. Audited. */
export function createReversalService(deps: ReversalDeps) {
  const { database } = deps
  const decide = async (
    { reversalId, reason, leavesOthers }: WriteOff,
    action: 'recover' | 'writeOff',
    from: RecoverySource | undefined,
    settle: (tx: Tx, owed: Owed, causes: readonly Transaction[]) => Promise<bigint>,
  ): Promise<DecidedReversal> => {
    const found = await store.findReversal(database, reversalId)
    const customerId = found?.customerId
    const customer = found && customerId ? await deps.customers.open([found.organizationId], customerId) : undefined
    if (!found || !customerId || !customer) throw notFound()
    return database.inTx(async (tx) => {
      // Before the reversal: a refused return locks its transaction first as well.
      const takesFunds = from === undefined || from === 'returned-funds'
      const causes = takesFunds ? await lockCauses(tx, { ...found, customerId }) : []
      const owed = await store.decideReversal(tx, found, reversalMoves[action])
      if (!owed) throw new Refusal('CONFLICT', 'This reversal was decided before, or nothing of it is owed')
      const recovered = await settle(tx, { ...owed, customerId }, causes)
      const act = { actor, action: action === 'recover' ? 'reversal.recovered' : 'reversal.written_off' }
      await deps.customers.recordAct(tx, customer, {
        ...act,
        subjectId: reversalId,
        details: from ? { from } : { recovered: String(recovered), leavesReturnedFunds: leavesOthers === true },
        reason,
      })
      return { ...owed, recovered }
    })
  }
  return {
    /** Lists what customers owe, oldest first. */
    list: (): Promise<Reversal[]> => store.listOpen(database, maxShown),

    count: (): Promise<number> => store.countOpen(database),

    /**
     * Records that the customer repaid a reversal: from a wallet or the returned funds that Svc keeps for the customer,
     * or with new money at the holding of the deposit.
     */
    recover: ({ from, ...decision }: ReversalDecision & { from: RecoverySource }): Promise<DecidedReversal> =>
      decide(decision, 'recover', from, (tx, owed, causes) => recover(deps, tx, owed, from, causes)),

    /**
     * Records that the customer will not give it back. Money that still leaves for it must be stopped first. What rests of
     * it in the returned funds of the customer is taken from there, and only the remainder is a loss.
     */
    writeOff: (decision: WriteOff): Promise<DecidedReversal> =>
      decide(decision, 'writeOff', undefined, (tx, owed, causes) =>
        writeOff(deps, tx, owed, causes, decision.leavesOthers === true),
      ),
  }
}

async function recover(
  deps: ReversalDeps,
  tx: Tx,
  owed: Owed,
  from: RecoverySource,
  causes: readonly Transaction[],
): Promise<bigint> {
  const amount = BigInt(owed.owedAmount)
  const heldAt = await store.readHolding(tx, owed)
  if (from === 'returned-funds') {
    const taken = await takeReturnedFunds(deps, tx, owed, causes)
    if (taken < amount) throw tooLittle('The returned funds of the customer are less than the owed amount')
  } else {
    const source = from === 'bank' ? { holding: heldAt } : { wallet: await requireWallet(tx, owed) }
    await post(deps, tx, [{ ...recovery(owed, source, amount), reference: recoveryReference(owed) }])
  }
  await addLiquidity(tx, [{ ...reversedAt({ ...owed, heldAt }), reversed: -amount }])
  return amount
}

function recovery({ organizationId, asset, customerId }: Owed, from: postings.RecoverySource, amount: bigint) {
  return { organizationId, ...postings.recoverReceivable({ asset, amount, customerId, from }) }
}

function recoveryReference({ depositId, reversalId }: Owed): string {
  return referenceFor({ depositId }, `recovery:${reversalId}`)
}

async function requireWallet(tx: Tx, owed: Owed): Promise<string> {
  const wallet = await store.findRichWallet(tx, owed)
  if (!wallet) throw tooLittle('No wallet of the customer has the owed amount in this currency')
  return wallet
}

async function readFunds(tx: Tx, owed: Owed) {
  return (await readReturnedFunds(tx, owed)).filter(({ asset }) => asset === owed.asset)
}

/** Locks the transactions that returned funds of the customer came from. */
async function lockCauses(tx: Tx, owed: Owed): Promise<Transaction[]> {
  const funds = await readFunds(tx, owed)
  const transactionIds = funds.flatMap(({ cause, causeId }) => (cause === 'TRANSACTION' ? causeId : []))
  return lockTransactions(tx, owed.organizationId, transactionIds)
}

/**
 * Takes returned funds up to the owed amount, oldest cause first, and answers how much. Each cause has a posting of its own, so that what is left of each cause
 * stays known. The locks of their transactions keep repayments out; a disbursement that came first shows afterwards.
 */
async function takeReturnedFunds(
  deps: ReversalDeps,
  tx: Tx,
  owed: Owed,
  locked: readonly Transaction[],
  isOwn: (causeId: string) => boolean = () => true,
): Promise<bigint> {
  const { organizationId, customerId, asset, reversalId } = owed
  const read = () => readFunds(tx, owed)
  let missing = BigInt(owed.owedAmount)
  const taken: NewPosting[] = []
  const touched = new Set<string>()
  for (const { cause, causeId, amount } of await read()) {
    const part = BigInt(amount) < missing ? BigInt(amount) : missing
    if (part === 0n || !isOwn(causeId)) continue
    const subject = { type: cause.toLowerCase() as 'transaction' | 'deposit' | 'disbursement', id: causeId }
    const reference = referenceOf(subject, `recovery:${reversalId}`)
    taken.push({ ...recovery(owed, 'RETURNED_FUNDS', part), reference })
    touched.add(causeId)
    missing -= part
  }
  if (taken.length === 0) return 0n
  await post(deps, tx, taken)
  const balances = await deps.ledger.returnedFunds(tx, organizationId, customerId)
  const available = balances.find((balance) => balance.asset === asset)?.available ?? 0n
  const left = (await read()).reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  if (left !== available) throw new Refusal('CONFLICT', 'A disbursement has just taken these funds: try again')
  for (const transaction of locked.filter(({ transactionId }) => touched.has(transactionId))) {
    await recordStep(tx, transaction, 'RETURNED_FUNDS_RECOVERED', { reversalId })
    await changeDetails(tx, transaction)
  }
  return BigInt(owed.owedAmount) - missing
}

async function writeOff(
  deps: ReversalDeps,
  tx: Tx,
  owed: Owed,
  locked: readonly Transaction[],
  leavesOthers: boolean,
): Promise<bigint> {
  if (await isDepositRecalled(tx, owed))
    throw new Refusal('CONFLICT', 'A bank recalls the deposit: answer the recall first')
  if (await store.isMoneyLeaving(tx, owed)) {
    throw new Refusal(
      'CONFLICT',
      'Money of the deposit still leaves, or can: reject its transactions, cancel its disbursements, and withdraw its ' +
        'refunds and returns first',
    )
  }
  const { organizationId, customerId, asset, depositId, reversalId } = owed
  // The end of the block would let money go that rests in returned funds.
  const causes = await store.readCauses(tx, owed)
  const resting = (await readReturnedFunds(tx, owed)).filter(({ causeId }) => causes.has(causeId))
  if (!leavesOthers && resting.some((funds) => funds.asset !== asset)) {
    throw new Refusal(
      'CONFLICT',
      'Money of the deposit rests in returned funds of another currency, which cannot pay it: --leave-returned-funds leaves ' +
        'it to the customer',
    )
  }
  const recovered = await takeReturnedFunds(deps, tx, owed, locked, (causeId) => causes.has(causeId))
  const amount = BigInt(owed.owedAmount) - recovered
  if (amount > 0n) {
    const content = postings.writeOffReceivable({ asset, customerId, amount })
    const reference = referenceFor({ depositId }, `write-off:${reversalId}`)
    await post(deps, tx, [{ organizationId, reference, ...content }])
  }
  if (recovered > 0n) {
    const heldAt = await store.readHolding(tx, owed)
    await addLiquidity(tx, [{ ...reversedAt({ ...owed, heldAt }), reversed: -recovered }])
  }
  return recovered
}

/** Posts, and refuses what the customer no longer has. */
async function post({ ledger }: ReversalDeps, tx: Tx, wanted: readonly NewPosting[]): Promise<void> {
  const outcomes = await ledger.post(tx, wanted)
  if (outcomes.some(({ outcome }) => outcome === 'INSUFFICIENT'))
    throw tooLittle('The customer has just used this money')
  requirePosted(outcomes)
}

function tooLittle(message: string): Refusal {
  return new Refusal('INSUFFICIENT_BALANCE', message)
}
