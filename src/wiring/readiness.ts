import { isAnswering } from '../db/database.ts'
import type { Concern, Readiness } from '../http/operations.ts'
import type { ScreeningGap } from '../screening/freshness.ts'
import type { Deps } from './deps.ts'
import type { Services } from './services.ts'

const gaps: Readonly<Record<ScreeningGap, string>> = {
  NO_LIST: 'no watch list is imported',
  OLD_LIST: 'a watch list was not imported for too long',
  NOT_LOADED: 'a watch list is not loaded yet',
}

/**
 * Says at the start of a process that approvals and payouts wait for a watch list, or that they do not. A process with
 * several roles says it once.
 */
export function announceScreeningOnce(deps: Deps, services: Services): () => Promise<void> {
  let announced: Promise<void> | undefined
  return () => {
    announced ??= announceScreening(deps, services)
    return announced
  }
}

async function announceScreening({ config, log }: Deps, { screening }: Services): Promise<void> {
  const gap = await screening.findGap()
  if (gap) {
    const remedy = gap === 'NOT_LOADED' ? '' : '; run svc watchlist import'
    log.error({ gap }, `${gaps[gap]}: no customer is approved and nothing is paid out without a person${remedy}`)
  } else if (config.environment === 'production' && (await screening.currentVersion()) === undefined)
    log.warn('no watch list is imported: customers and payments are not screened by Svc')
}

/** Tells the load balancer whether to send requests here, and operators what needs their attention. */
export function createReadiness({ database, processState }: Deps, services: Services): Readiness {
  return {
    whyNotReady: async () => {
      if (processState.isDraining) return 'This process is stopping'
      return (await isAnswering(database)) ? undefined : 'The database does not answer'
    },

    findConcerns: async () => {
      const chains = await services.chains.count()
      const low = await services.chainPayouts.countLowFunds()
      const stuck = await services.transactions.countStuckWork()
      const concerns: Record<Concern, boolean> = {
        TRANSACTIONS_STUCK: stuck.transactions > 0,
        REFUNDS_STUCK: stuck.refunds > 0,
        DEPOSITS_STUCK: stuck.deposits > 0,
        PAYOUTS_CONTRADICTED: (await services.payouts.count()).contradicted > 0,
        PAYOUTS_HALTED: (await services.ledger.readHalts(database)).halts.length > 0,
        CHAINS_HALTED: chains.halted > 0,
        CHAINS_BEHIND: chains.behind > 0,
        CHAINS_NOT_FINAL: chains.unfinal > 0,
        RELAYER_COINS_LOW: low.relayers > 0,
        TREASURY_LOW: low.treasuries > 0,
        BANK_FOLDERS_UNUSABLE: (await services.bankFileRecords.count()).foldersUnusable > 0,
        WATCH_LIST_NOT_CURRENT: (await services.screening.findGap()) !== undefined,
      }
      return (Object.keys(concerns) as Concern[]).filter((name) => concerns[name])
    },
  }
}
