import type { OpenCustomer } from '../../../customers/sealed-customer.ts'
import type { CustomerService } from '../../../customers/service.ts'
import type { Audit } from '../../../db/audit/audit.ts'
import type { Database, Tx } from '../../../db/database.ts'
import type { Caller } from '../../../lib/caller.ts'
import { platformOrganizationId } from '../../../lib/ids.ts'
import { notFound, Refusal } from '../../../lib/refusal.ts'
import type { DepositPresentation } from '../change.ts'
import type { DepositView } from '../service.ts'
import { findDeposit } from '../store.ts'
import { presentDeposit } from '../wire.ts'
import { noteRecall } from './note.ts'
import { type Recall, type RecallDecision, recallMoves } from './recall.ts'
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
      return prepare(recalls, readBody())
    },

    answer: async (tx: Tx, caller: Caller, prepared: PreparedAnswer): Promise<DepositView> => {
      await decide(deps, tx, prepared, `api_key:${caller.apiKeyId}`)
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
      await database.inTx((tx) => decide(deps, tx, prepared, deps.actor))
      return found
    },
  }
}

async function decide(
  deps: RecallDeps,
  tx: Tx,
  { recalls, decision, reason, customer }: PreparedAnswer,
  actor: string,
): Promise<void> {
  const move = decision === 'ACCEPT' ? recallMoves.accept : recallMoves.reject
  const decided: Recall[] = []
  for (const recall of recalls) if (await store.decideRecall(tx, recall.bankRecallId, move)) decided.push(recall)
  if (decided.length === 0) throw nothingToAnswer()
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
  const [{ book, externalId } = { book: null, externalId: null }] = decided
  if (book !== null && externalId !== null) await noteRecall(deps, tx, { book, externalId })
}

function nothingToAnswer(): Refusal {
  return new Refusal('CONFLICT', 'No recall of this deposit waits for this answer')
}
