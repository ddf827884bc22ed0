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
  if (account === '' || rest.length > 0 || !['explain', 'accept'].includes(verb)) return undefined
  if (reason === '') throw new UsageError('--reason is missing.')
  const isExplaining = verb === 'explain'
  if ((own !== '' && entries.length > 0) !== isExplaining || (kind !== '' && reference !== '') === isExplaining)
    return undefined
  const decide = ({ differences }: App) =>
    isExplaining
      ? differences.explain({ account, own, entries, reason })
      : differences.accept({ account, kind, reference, reason })
  return (config, log, print) =>
    withApp(config, log, async (app) => {
      try {
        await decide(app)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        print(`${error.code}: ${error.message}.`)
        return 1
      }
      print(isExplaining ? 'The bookings are explained.' : 'The difference is accepted: it is no alarm any more.')
      return 0
    })
}
