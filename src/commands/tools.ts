import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import { locateDatabase } from '../db/locate.ts'
import { migrate } from '../db/migrate.ts'
import type { Logger } from '../http/log.ts'
import { isUuid } from '../lib/ids.ts'
import { UsageError } from '../lib/settings.ts'
import { withRunningNodes } from './processes/local-nodes.ts'
import { openApp } from './serve.ts'

export type Print = (line: string) => void

/** Reads arguments. An option that is given twice is refused: the first one would not count. */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  const { tokens, ...read } = parseArgs({ args, allowPositionals: true, options, tokens: true })
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new UsageError(`--${repeated} is given twice.`)
  return read
}

/** Migrates the schema and exits. The operator runs it before starting processes of a new version. */
export async function runMigrate(config: Config, log: Logger, print: Print): Promise<number> {
  const location = await locateDatabase({ ...config, mayShare: true, log: (message) => log.info(message) })
  try {
    const applied = await migrate(location.owner)
    print(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date')
    return 0
  } finally {
    await location.stop()
  }
}

/** Opens the app for one command and closes it. */
export async function withApp(config: Config, log: Logger, work: (app: App) => Promise<number>): Promise<number> {
  const { app, close } = await openApp(await withRunningNodes(config), log, { runsAllRoles: false })
  try {
    return await work(app)
  } finally {
    await close()
  }
}

/** Ends the halts of payouts. Audited. */
export function runPayoutsResume(
  config: Config,
  log: Logger,
  print: Print,
  { reason, force }: { reason: string; force: boolean },
): Promise<number> {
  return withApp(config, log, async (app) => {
    const request = force ? { reason, force } : { reason, force, report: await app.verify() }
    const resumed = await app.ledger.resumePayouts(request)
    if (resumed.outcome === 'STILL_VIOLATED') {
      print('Payouts stay halted. These invariants of money are violated, or could not be checked:')
      for (const name of resumed.checks) print(`  ${name}`)
      print('"svc verify" names the rows. --force resumes anyway; the next check halts payouts again.')
      return 1
    }
    if (resumed.outcome === 'NOT_HALTED') print('Payouts were not halted.')
    else for (const { asset, checks } of resumed.ended) print(`Resumed ${asset ?? 'all payouts'}: ${checks.join('; ')}`)
    return 0
  })
}

export type RevokedLink = { organizationId: string; customerId: string; reason: string }

/** Revokes the verification link of a customer, and prints the new one. */
export function runLinkRevoke(
  config: Config,
  log: Logger,
  print: Print,
  { organizationId, customerId, reason }: RevokedLink,
): Promise<number> {
  return withApp(config, log, async (app) => {
    await requireOrganization(app, organizationId)
    const opened = isUuid(customerId) ? await app.customers.open([organizationId], customerId) : undefined
    if (!opened?.key) throw new Error(`The organization has no customer ${customerId}.`)
    const act = { actor: 'command line', reason }
    const { verificationLink } = await app.database.inTx((tx) => app.customers.revokeLink(tx, opened, act))
    print(`The link is revoked. The new one is ${verificationLink}`)
    return 0
  })
}

export async function requireOrganization(app: App, organizationId: string): Promise<void> {
  if (isUuid(organizationId) && (await app.organizations.exists(organizationId))) return
  throw new Error(`There is no organization ${organizationId}.`)
}
