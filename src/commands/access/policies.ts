import { readFileSync } from 'node:fs'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { Refusal } from '../../lib/refusal.ts'
import { readRules } from '../../policies/wire.ts'
import { type Print, readArguments, requireOrganization, withApp } from '../tools.ts'

type Run = (config: Config, log: Logger, print: Print) => Promise<number>

const text = { type: 'string' } as const

/** Finds the command about the platform's policies; undefined when the arguments make no command. */
export function findPolicyCommand(args: string[]): Run | undefined {
  const { positionals, values } = readArguments(args, { rules: text, reason: text })
  const [verb, organizationId = '', ...rest] = positionals
  const { rules, reason = '' } = values
  if (rest.length > 0 || organizationId === '') return undefined
  const on = (act: (app: App, print: Print) => Promise<void>): Run => {
    return (config, log, print) =>
      withApp(config, log, async (app) => {
        await requireOrganization(app, organizationId)
        await act(app, print)
        return 0
      })
  }
  if (verb === 'show' && rules === undefined && reason === '')
    return on(async (app, print) => print(JSON.stringify(await app.policies.readAsPlatform(organizationId), null, 2)))
  if (reason.trim() === '') return undefined
  if (verb === 'set' && rules !== undefined)
    return on((app, print) => set(app, print, organizationId, { rules, reason }))
  if (verb !== 'halt' && verb !== 'resume') return undefined
  if (rules !== undefined) return undefined
  return on(async (app, print) => {
    const isChanged = await app.policies[verb](organizationId, reason)
    if (!isChanged) throw new Error(`The payouts of the organization are ${verb === 'halt' ? '' : 'not '}halted.`)
    print(verb === 'halt' ? halted : 'Resumed. Payouts that waited start within minutes.')
  })
}

const halted =
  'Halted. New payments of the organization are refused, and no payout of it starts. Refunds and returns go on, and ' +
  'payouts that have started finish.'

/** Replaces the platform's rules for an organization by those of a file. */
async function set(
  app: App,
  print: Print,
  organizationId: string,
  { rules: file, reason }: { rules: string; reason: string },
): Promise<void> {
  const rules = readRules(readFileSync(file, 'utf8'))
  try {
    const { platform } = await app.policies.replaceAsPlatform(organizationId, { rules, reason })
    const isHalted = platform.rules.length > rules.length
    print(`The platform has ${rules.length} rules for the organization${isHalted ? ', which is still halted' : ''}.`)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Error([error.message, ...(error.details ?? []).map((each) => `${each.field} ${each.message}`)].join('\n'))
  }
}
