import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/database.ts'
import { resolveUnclaimed } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import { requirePosted } from '../change.ts'
import { arrivalBookings, referenceFor, seenAtOf } from './bookings.ts'
import { emitDeposit, type Showing } from './change.ts'
import { type DepositRow, depositMoves } from './deposit.ts'
import * as store from './store.ts'

type Options = Showing & {
  database: Database
  ledger: LedgerService
  audit: Audit
  customers: Pick<CustomerService, 'open' | 'recordAct'>
}

export type Assignment = { depositId: string; organizationId: string; customerId: string; reason: string }

const mostShown = 100
const actor = 'command line'

/** Money that came without anything that tells whose it is. The platform keeps it until its operator finds out. */
export function makeNobodysDeposits({ database, ledger, audit, customers, currencyOf }: Options) {
  return {
    /** Newest first. */
    list: (): Promise<DepositRow[]> =>
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
    assign: async ({ depositId, organizationId, customerId, reason }: Assignment): Promise<DepositRow | undefined> => {
      const customer = await customers.open([organizationId], customerId)
      if (!customer) return undefined
      return database.transaction(async (transaction) => {
        const key = { organizationId: platformOrganizationId, depositId }
        const given = await store.changeDeposit(transaction, key, depositMoves.assign)
        if (!given) return undefined
        const left = resolveUnclaimed({ asset: given.asset, amount: BigInt(given.amount), to: seenAtOf(given) })
        const leaving = {
          organizationId: platformOrganizationId,
          reference: referenceFor(given, 'resolution'),
          ...left,
        }
        const taken = await store.insertDeposit(transaction, {
          ...{ ...given, organizationId, customerId, depositId: newId(), status: 'UNMATCHED' },
          ...{ appliedAmount: 0n, labels: [], againInSeconds: null },
        })
        if (!taken) throw new Error(`organization ${organizationId} has a deposit ${given.externalId} already`)
        const arriving = arrivalBookings(taken, { type: 'UNMATCHED' })
        requirePosted(await ledger.post(transaction, [leaving, ...arriving]))
        await emitDeposit({ currencyOf }, transaction, taken)
        const act = { actor, action: 'deposit.assigned' }
        const details = { depositId: taken.depositId }
        await audit.append(transaction, {
          organizationId: platformOrganizationId,
          ...act,
          subjectId: depositId,
          details,
        })
        await customers.recordAct(transaction, customer, { ...act, subjectId: taken.depositId, reason })
        return taken
      })
    },
  }
}
