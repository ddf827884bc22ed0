import { parseArgs } from 'node:util'
import type { Running } from './commands/serve.ts'
import { packageVersion } from './commands/version.ts'
import { type Config, readConfig } from './config.ts'
import { createLogger, type Logger, shortLines } from './http/log.ts'
import { UsageError } from './lib/settings.ts'
import { type OrganizationLimits, tiers } from './organizations/organization.ts'
import { quoteLifetimeSeconds } from './quotes/quote.ts'

const help = `svc ${packageVersion()}

  svc dev                  run API, workers and signer on an embedded database (npm start)
  svc serve                run the API
  svc worker               run the background workers
  svc signer               run the only process with key material; it creates wallet addresses
  svc migrate              migrate the database schema
  svc keys create [name] [--organization id]
                           create an API key with every scope and print it once
  svc keys rotate          sign new tokens with a new key within seconds
  svc organizations create name [--parent id] [--tier BUILDER|STARTUP|ENTERPRISE]
                           create an organization and print its id
  svc organizations set id [--tier …] [--requests-per-minute n] [--guarantee-per-transaction usd]
      [--guarantee-per-organization usd] [--guarantee-window seconds]
                           set the tier or the limits of an organization
  svc watchlist import folder [--force]
                           import the published watch list in a folder; --force accepts a list half as long or shorter
  svc watchlist show       print the current watch list's version, counts and last import
  svc custody init         create the seeds from which all keys are derived
  svc custody status       print the seeds in use, their last backup and the number of free addresses
  svc custody check        derive every stored address again and report differences
  svc custody export --i-understand
                           print the seeds as phrases; anyone who sees them can take all money
  svc custody import       put the phrases from standard input into use as seeds
  svc custody rotate-seals replace the sealing key, seal everything anew and retire the former key
  svc verify               check every invariant of the stored data
  svc payouts resume --reason text [--force]
                           resume halted payouts
  svc payouts list --stuck | --contradicted
                           list payouts without an outcome for an hour, or with an outcome that the rail contradicts
  svc payouts settle id --outcome confirmed|refused --reference text --reason text [--yes]
                           record the outcome of a stuck payout; a refusal gives the money back and needs --yes
  svc payouts acknowledge id --reason text
                           end the alarm about a contradicted payout
  svc payouts reports      list reports of rails that match no payout, or that wait to be applied
  svc payouts reports resolve rail report-id --reason text
                           end the alarm about a report that matches no payout
  svc deposits unattributed
                           list deposits that carry no reference to a customer
  svc deposits assign id --organization id --customer id --reason text
                           assign an unattributed deposit to a customer's organization, which decides about it
  svc deposits quarantined
                           list bank entries that came with the reference of another entry
  svc deposits accept id --reason text
                           record a quarantined entry as a deposit of its own
  svc deposits dismiss id --reason text
                           end the quarantine of an entry that is no money
  svc treasury accounts    list our own bank accounts and the rails they serve
  svc treasury open --account id --bank name --currency USD --rails ACH,WIRE
                           open a bank account of ours for rails that no account serves
  svc treasury show [--organization id] [--json]
                           print what we hold, owe and may use at each holding, and the open proposals
  svc treasury fund|withdraw --organization id --holding account|TREASURY --asset USD --amount 100.00 --reason text
                           record own money that was put into a bank account or treasury, or taken out of it
  svc treasury rebalance --organization id --from holding --to holding --asset USDC/BASE [--to-asset USDC/SOLANA]
      --amount 100.00 [--received 99.50] --reason text
                           record own money that was moved between holdings; the part that did not arrive is a cost
  svc treasury fee --organization id --holding account|TREASURY --asset USD --amount 5.00 --reason text [--refund]
                           record what a bank or network charged, or refunded
  svc treasury approve id  record a movement that another person proposed
  svc treasury refuse id --reason text
                           end a proposal
  svc version              print the version

Settings are environment variables; docs/operating.md lists them.`

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Command = (config: Config, log: Logger, args: string[]) => Promise<Running | number>

const print = (line: string) => console.log(line)

// Each command loads its own code: the processes that answer requests never load key derivation, and the signer loads
// none of their code.
const serve = () => import('./commands/serve.ts')
const tools = () => import('./commands/tools.ts')

const commands: Record<string, Command> = {
  dev: async (config, log) => {
    if (config.environment === 'production')
      throw new Error('"svc dev" is for the sandbox. In production run "svc serve", "svc worker" and "svc signer".')
    const { startDev } = await import('./commands/dev.ts')
    return startDev(config, log, print)
  },
  serve: async (config, log) => {
    const { openApp, startApi, startOperations } = await serve()
    const { app, close } = await openApp(config, log, { runsAllRoles: false })
    const api = await startApi(app, config).catch(async (error: unknown) => {
      await close()
      throw error
    })
    const operations = await startOperations(app, config)
    log.info({ baseUrl: api.baseUrl }, 'the API is listening')
    return { stop: () => api.stop().then(operations.stop).then(close) }
  },
  worker: async (config, log) => {
    const { openApp, startOperations } = await serve()
    const { app, close } = await openApp(config, log, { runsAllRoles: false })
    const worker = await app.startWorker()
    const operations = await startOperations(app, config)
    log.info('the worker is running')
    return { stop: () => worker.stop().then(operations.stop).then(close) }
  },
  signer: async (config, log) => (await import('./commands/signer.ts')).startSigner(config, log),
  custody: async (config, log, args) => {
    const { custodyCommands } = await import('./commands/custody.ts')
    const run = custodyCommands.get(args.join(' '))
    return run ? run(config, log, print) : usage(`svc custody ${args.join(' ')}`)
  },
  migrate: async (config, log) => (await tools()).runMigrate(config, log, print),
  verify: async (config, log) => (await tools()).runVerify(config, log, print),
  payouts: async (config, log, args) => {
    const { findPayoutCommand } = await import('./commands/payouts.ts')
    const run = findPayoutCommand(args)
    return run ? run(config, log, print) : usage(`svc payouts ${args.join(' ')}`)
  },
  deposits: async (config, log, args) => {
    const text = { type: 'string', default: '' } as const
    const options = { organization: text, customer: text, reason: text }
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    const [verb, depositId = '', ...rest] = positionals
    if (verb === 'unattributed' && args.length === 1) return (await tools()).runDepositsList(config, log, print)
    if (verb === 'quarantined' && args.length === 1) return (await tools()).runDepositsQuarantined(config, log, print)
    const { organization: organizationId, customer: customerId, reason } = values
    if ((verb === 'accept' || verb === 'dismiss') && reason.trim() !== '' && rest.length === 0)
      return (await tools()).runDepositsDecide(config, log, print, { action: verb, quarantineId: depositId, reason })
    if (verb !== 'assign' || reason.trim() === '' || rest.length > 0) return usage(`svc deposits ${args.join(' ')}`)
    return (await tools()).runDepositsAssign(config, log, print, { depositId, organizationId, customerId, reason })
  },
  treasury: async (config, log, args) => {
    const { findTreasuryCommand } = await import('./commands/treasury.ts')
    const run = findTreasuryCommand(args)
    return run ? run(config, log, print) : usage(`svc treasury ${args.join(' ')}`)
  },
  watchlist: async (config, log, args) => {
    const options = { force: { type: 'boolean' } } as const
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    const [verb, folder = '', ...rest] = positionals
    if (verb === 'show' && args.length === 1) return (await tools()).runWatchlistShow(config, log, print)
    if (verb !== 'import' || folder === '' || rest.length > 0) return usage(`svc watchlist ${args.join(' ')}`)
    return (await tools()).runWatchlistImport(config, log, print, { folder, mayShrink: values.force ?? false })
  },
  keys: async (config, log, args) => {
    const { runKeysCreate, runKeysRotate } = await tools()
    const options = { organization: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    const [verb, name = 'Created on the command line', ...rest] = positionals
    if (verb === 'rotate' && args.length === 1) return runKeysRotate(config, log, print)
    if (verb !== 'create' || name.trim() === '' || rest.length > 0) return usage(`svc keys ${args.join(' ')}`)
    return runKeysCreate(config, log, print, { name, organizationId: values.organization })
  },
  organizations: async (config, log, args) => {
    const { runOrganizationsCreate, runOrganizationsSet } = await tools()
    const texts = {
      parent: { type: 'string' },
      tier: { type: 'string' },
      'requests-per-minute': { type: 'string' },
      'guarantee-per-transaction': { type: 'string' },
      'guarantee-per-organization': { type: 'string' },
      'guarantee-window': { type: 'string' },
    } as const
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: texts })
    const [verb, subject = '', ...rest] = positionals
    const tier = tiers.find((each) => each === values.tier)
    const limits = readLimits(values)
    const isBad = rest.length > 0 || subject.trim() === '' || (values.tier !== undefined && !tier) || !limits
    const hasLimits = Object.keys(limits ?? {}).length > 0
    if (verb === 'create' && !isBad && !hasLimits) {
      const parentOrganizationId = values.parent ?? null
      return runOrganizationsCreate(config, log, print, {
        name: subject,
        tier: tier ?? 'BUILDER',
        parentOrganizationId,
      })
    }
    if (verb === 'set' && !isBad && values.parent === undefined && (tier || hasLimits)) {
      const terms = { ...(tier ? { tier } : {}), ...limits }
      return runOrganizationsSet(config, log, print, { organizationId: subject, ...terms })
    }
    return usage(`svc organizations ${args.join(' ')}`)
  },
}

type LimitFlag = 'requests-per-minute' | 'guarantee-per-transaction' | 'guarantee-per-organization' | 'guarantee-window'

/** Reads the limits on the command line; undefined if one is invalid. */
function readLimits(values: Partial<Record<LimitFlag, string>>): OrganizationLimits | undefined {
  const perMinute = values['requests-per-minute']
  const perTransaction = values['guarantee-per-transaction']
  const perOrganization = values['guarantee-per-organization']
  const seconds = values['guarantee-window']
  const areAmounts = [perTransaction, perOrganization].every((text) => /^\d{1,12}(\.\d{1,2})?$/.test(text ?? '0'))
  const isWindow = /^\d{1,8}$/.test(seconds ?? '0') && Number(seconds ?? quoteLifetimeSeconds) >= quoteLifetimeSeconds
  if (!/^\d{1,8}$/.test(perMinute ?? '0') || !areAmounts || !isWindow) return undefined
  return {
    ...(perMinute === undefined ? {} : { requestsPerMinute: Number(perMinute) }),
    ...(perTransaction === undefined ? {} : { guaranteedUSDAmountPerTransaction: perTransaction }),
    ...(perOrganization === undefined ? {} : { guaranteedUSDAmountPerOrganization: perOrganization }),
    ...(seconds === undefined ? {} : { guaranteeWindowSeconds: Number(seconds) }),
  }
}

const commandsWithArguments = ['keys', 'organizations', 'custody', 'payouts', 'deposits', 'treasury', 'watchlist']

async function main([name = 'help', ...args]: string[]): Promise<void> {
  if (name === 'version' || name === '--version') return print(packageVersion())
  if (name === 'help' || name === '--help') return print(help)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command || (args.length > 0 && !commandsWithArguments.includes(name))) {
    process.exitCode = await usage(`svc ${[name, ...args].join(' ')}`)
    return
  }
  const config = readConfig(process.env, process.cwd(), ['signer', 'custody'].includes(name) ? 'signer' : 'service')
  // Short-lived commands print their result, so they log warnings and errors only.
  const isLongLived = ['dev', 'serve', 'worker', 'signer'].includes(name)
  const level = isLongLived || config.logLevel !== 'info' ? config.logLevel : 'warn'
  const log = createLogger(level, ['dev', 'signer'].includes(name) && process.stdout.isTTY ? shortLines : undefined)
  // During the start nothing needs draining: an orderly exit stops the embedded database too.
  const hasParent = process.connected
  const giveUp = () => process.exit(130)
  for (const signal of stopSignals) process.once(signal, giveUp)
  const result = await command(config, log, args).catch((error: unknown) => {
    const asked = `svc ${[name, ...args].join(' ')}`
    if (error instanceof UsageError) return usage(asked, error.message)
    if (!isBadOption(error)) throw error
    return usage(asked)
  })
  for (const signal of stopSignals) process.off(signal, giveUp)
  if (typeof result === 'number') process.exitCode = result
  else stopWhenAsked(result, log, hasParent)
}

/** True for the error of `parseArgs` about an option that the command does not have, or that lacks its value. */
function isBadOption(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

async function usage(asked: string, problem = `"${asked.trim()}" is no valid command.`): Promise<number> {
  const forms = findForms(asked)
  const valid = forms.length > 0 ? `These are valid:\n\n${forms.join('\n')}` : `\n${help}`
  console.error(`${problem} ${valid}`)
  return 2
}

/** Finds the forms of a command in the help: those of its verb, else of its first word. */
function findForms(asked: string): string[] {
  const forms =
    help
      .split('\n\nSettings')[0]
      ?.split(/\n(?= {2}svc )/)
      .slice(1) ?? []
  const [, name = '', verb = ''] = asked.trim().split(' ')
  const ofName = forms.filter((form) => form.trim().split(/\s+/)[1] === name)
  const ofVerb = ofName.filter((form) => form.trim().split(/\s+/)[2]?.split('|').includes(verb))
  return ofVerb.length > 0 ? ofVerb : ofName
}

/** Drains on the first signal, or when the channel to the parent process closes. A second signal exits at once. */
function stopWhenAsked(running: Running, log: Logger, hasParent: boolean): void {
  let stopping = false
  let signals = 0
  const stop = (reason: string, isSignal: boolean) => {
    if (isSignal) signals += 1
    if (signals > 1) process.exit(1)
    if (stopping) return
    stopping = true
    log.info({ reason }, 'stopping')
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of stopSignals) process.on(signal, () => stop(signal, true))
  if (!hasParent) return
  process.on('disconnect', () => stop('the parent process ended', false))
  if (!process.connected) stop('the parent process ended', false)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? `svc: ${error.message}` : error)
  process.exit(1)
})
