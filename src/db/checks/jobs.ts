import type { Duty } from '../duties.ts'
import type { CheckService } from './service.ts'
import { passDue } from './store.ts'

const minuteMs = 60_000
const pollMs = 10_000

/** The duties that keep the results of the checks fresh; each runs in a loop of its own. */
export function checkDuties(
  checks: CheckService,
  recordOverdueChecks: () => Promise<void>,
): { quick: Duty; full: Duty } {
  return {
    quick: {
      name: 'check recent postings',
      everyMs: minuteMs,
      run: async () => {
        const outcome = await checks.checkQuickly()
        await recordOverdueChecks()
        return outcome
      },
    },
    full: {
      name: 'verify',
      everyMs: pollMs,
      due: passDue,
      run: checks.checkFully,
      pauseMs: (outcome) => ((outcome as { hasMore: boolean }).hasMore ? 0 : pollMs),
    },
  }
}
