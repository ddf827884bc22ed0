import type { OpenCustomer } from '../../../customers/sealed-customer.ts'
import type { CustomerService } from '../../../customers/service.ts'
import type { Audit } from '../../../db/audit/audit.ts'
import type { Database, Tx } from '../../../db/database.ts'
import type { Caller } from '../../../lib/caller.ts'
import { platformOrganizationId } from '../../../lib/ids.ts'
import { notFound, Refusal } from '../../../lib/refusal.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { DepositPresentation } from '../change.ts'
import type { DepositView } from '../service.ts'
import { findDeposit } from '../store.ts'
import { presentDeposit } from '../wire.ts'
import { changeRecalls } from './note.ts'
import { mayReviewerReject, type Recall, type RecallDecision, type RecallStatus, recallMoves } from './recall.ts'
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
export type PreparedAnswer = RecallAnswer & { recalls: readonly Recall[]; customer: OpenCustomer | undefined }

export type RecallService = ReturnType<typeof createRecallService>

const maxShown = 100

/**
 * Lets an operator answer the recalls of banks. ACCEPT keeps the money where it is until the bank's debit takes it back:
 * Svc pays nothing, because only the bank knows the payer. REJECT releases the deposit. Audited.
 */
export function createRecallService(deps: RecallDeps) {
  const { database } = deps
  const prepare = async (recalls: readonly Recall[], answer: RecallAnswer): Promise<PreparedAnswer> => {
    const [{ organizationId, customerId } = { organizationId: null, customerId: null }] = recalls
    const hasCustomer = organizationId !== null && customerId !== null
    const customer = hasCustomer ? await deps.customers.open([organizationId], customerId) : undefined
    return { ...answer, recalls, customer }
  }
  return {
    /** Lists recalls that hold money, or whose payment is not known, oldest first. */
    list: (): Promise<Recall[]> => store.listHolding(database, maxShown),

    /** Finds the caller's deposit and its recalls before the body is read. */
    prepareAnswer: async (caller: Caller, depositId: string, readBody: () => RecallAnswer): Promise<PreparedAnswer> => {
      const deposit = await findDeposit(database, caller.organizationIds, depositId)
      if (!deposit || deposit.customerId === null) throw notFound()
      const recalls = await store.findHolding(database, deposit)
      if (recalls.length === 0) throw nothingToAnswer()
      const answer = readBody()
      if (answer.decision === 'REJECT' && !recalls.every(mayReviewerReject)) throw onlyByCommand()
      return prepare(recalls, answer)
    },

    answer: async (tx: Tx, caller: Caller, prepared: PreparedAnswer): Promise<DepositView> => {
      await decide(deps, tx, prepared, `api_key:${caller.apiKeyId}`, [answerMoves[prepared.decision]])
      const [{ organizationId, depositId } = { organizationId: null, depositId: null }] = prepared.recalls
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
  }
}

const answerMoves = { ACCEPT: recallMoves.accept, REJECT: recallMoves.reject } as const

/** Decides about recalls of one payment. */
async function decide(
  deps: RecallDeps,
  tx: Tx,
  prepared: PreparedAnswer,
  actor: string,
  moves: readonly Move<RecallStatus>[],
): Promise<void> {
  const [{ book, externalId } = { book: null, externalId: null }] = prepared.recalls
  const change = () => decideEach(deps, tx, prepared, actor, moves)
  if (book === null || externalId === null) await change()
  else await changeRecalls(deps, tx, { book, externalId }, change)
}

async function decideEach(
  deps: RecallDeps,
  tx: Tx,
  { recalls, decision, reason, customer }: PreparedAnswer,
  actor: string,
  moves: readonly Move<RecallStatus>[],
): Promise<void> {
  const decided: Recall[] = []
  for (const recall of recalls)
    for (const move of moves) if (await store.decideRecall(tx, recall.bankRecallId, move)) decided.push(recall)
  // A command may have accepted one since it was read: its money must not go with a rejection of the others.
  const isWhole = decision === 'ACCEPT' || decided.length === recalls.length
  if (decided.length === 0 || !isWhole) throw nothingToAnswer()
  const action = decision === 'ACCEPT' ? 'recall.accepted' : 'recall.rejected'
  for (const { bankRecallId, code, organizationId, depositId } of decided) {
    const details = { bankRecallId, code }
    const act = { actor, action, subjectId: depositId ?? bankRecallId }
    if (customer) await deps.customers.recordAct(tx, customer, { ...act, details, reason })
    else {
      const owner = { organizationId: organizationId ?? platformOrganizationId }
      await deps.audit.append(tx, { ...owner, ...act, details: { ...details, reason } })
    }
  }
}

function nothingToAnswer(): Refusal {
  return new Refusal('CONFLICT', 'No recall of this deposit waits for this answer')
}

function onlyByCommand(): Refusal {
  const message =
    'must be ACCEPT: a bank suspects fraud or was promised the money, so only the operator of the deployment rejects'
  return new Refusal('CONFLICT', `decision ${message}`, { details: [{ field: 'decision', message }] })
}
