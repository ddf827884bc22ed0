import { firesBetween, nextFire, readSchedule, type Schedule } from './cron-oracle.ts'

type TimedRule = { schedule: Schedule; isActive: boolean; from: Date; runs: Set<string>; optional: Set<string> }

/**
 * Which runs there must be of rules with a schedule, by nothing but what was asked of the service and when. A rule that
 * was changed while its fire was being dealt with may have fired or not; the caller says so.
 */
export function makeRuleModel() {
  const rules = new Map<string, TimedRule>()
  const the = (id: string): TimedRule => {
    const rule = rules.get(id)
    if (!rule) throw new Error(`no rule ${id} in the model`)
    return rule
  }
  /** The newest of the missed times. */
  const due = ({ schedule, isActive, from }: TimedRule, now: Date): Date | undefined =>
    isActive ? [...firesBetween(schedule, from, now)].at(-1) : undefined
  return {
    create: (id: string, cronSchedule: string, now: Date) => {
      const none = { runs: new Set<string>(), optional: new Set<string>() }
      rules.set(id, { schedule: readSchedule(cronSchedule), isActive: true, from: now, ...none })
    },

    /** While the workers may be at it: what was due now may still have come in before. */
    stop: (id: string, now: Date, areWorkersAtIt: boolean) => {
      const rule = the(id)
      const missed = due(rule, now)
      if (missed && areWorkersAtIt) rule.optional.add(missed.toISOString())
      rule.isActive = false
    },

    /** Times that were missed meanwhile stay missed. */
    resume: (id: string, now: Date) => {
      Object.assign(the(id), { isActive: true, from: now })
    },

    /** The workers have done all that is due: of everything that each rule missed, one run. */
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
    /** Its next fires, so many of them. */
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
