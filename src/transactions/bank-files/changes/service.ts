import type { OpenCustomer } from '../../../customers/sealed-customer.ts'
import type { CustomerService } from '../../../customers/service.ts'
import type { Audit } from '../../../db/audit/audit.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { openBytes } from '../../../encryption/seal.ts'
import type { Caller } from '../../../lib/caller.ts'
import { platformOrganizationId } from '../../../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../../../lib/pages.ts'
import { notFound, Refusal } from '../../../lib/refusal.ts'
import type { PreparedCorrection } from '../../../payment-accounts/bank-accounts/versions.ts'
import type { PaymentAccountService } from '../../../payment-accounts/service.ts'
import { type ChangeDecision, type ChangeStatus, changeMoves, type StoredChange } from './change.ts'
import { readCorrection } from './correction.ts'
import * as store from './store.ts'

export type BankChangeDeps = {
  database: Database
  pages: Pages
  audit: Audit
  actor: string
  /** Opens the corrections. */
  changeKey: Buffer
  paymentAccounts: Pick<PaymentAccountService, 'open' | 'prepareCorrection' | 'correct'>
  customers: Pick<CustomerService, 'open' | 'recordAct'>
}

/** A notification with the correction as the bank wrote it. */
export type OpenedChange = Omit<StoredChange, 'sealedCorrection'> & { correction: string }
/** `correction` is undefined for a refusal, which needs no readable one. */
export type PreparedDecision = {
  change: OpenedChange
  reason: string
  correction: PreparedCorrection | undefined
  /** The customer of the account, with whom the reason is sealed. */
  customer: OpenCustomer | undefined
}
export type ChangeRequest = { decision: ChangeDecision; reason: string }

export type BankChangeService = ReturnType<typeof createBankChangeService>

const maxShown = 100

/**
 * Shows the notifications of change of banks, and lets an operator decide about them. A confirmed one makes a new version
 * of the account under the same id. Payouts that exist keep the coordinates with which they were created.
 */
export function createBankChangeService(deps: BankChangeDeps) {
  const { database, pages } = deps
  const open = ({ sealedCorrection, ...change }: StoredChange): OpenedChange => ({
    ...change,
    correction: openBytes(deps.changeKey, sealedCorrection, change.changeId).toString(),
  })

  const { prepare, decide } = createDecisions(deps, open)
  return {
    /** Lists all notifications, OPEN ones first, for the operator of the deployment. */
    listAll: async (): Promise<OpenedChange[]> => (await store.listAllChanges(database, maxShown)).map(open),

    /** Lists the notifications about the caller's payouts, newest first. */
    list: async (
      caller: Caller,
      { status }: { status?: ChangeStatus },
      request: PageRequest,
    ): Promise<Page<OpenedChange>> => {
      const page = await pages.read(
        { list: 'bank-changes', filters: { for: caller.organizationId, ...(status ? { status } : {}) } },
        request,
        (slice) => store.listChanges(database, caller.organizationIds, status, slice),
        ({ bankChangeId }) => bankChangeId,
      )
      return { ...page, items: page.items.map(open) }
    },

    /** Finds the caller's notification, then checks the body and the correction. */
    prepareDecision: async (
      caller: Caller,
      bankChangeId: string,
      readBody: () => ChangeRequest,
    ): Promise<PreparedDecision> => {
      const found = await store.findChange(database, bankChangeId)
      if (!found?.organizationId || !caller.organizationIds.includes(found.organizationId)) throw notFound()
      return prepare(found, readBody())
    },

    decide: async (tx: Tx, caller: Caller, prepared: PreparedDecision): Promise<OpenedChange> => {
      await decide(tx, prepared, `api_key:${caller.apiKeyId}`)
      const decided = await store.findChange(tx, prepared.change.bankChangeId)
      if (!decided) throw new Error('a decided notification of change is gone')
      return open(decided)
    },

    /** Decides for the operator of the deployment; false when there is no such notification. Audited. */
    decideByCommand: async (bankChangeId: string, request: ChangeRequest): Promise<boolean> => {
      const found = await store.findChange(database, bankChangeId)
      if (!found) return false
      const prepared = await prepare(found, request)
      await database.inTx((tx) => decide(tx, prepared, deps.actor))
      return true
    },
  }
}

/** Prepares a decision outside the database transaction, and records it once, with its audit row. */
function createDecisions(deps: BankChangeDeps, open: (change: StoredChange) => OpenedChange) {
  const { paymentAccounts } = deps
  const findCustomer = async ({ organizationId, paymentAccountId }: StoredChange) => {
    if (organizationId === null || paymentAccountId === null) return undefined
    const opened = await paymentAccounts.open([organizationId], paymentAccountId)
    return opened && deps.customers.open([organizationId], opened.account.customerId)
  }
  const prepare = async (found: StoredChange, { decision, reason }: ChangeRequest): Promise<PreparedDecision> => {
    if (found.status !== 'OPEN') throw alreadyDecided(found.status)
    const change = open(found)
    const customer = await findCustomer(found)
    if (decision === 'REFUSE') return { change, reason, correction: undefined, customer }
    const { organizationId, paymentAccountId, paidVersion: detailsVersion, code } = change
    const corrected = readCorrection(code, change.correction)
    if (organizationId === null || paymentAccountId === null || detailsVersion === null || !corrected) {
      throw new Refusal('CONFLICT', 'The notification corrects no account that a file of ours paid by ACH: refuse it')
    }
    const about = { organizationId, paymentAccountId, detailsVersion }
    const correction = await paymentAccounts.prepareCorrection(about, corrected)
    return { change, reason, correction, customer }
  }

  const decide = async (tx: Tx, prepared: PreparedDecision, actor: string): Promise<void> => {
    const { change, correction } = prepared
    const { bankChangeId } = change
    const detailsVersion = correction ? await paymentAccounts.correct(tx, bankChangeId, correction) : null
    const move = correction ? changeMoves.confirm : changeMoves.refuse
    // A new version has confirmed its notification.
    const isDecided = correction?.details !== undefined || (await store.decideChange(tx, bankChangeId, move))
    if (!isDecided) throw alreadyDecided('decided')
    await recordAct(deps, tx, prepared, { actor, detailsVersion })
  }

  return { prepare, decide }
}

/** Audits a decision. The reason may hold personal data: it is sealed with the customer, where there is one. */
async function recordAct(
  { audit, customers }: BankChangeDeps,
  tx: Tx,
  { change, correction, customer, reason }: PreparedDecision,
  { actor, detailsVersion }: { actor: string; detailsVersion: number | null },
): Promise<void> {
  const { bankChangeId, code, organizationId, paymentAccountId } = change
  const action = correction ? 'bank_change.confirmed' : 'bank_change.refused'
  const act = { actor, action, subjectId: paymentAccountId ?? bankChangeId }
  const details = { bankChangeId, code, ...(detailsVersion === null ? {} : { detailsVersion }) }
  if (customer) await customers.recordAct(tx, customer, { ...act, details, reason })
  else {
    const owner = { organizationId: organizationId ?? platformOrganizationId }
    await audit.append(tx, { ...owner, ...act, details: { ...details, reason } })
  }
}

function alreadyDecided(status: string): Refusal {
  return new Refusal('CONFLICT', `The notification of change is ${status}: only an OPEN one can be decided`)
}
