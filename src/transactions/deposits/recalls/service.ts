import type { OpenCustomer } from '../../../customers/sealed-customer.ts'
import type { CustomerService } from '../../../customers/service.ts'
import type { Audit } from '../../../db/audit/audit.ts'
import type { Database, Tx } from '../../../db/database.ts'
import type { Caller } from '../../../lib/caller.ts'
import { platformOrganizationId } from '../../../lib/ids.ts'
import { badField, notFound, Refusal } from '../../../lib/refusal.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { DepositPresentation } from '../change.ts'
import type { DepositView } from '../reads.ts'
import { findDeposit } from '../store.ts'
import { presentDeposit } from '../wire.ts'
import { changeRecalls } from './note.ts'
import {
  mayReviewerReject,
  type Recall,
  type RecallDecision,
  type RecalledDeposit,
  type RecallStatus,
  recallMoves,
} from './recall.ts'
import * as store from './store.ts'

export type RecallDeps = DepositPresentation & {
  database: Database
  audit: Audit
  /** The operator of commands. */
  actor: string
  customers: Pick<CustomerService, 'open' | 'recordAct'>
}

/** The reason is for reviewers of the customer; it may hold personal data. */
export type RecallAnswer = { decision: RecallDecision; reason: string }
export type PreparedAnswer = RecallAnswer & { recalls: readonly Recall[]; owners: Owners }

/** The customers of recalled deposits. */
type Owners = ReadonlyMap<string, OpenCustomer>

export type RecallService = ReturnType<typeof createRecallService>

/** The most recalls that one list has. */
export const mostShown = 100

/**
 * Lets an operator answer the recalls of banks. ACCEPT keeps the money where it is until the bank's debit takes it back:
 * Svc pays nothing, because only the bank knows the payer. REJECT releases the deposit. Audited.
 */
export function createRecallService(deps: RecallDeps) {
  const { database } = deps
  const prepare = async (recalls: readonly Recall[], answer: RecallAnswer): Promise<PreparedAnswer> => ({
    ...answer,
    recalls,
    owners: await openOwners(
      deps,
      recalls.flatMap(({ payments }) => payments),
    ),
  })
  return {
    /** Lists recalls that hold money, or whose payment is not known: those without an answer first, then the oldest. */
    list: (): Promise<Recall[]> => store.listHolding(database, mostShown),

    /** Finds the caller's deposit and its recalls before the body is read. */
    prepareAnswer: async (caller: Caller, depositId: string, readBody: () => RecallAnswer): Promise<PreparedAnswer> => {
      const deposit = await findDeposit(database, caller.organizationIds, depositId)
      if (!deposit || deposit.customerId === null) throw notFound()
      const recalls = await store.findHolding(database, deposit)
      if (recalls.length === 0) throw nothingToAnswer()
      const answer = readBody()
      if (recalls.some(({ payments }) => payments.length > 1)) throw notLinked()
      if (answer.decision === 'REJECT' && !recalls.every(mayReviewerReject)) throw onlyByCommand()
      return prepare(recalls, answer)
    },

    answer: async (tx: Tx, caller: Caller, prepared: PreparedAnswer): Promise<DepositView> => {
      await decide(deps, tx, prepared, `api_key:${caller.apiKeyId}`, [answerMoves[prepared.decision]])
      const [{ organizationId, depositId } = { organizationId: null, depositId: null }] = prepared.recalls.flatMap(
        ({ payments }) => payments,
      )
      const answered = await findDeposit(tx, [organizationId ?? ''], depositId ?? '')
      if (!answered) throw notFound()
      return presentDeposit(answered, deps.currencyOf)
    },

    /** Answers one recall for the operator of the deployment; undefined when there is none with this id. */
    answerByCommand: async (bankRecallId: string, answer: RecallAnswer): Promise<Recall | undefined> => {
      const found = await store.findRecall(database, bankRecallId)
      if (!found) return undefined
      const prepared = await prepare([found], answer)
      const moves = [answerMoves[answer.decision], ...(answer.decision === 'REJECT' ? [recallMoves.release] : [])]
      await database.inTx((tx) => decide(deps, tx, prepared, deps.actor, moves))
      return found
    },

    /**
     * Links a recall with the deposit that the operator of the deployment has found, and with no other one. Audited.
     * Undefined when there is no recall with this id.
     */
    link: async (bankRecallId: string, wanted: WantedLink): Promise<Recall | undefined> => {
      const found = await store.findRecall(database, bankRecallId)
      if (!found) return undefined
      const deposit = await requireLinkable(deps, found, wanted.depositId)
      const owners = await openOwners(deps, [deposit])
      const payments = [...found.payments.filter((payment) => !isSamePayment(payment, deposit)), deposit]
      await database.inTx((tx) =>
        changeRecalls(deps, tx, payments, () => choose(deps, tx, found, { ...wanted, deposit, owners })),
      )
      return found
    },
  }
}

type WantedLink = { depositId: string; reason: string }

async function openOwners({ customers }: RecallDeps, payments: readonly RecalledDeposit[]): Promise<Owners> {
  const owners = new Map<string, OpenCustomer>()
  for (const { organizationId, customerId, depositId } of payments) {
    if (organizationId === null || customerId === null || depositId === null) continue
    const customer = await customers.open([organizationId], customerId)
    if (customer) owners.set(depositId, customer)
  }
  return owners
}

async function requireLinkable({ database }: RecallDeps, { currency }: Recall, depositId: string) {
  const deposit = await store.findLinkable(database, depositId)
  if (!deposit) throw badField('deposit', 'must be the id of a deposit that came through a bank')
  if (currency !== null && deposit.asset !== currency)
    throw badField('deposit', `must be a deposit in ${currency}, as the recall is`)
  return deposit
}

/** Chooses the deposit of a recall, and audits which ones it rules out. */
async function choose(
  deps: RecallDeps,
  tx: Tx,
  recall: Recall,
  { deposit, owners, reason }: { deposit: store.LinkableDeposit; owners: Owners; reason: string },
): Promise<void> {
  const { bankRecallId, code, payments } = recall
  await requireUnchanged(tx, [recall])
  if (!(await store.choosePayment(tx, bankRecallId, deposit))) throw hasEnded()
  const others = payments.flatMap(({ depositId }) => depositId ?? []).filter((id) => id !== deposit.depositId)
  const act = { actor: deps.actor, action: 'recall.linked', reason }
  await recordAct(deps, tx, owners, deposit, { ...act, details: { bankRecallId, code, ruledOut: others.join(' ') } })
}

const answerMoves = { ACCEPT: recallMoves.accept, REJECT: recallMoves.reject } as const

/** Decides about recalls, and shows that on their deposits. */
async function decide(
  deps: RecallDeps,
  tx: Tx,
  prepared: PreparedAnswer,
  actor: string,
  moves: readonly Move<RecallStatus>[],
): Promise<void> {
  const payments = prepared.recalls.flatMap((recall) => recall.payments)
  await changeRecalls(deps, tx, payments, () => decideEach(deps, tx, prepared, actor, moves))
}

async function decideEach(
  deps: RecallDeps,
  tx: Tx,
  { recalls, decision, reason, owners }: PreparedAnswer,
  actor: string,
  moves: readonly Move<RecallStatus>[],
): Promise<void> {
  await requireUnchanged(tx, recalls)
  if (decision === 'REJECT') await requireNotTaken(tx, recalls, moves)
  const decided: Recall[] = []
  for (const recall of recalls)
    for (const move of moves) if (await store.decideRecall(tx, recall.bankRecallId, move)) decided.push(recall)
  // A command may have accepted one since it was read: its money must not go with a rejection of the others.
  const isWhole = decision === 'ACCEPT' || decided.length === recalls.length
  if (decided.length === 0 || !isWhole) throw nothingToAnswer()
  const action = decision === 'ACCEPT' ? 'recall.accepted' : 'recall.rejected'
  for (const { bankRecallId, code, payments } of decided)
    for (const payment of payments.length > 0 ? payments : [undefined])
      await recordAct(deps, tx, owners, payment, { actor, action, details: { bankRecallId, code }, reason })
}

type Act = { actor: string; action: string; details: { bankRecallId: string } & Record<string, string>; reason: string }

/** Audits an act. The reason may hold personal data: it is sealed with the customer, where there is one. */
async function recordAct(
  { customers, audit }: RecallDeps,
  tx: Tx,
  owners: Owners,
  payment: Pick<RecalledDeposit, 'organizationId' | 'depositId'> | undefined,
  { actor, action, details, reason }: Act,
): Promise<void> {
  const customer = owners.get(payment?.depositId ?? '')
  const act = { actor, action, subjectId: payment?.depositId ?? details.bankRecallId }
  if (customer) await customers.recordAct(tx, customer, { ...act, details, reason })
  else {
    const owner = { organizationId: payment?.organizationId ?? platformOrganizationId }
    await audit.append(tx, { ...owner, ...act, details: { ...details, reason } })
  }
}

const isSamePayment = (one: store.RecalledPayment, other: store.RecalledPayment) =>
  one.book === other.book && one.externalId === other.externalId

/** Locks recalls, and refuses when a file has told another payment since they were read: its deposit is not locked. */
async function requireUnchanged(tx: Tx, recalls: readonly Recall[]): Promise<void> {
  const locked = await store.lockRecalls(
    tx,
    recalls.map(({ bankRecallId }) => bankRecallId),
  )
  const keysOf = ({ bankRecallId, payments }: Recall) =>
    [bankRecallId, ...payments.map(({ book, externalId }) => `${book} ${externalId}`)].join('\n')
  const now = new Set(locked.map(keysOf))
  if (!recalls.every((recall) => now.has(keysOf(recall))))
    throw new Refusal('CONFLICT', 'A file of the bank has told more about this recall just now: read it again')
}

function nothingToAnswer(): Refusal {
  return new Refusal('CONFLICT', 'No recall of this deposit waits for this answer')
}

function hasEnded(): Refusal {
  return new Refusal('CONFLICT', 'The recall has ended: it was rejected, or the bank has taken the money back')
}

/** Refuses to release money that a debit of the bank may have taken. */
async function requireNotTaken(
  tx: Tx,
  recalls: readonly Recall[],
  moves: readonly Move<RecallStatus>[],
): Promise<void> {
  const isByCommand = moves.includes(recallMoves.release)
  for (const { bankRecallId } of recalls)
    if (await store.hasUnmatchedDebit(tx, bankRecallId)) throw mayBeTaken(isByCommand)
}

function mayBeTaken(isByCommand: boolean): Refusal {
  const wayOut = isByCommand
    ? '"svc bank-files unmatched" lists it. Let it reverse the deposit ("svc bank-files reverse"), or resolve it, first'
    : 'the operator of the deployment must find out first. ACCEPT is possible'
  return new Refusal(
    'CONFLICT',
    `An unmatched debit of this bank account may be the one that takes the money: ${wayOut}`,
  )
}

function notLinked(): Refusal {
  return new Refusal(
    'CONFLICT',
    'The ids that the bank gave name several deposits: the operator of the deployment must choose one first',
  )
}

function onlyByCommand(): Refusal {
  const message =
    'must be ACCEPT: a bank suspects fraud or was promised the money, so only the operator of the deployment rejects'
  return new Refusal('CONFLICT', `decision ${message}`, { details: [{ field: 'decision', message }] })
}
