import { parseArgs } from 'node:util'
import type { Running } from './commands/serve.ts'
import { packageVersion } from './commands/version.ts'
import { type Config, readConfig } from './config.ts'
import { createLogger, type Logger, shortLines } from './http/log.ts'
import { tiers } from './organizations/organization.ts'

const help = `svc ${packageVersion()}

  svc dev                  API and workers on an embedded database (npm start)
  svc serve                the API
  svc worker               the background workers
  svc signer               the one process that holds keys; makes addresses for wallets
  svc migrate              bring the database schema up to date
  svc keys create [name] [--organization id]
                           print a new API key with every scope, once
  svc keys rotate          sign new tokens with a new key within seconds
  svc organizations create name [--parent id] [--tier BUILDER|STARTUP|ENTERPRISE]
                           make an organization and print its id
  svc organizations set id [--tier …] [--requests-per-minute n]
                           change what an organization may do
  svc watchlist import folder [--force]
                           screen against the published list in a folder; --force lets it shrink by half and more
  svc watchlist show       the list in force
  svc custody init         make the seeds that every key is derived from
  svc custody status       which seeds are in use, whether they were backed up, how many addresses are free
  svc custody check        derive every stored address anew
  svc custody export --i-understand
                           print the seeds as phrases: whoever sees them can take all money
  svc custody import       put the phrases on standard input into use
  svc verify               check every invariant of the stored data
  svc payouts resume --reason text [--force]
                           let payouts leave again after a broken ledger halted them
  svc deposits nobodys     what came in without anything that tells whose it is
  svc deposits assign id --organization id --customer id --reason text
                           give such a deposit to a customer's organization, which decides about it
  svc version

Settings are environment variables; docs/operating.md lists them.`

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Command = (config: Config, log: Logger, args: string[]) => Promise<Running | number>

const print = (line: string) => console.log(line)

// Each command brings its own code along: the processes that answer strangers never load what derives keys, and the
// signer loads nothing of theirs.
const serve = () => import('./commands/serve.ts')
const tools = () => import('./commands/tools.ts')

const commands: Record<string, Command> = {
  dev: async (config, log) => {
    if (config.environment === 'production')
      throw new Error('"svc dev" is for the sandbox; run "svc serve" and "svc worker".')
    const { startDev } = await import('./commands/dev.ts')
    return startDev(config, log, print)
  },
  serve: async (config, log) => {
    const { openApp, startApi, startOperations } = await serve()
    const { app, close } = await openApp(config, log, { isAlone: false })
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
    const { app, close } = await openApp(config, log, { isAlone: false })
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
    const options = { reason: { type: 'string', default: '' }, force: { type: 'boolean', default: false } } as const
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    if (positionals.join() !== 'resume' || values.reason.trim() === '') return usage(`svc payouts ${args.join(' ')}`)
    return (await tools()).runPayoutsResume(config, log, print, values)
  },
  deposits: async (config, log, args) => {
    const text = { type: 'string', default: '' } as const
    const options = { organization: text, customer: text, reason: text }
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    const [verb, depositId = '', ...rest] = positionals
    if (verb === 'nobodys' && args.length === 1) return (await tools()).runDepositsList(config, log, print)
    const { organization: organizationId, customer: customerId, reason } = values
    if (verb !== 'assign' || reason.trim() === '' || rest.length > 0) return usage(`svc deposits ${args.join(' ')}`)
    return (await tools()).runDepositsAssign(config, log, print, { depositId, organizationId, customerId, reason })
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
    const [verb, name = 'Made on the command line', ...rest] = positionals
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
    } as const
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: texts })
    const [verb, subject = '', ...rest] = positionals
    const tier = tiers.find((each) => each === values.tier)
    const perMinute = values['requests-per-minute']
    const isBad =
      rest.length > 0 ||
      subject.trim() === '' ||
      (values.tier !== undefined && !tier) ||
      !/^\d{1,8}$/.test(perMinute ?? '0')
    if (verb === 'create' && !isBad && perMinute === undefined) {
      const parentOrganizationId = values.parent ?? null
      return runOrganizationsCreate(config, log, print, {
        name: subject,
        tier: tier ?? 'BUILDER',
        parentOrganizationId,
      })
    }
    if (verb === 'set' && !isBad && values.parent === undefined && (tier || perMinute)) {
      const terms = { ...(tier ? { tier } : {}), ...(perMinute ? { requestsPerMinute: Number(perMinute) } : {}) }
      return runOrganizationsSet(config, log, print, { organizationId: subject, ...terms })
    }
    return usage(`svc organizations ${args.join(' ')}`)
  },
}

const commandsWithWords = ['keys', 'organizations', 'custody', 'payouts', 'deposits', 'watchlist']

async function main([name = 'help', ...args]: string[]): Promise<void> {
  if (name === 'version' || name === '--version') return print(packageVersion())
  if (name === 'help' || name === '--help') return print(help)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command || (args.length > 0 && !commandsWithWords.includes(name))) {
    process.exitCode = await usage(`svc ${[name, ...args].join(' ')}`)
    return
  }
  const config = readConfig(process.env, process.cwd(), ['signer', 'custody'].includes(name) ? 'signer' : 'service')
  // Short-lived commands print their result; only what went wrong is worth a log line there.
  const isLongLived = ['dev', 'serve', 'worker', 'signer'].includes(name)
  const level = isLongLived || config.logLevel !== 'info' ? config.logLevel : 'warn'
  const log = createLogger(level, ['dev', 'signer'].includes(name) && process.stdout.isTTY ? shortLines : undefined)
  // While starting there is nothing to drain: an orderly exit takes the embedded database along.
  const hasStarter = process.connected
  const giveUp = () => process.exit(130)
  for (const signal of stopSignals) process.once(signal, giveUp)
  const result = await command(config, log, args)
  for (const signal of stopSignals) process.off(signal, giveUp)
  if (typeof result === 'number') process.exitCode = result
  else stopWhenAsked(result, log, hasStarter)
}

async function usage(asked: string): Promise<number> {
  console.error(`There is no "${asked.trim()}".\n\n${help}`)
  return 2
}

/** The first request to stop drains; a second signal ends at once. The starter's channel closing counts as a request. */
function stopWhenAsked(running: Running, log: Logger, hasStarter: boolean): void {
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
  if (!hasStarter) return
  process.on('disconnect', () => stop('the starting process is gone', false))
  if (!process.connected) stop('the starting process is gone', false)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? `svc: ${error.message}` : error)
  process.exit(1)
})
