import type { App } from '../../../src/app.ts'
import { createRunService, type RunDeps } from '../../../src/automation-rules/runs/service.ts'
import { createScheduleService } from '../../../src/automation-rules/triggers/schedule.ts'
import { createThresholdService } from '../../../src/automation-rules/triggers/threshold.ts'

type Between = { quoted?(): Promise<unknown>; made?(): Promise<unknown> }
const ignore = () => {}

/** Lets a test run the workers' rule jobs itself, and act between their steps. */
export function makeRuleHands(app: App) {
  return (between: Between = {}, leaseMs = 30_000) => {
    const quotes: RunDeps['quotes'] = {
      ...app.quotes,
      createMany: async (wanted) => {
        const made = await app.quotes.createMany(wanted)
        await between.quoted?.()
        return made
      },
    }
    const transactions: RunDeps['transactions'] = {
      createTogether: async (tx, wanted) => {
        const made = await app.transactions.createTogether(tx, wanted)
        await between.made?.()
        return made
      },
    }
    const shared = { database: app.database, onFailure: ignore, onPoint: ignore }
    const schedule = createScheduleService(shared)
    const comparing = createThresholdService(shared)
    const runs = createRunService({ ...shared, quotes, transactions, coolDownSeconds: 600, onOutcome: ignore })
    return {
      open: () => schedule.openDue(1_000),
      compare: () => comparing.compareDue(100, leaseMs),
      fire: () => runs.fireDue(100, leaseMs),
      /** Runs all jobs until nothing is due. */
      carryOut: async () => {
        while ((await schedule.openDue(1_000)) + (await comparing.compareDue(100, leaseMs)) > 0);
        while ((await runs.fireDue(100, leaseMs)) > 0);
      },
    }
  }
}
