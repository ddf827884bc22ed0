import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/database.ts'
import { resolveSuspense } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import { requirePosted } from '../change.ts'
import { arrivalBookings, referenceFor } from './bookings.ts'
import { type DepositPresentation, emitDeposit } from './change.ts'
import { type Deposit, depositMoves, leftOf } from './deposit.ts'
import * as store from './store.ts'

type UnattributedDepositDeps = DepositPresentation & {
  database: Database
  ledger: LedgerService
  audit: Audit
  customers: Pick<CustomerService, 'open' | 'recordAct'>
}

export type DepositAssignment = { depositId: string; organizationId: string; customerId: string; reason: string }

const maxShown = 100
const actor = 'command line'

/** Manages deposits without a known owner. The platform keeps them until an operator finds the owner. */
export function createUnattributedDepositService({
  database,
  ledger,
  audit,
  customers,
  currencyOf,
}: UnattributedDepositDeps) {
  return {
    /** Lists unattributed deposits, newest first. */
    list: (): Promise<Deposit[]> =>
      store.listDeposits(
        database,
        [platformOrganizationId],
        { status: 'UNMATCHED' },
        { after: undefined, limit: maxShown },
      ),

    /**
     * Assigns a deposit to a customer: it becomes an UNMATCHED deposit of the customer's organization, which then
     * resolves it. Both organizations' postings commit together. Undefined when the deposit or customer does not exist.
     */
    assign: async ({
      depositId,
      organizationId,
      customerId,
      reason,
    }: DepositAssignment): Promise<Deposit | undefined> => {
      const customer = await customers.open([organizationId], customerId)
      if (!customer) return undefined
      return database.inTx(async (tx) => {
        const key = { organizationId: platformOrganizationId, depositId }
        const unattributed = await store.changeDeposit(tx, key, depositMoves.assign)
        if (!unattributed) return undefined
        const { asset, heldAt: holding } = unattributed
        const content = resolveSuspense({ asset, amount: leftOf(unattributed), to: { holding } })
        const leaving = {
          organizationId: platformOrganizationId,
          reference: referenceFor(unattributed, 'resolution'),
          ...content,
        }
        const assigned = await store.insertDeposit(tx, {
          ...unattributed,
          organizationId,
          customerId,
          depositId: newId(),
          amount: String(leftOf(unattributed)),
          status: 'UNMATCHED',
          appliedAmount: 0n,
          labels: [],
          recheckInSeconds: null,
        })
        if (!assigned) throw new Error(`organization ${organizationId} already has deposit ${unattributed.externalId}`)
        const arriving = arrivalBookings(assigned, { type: 'UNMATCHED' })
        requirePosted(await ledger.post(tx, [leaving, ...arriving]))
        await emitDeposit({ currencyOf }, tx, assigned)
        const act = { actor, action: 'deposit.assigned' }
        await audit.append(tx, {
          organizationId: platformOrganizationId,
          ...act,
          subjectId: depositId,
          details: { depositId: assigned.depositId },
        })
        await customers.recordAct(tx, customer, { ...act, subjectId: assigned.depositId, reason })
        return assigned
      })
    },
  }
}
