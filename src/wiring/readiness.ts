import { isAnswering } from '../db/database.ts'
import type { Concern, Readiness } from '../http/operations.ts'
import type { Deps } from './deps.ts'
import type { Services } from './services.ts'

/** Tells the load balancer whether to send requests here, and operators what needs their attention. */
export function createReadiness({ database, processState }: Deps, services: Services): Readiness {
  return {
    whyNotReady: async () => {
      if (processState.isDraining) return 'This process is stopping'
      return (await isAnswering(database)) ? undefined : 'The database does not answer'
    },

    findConcerns: async () => {
      const stuck = await services.transactions.countStuckWork()
      const concerns: Record<Concern, boolean> = {
        TRANSACTIONS_STUCK: stuck.transactions > 0,
        REFUNDS_STUCK: stuck.refunds > 0,
        DEPOSITS_STUCK: stuck.deposits > 0,
        PAYOUTS_CONTRADICTED: (await services.payouts.count()).contradicted > 0,
        PAYOUTS_HALTED: (await services.ledger.readHalts(database)).halts.length > 0,
      }
      return (Object.keys(concerns) as Concern[]).filter((name) => concerns[name])
    },
  }
}
