import { firesBetween, nextFire, readSchedule, type Schedule } from './cron-oracle.ts'

type TimedRule = { schedule: Schedule; isActive: boolean; from: Date; runs: Set<string>; optional: Set<string> }

/**
 * Computes the expected runs of scheduled rules from the requests and their times alone. A rule that was changed
 * while a worker processed its fire may have fired or not: such a run is optional.
 */
export function makeRuleModel() {
  const rules = new Map<string, TimedRule>()
  const the = (id: string): TimedRule => {
    const rule = rules.get(id)
    if (!rule) throw new Error(`no rule ${id} in the model`)
    return rule
  }
  /** The newest missed fire. */
  const due = ({ schedule, isActive, from }: TimedRule, now: Date): Date | undefined =>
    isActive ? [...firesBetween(schedule, from, now)].at(-1) : undefined
  return {
    create: (id: string, cronSchedule: string, now: Date) => {
      const none = { runs: new Set<string>(), optional: new Set<string>() }
      rules.set(id, { schedule: readSchedule(cronSchedule), isActive: true, from: now, ...none })
    },

    /** Stops a rule. Beside running workers, a fire due now is optional. */
    stop: (id: string, now: Date, areWorkersAtIt: boolean) => {
      const rule = the(id)
      const missed = due(rule, now)
      if (missed && areWorkersAtIt) rule.optional.add(missed.toISOString())
      rule.isActive = false
    },

    /** Fires missed while paused stay missed. */
    resume: (id: string, now: Date) => {
      Object.assign(the(id), { isActive: true, from: now })
    },

    /** The workers have done all due work: one run per rule, however many fires it missed. */
    settle: (now: Date) => {
      for (const rule of rules.values()) {
        const missed = due(rule, now)
        if (missed) rule.runs.add(missed.toISOString())
        rule.from = now
      }
    },

    ids: () => [...rules.keys()],
    expected: (id: string) => [...the(id).runs].sort(),
    optional: (id: string) => the(id).optional,
    /** The next `count` fires of a rule. */
    next: (id: string, count: number): string[] => {
      const { schedule, from } = the(id)
      const found: string[] = []
      for (let at = nextFire(schedule, from); at && found.length < count; at = nextFire(schedule, at)) {
        found.push(at.toISOString())
      }
      return found
    },
  }
}

export type RuleModel = ReturnType<typeof makeRuleModel>
