import { type Database, doesAnswer } from '../db/database.ts'
import type { Concern, Readiness } from '../http/operations.ts'
import type { Address } from './deps.ts'
import type { Services } from './services.ts'

type Watched = { database: Database; services: Services; address: Address }

/** Whether requests should come here, and what people should look at although they should. */
export function createReadiness({ database, services, address }: Watched): Readiness {
  return {
    whyNotReady: async () => {
      if (address.isDraining) return 'This process is stopping'
      return (await doesAnswer(database)) ? undefined : 'The database does not answer'
    },

    findConcerns: async () => {
      const stuck = await services.transactions.countStuck()
      const concerns: Record<Concern, boolean> = {
        TRANSACTIONS_STUCK: stuck.transactions > 0,
        REFUNDS_STUCK: stuck.refunds > 0,
        DEPOSITS_STUCK: stuck.deposits > 0,
        PAYOUTS_HALTED: await services.ledger.arePayoutsHalted(database),
      }
      return (Object.keys(concerns) as Concern[]).filter((name) => concerns[name])
    },
  }
}
