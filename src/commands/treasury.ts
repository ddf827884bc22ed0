import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { requireOrganization, withApp } from './tools.ts'

type Print = (line: string) => void

const text = { type: 'string', default: '' } as const
const options = {
  account: text,
  bank: text,
  currency: text,
  rails: text,
  holding: text,
  asset: text,
  amount: text,
  organization: text,
  reason: text,
}
type Values = Record<keyof typeof options, string>

type Verb = { needs: readonly (keyof Values)[]; run(app: App, print: Print, values: Values): Promise<void> }

const movementOptions = ['organization', 'holding', 'asset', 'amount', 'reason'] as const

const verbs = new Map<string, Verb>([
  ['accounts', { needs: [], run: listAccounts }],
  ['open', { needs: ['account', 'bank', 'currency', 'rails'], run: openAccount }],
  ['fund', { needs: movementOptions, run: (app, print, values) => move(app, print, values, 'fund') }],
  ['withdraw', { needs: movementOptions, run: (app, print, values) => move(app, print, values, 'withdraw') }],
])

/** Runs a command about our own bank accounts and money; undefined when the arguments make no command. */
export function findTreasuryCommand(
  args: string[],
): ((config: Config, log: Logger, print: Print) => Promise<number>) | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const verb = positionals.length === 1 ? verbs.get(positionals[0] ?? '') : undefined
  if (!verb) return undefined
  const given = Object.entries(values).flatMap(([name, value]) => (value.trim() === '' ? [] : name))
  if (given.sort().join() !== [...verb.needs].sort().join()) return undefined
  return (config, log, print) =>
    withApp(config, log, async (app) => {
      await verb.run(app, print, values)
      return 0
    })
}

async function listAccounts({ treasury }: App, print: Print): Promise<void> {
  const found = await treasury.listAccounts()
  for (const { bankAccountId, bankName, currency, rails } of found) {
    print(`${bankAccountId}  ${currency}  ${rails.join(',')}  ${bankName}`)
  }
  if (found.length === 0) print('There is no bank account: open one with "svc treasury open".')
}

async function openAccount({ treasury }: App, print: Print, values: Values): Promise<void> {
  const { account: bankAccountId, bank: bankName, currency, rails } = values
  await treasury.openAccount({ bankAccountId, bankName, currency, rails: rails.split(',').map((rail) => rail.trim()) })
  print(`${bankAccountId} serves ${rails}.`)
}

async function move(app: App, print: Print, values: Values, act: 'fund' | 'withdraw'): Promise<void> {
  const { organization: organizationId, holding, asset, amount, reason } = values
  await requireOrganization(app, organizationId)
  await app.treasury[act]({ organizationId, holding, asset, amount, reason })
  print(
    act === 'fund' ? `${amount} ${asset} were put into ${holding}.` : `${amount} ${asset} were taken from ${holding}.`,
  )
}
