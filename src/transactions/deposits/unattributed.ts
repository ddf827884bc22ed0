import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/database.ts'
import { resolveSuspense } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import { requirePosted } from '../change.ts'
import { arrivalBookings, referenceFor, seenAtOf } from './bookings.ts'
import { type DepositPresentation, emitDeposit } from './change.ts'
import { type Deposit, depositMoves } from './deposit.ts'
import * as store from './store.ts'

type Options = DepositPresentation & {
  database: Database
  ledger: LedgerService
  audit: Audit
  customers: Pick<CustomerService, 'open' | 'recordAct'>
}

export type Assignment = { depositId: string; organizationId: string; customerId: string; reason: string }

const mostShown = 100
const actor = 'command line'

/** Money that came without anything that tells whose it is. The platform keeps it until its operator finds out. */
export function createUnattributedDepositService({ database, ledger, audit, customers, currencyOf }: Options) {
  return {
    /** Newest first. */
    list: (): Promise<Deposit[]> =>
      store.listDeposits(
        database,
        [platformOrganizationId],
        { status: 'UNMATCHED' },
        { after: undefined, limit: mostShown },
      ),

    /**
     * From here on it is a deposit of the customer's organization, UNMATCHED, about which its own people decide. Out of
     * one organization's books and into the other's, in one transaction. Undefined when there is no such deposit any
     * more, or no such customer.
     */
    assign: async ({ depositId, organizationId, customerId, reason }: Assignment): Promise<Deposit | undefined> => {
      const customer = await customers.open([organizationId], customerId)
      if (!customer) return undefined
      return database.inTx(async (tx) => {
        const key = { organizationId: platformOrganizationId, depositId }
        const given = await store.changeDeposit(tx, key, depositMoves.assign)
        if (!given) return undefined
        const left = resolveSuspense({ asset: given.asset, amount: BigInt(given.amount), to: seenAtOf(given) })
        const leaving = {
          organizationId: platformOrganizationId,
          reference: referenceFor(given, 'resolution'),
          ...left,
        }
        const taken = await store.insertDeposit(tx, {
          ...given,
          organizationId,
          customerId,
          depositId: newId(),
          status: 'UNMATCHED',
          appliedAmount: 0n,
          labels: [],
          recheckInSeconds: null,
        })
        if (!taken) throw new Error(`organization ${organizationId} has a deposit ${given.externalId} already`)
        const arriving = arrivalBookings(taken, { type: 'UNMATCHED' })
        requirePosted(await ledger.post(tx, [leaving, ...arriving]))
        await emitDeposit({ currencyOf }, tx, taken)
        const act = { actor, action: 'deposit.assigned' }
        const details = { depositId: taken.depositId }
        await audit.append(tx, {
          organizationId: platformOrganizationId,
          ...act,
          subjectId: depositId,
          details,
        })
        await customers.recordAct(tx, customer, { ...act, subjectId: taken.depositId, reason })
        return taken
      })
    },
  }
}
