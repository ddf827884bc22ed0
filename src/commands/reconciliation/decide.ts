import { parseArgs } from 'node:util'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { Refusal } from '../../lib/refusal.ts'
import { UsageError } from '../../lib/settings.ts'
import { type Print, withApp } from '../tools.ts'

const text = { type: 'string', default: '' } as const
const options = {
  own: text,
  entry: { type: 'string', multiple: true, default: [] as string[] },
  kind: text,
  reference: text,
  reason: text,
} as const

/** Finds the command that ends a difference with a bank; undefined when the arguments make no command. */
export function findDifferenceCommand(
  args: string[],
): ((config: Config, log: Logger, print: Print) => Promise<number>) | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb = '', account = '', ...rest] = positionals
  const { own, entry: entries, kind, reference } = values
  const reason = values.reason.trim()
  const act =
    rest.length === 0 && account !== ''
      ? actOf(verb, { own: own !== '', entries: entries.length > 0, kind: kind !== '', reference: reference !== '' })
      : undefined
  if (!act) return undefined
  if (reason === '') throw new UsageError('--reason is missing.')
  const { decide, done } = acts[act]
  return (config, log, print) =>
    withApp(config, log, async (app) => {
      try {
        await decide(app.differences, { account, own, entries, kind, reference, reason })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        print(`${error.code}: ${error.message}.`)
        return 1
      }
      print(done)
      return 0
    })
}

type Told = Record<'account' | 'own' | 'kind' | 'reference' | 'reason', string> & { entries: readonly string[] }
type Act = { decide(differences: App['differences'], told: Told): Promise<void>; done: string }

const acts = {
  explain: { decide: (differences, told) => differences.explain(told), done: 'The bookings are explained.' },
  accept: {
    decide: (differences, told) => differences.accept(told),
    done: 'The difference is accepted: it is no alarm any more.',
  },
  withdrawExplained: {
    decide: (differences, told) => differences.withdrawExplained(told),
    done: 'The bookings are open again: "svc bank-files unmatched" lists them.',
  },
  withdrawAccepted: {
    decide: (differences, told) => differences.withdrawAccepted(told),
    done: 'The difference is no longer accepted.',
  },
} as const satisfies Record<string, Act>

/** Finds the act by its verb and the options that are given, which must be those of the act. */
function actOf(
  verb: string,
  given: Record<'own' | 'entries' | 'kind' | 'reference', boolean>,
): keyof typeof acts | undefined {
  const names = Object.entries(given)
    .flatMap(([name, isGiven]) => (isGiven ? name : []))
    .join(' ')
  if (names === 'own entries') return verb === 'explain' ? 'explain' : undefined
  if (names === 'own') return verb === 'withdraw' ? 'withdrawExplained' : undefined
  if (names !== 'kind reference') return undefined
  return verb === 'accept' ? 'accept' : verb === 'withdraw' ? 'withdrawAccepted' : undefined
}
