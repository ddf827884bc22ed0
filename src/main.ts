import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { help } from './commands/help.ts'
import { isHeld, untilReleased } from './commands/processes/held.ts'
import { answerPings, findPlace, onStopMessage } from './commands/processes/siblings.ts'
import type { Running } from './commands/serve.ts'
import { explainFailure } from './commands/start/explain.ts'
import { requirePlaces } from './commands/start/places.ts'
import { requirePorts } from './commands/start/ports.ts'
import { packageVersion } from './commands/version.ts'
import { type Config, readConfig } from './config.ts'
import { createLogger, type Logger, shortLines } from './http/log.ts'
import type { SettingsReader } from './lib/settings/roles.ts'
import { readSecretFiles } from './lib/settings/safety.ts'
import { ConfigError, UsageError } from './lib/settings.ts'

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
    if (config.processes > 1)
      throw new Error(
        'SVC_PROCESSES is for "svc serve". "svc dev" runs the API and the workers in one process: unset it.',
      )
    const { startDev } = await import('./commands/dev.ts')
    return startDev(config, log, print)
  },
  serve: async (config, log, args) => {
    const place = findPlace(args)
    if (place) {
      answerPings()
      return (await serve()).startSibling(config, log, place)
    }
    await requirePorts(config, 'serve')
    await requirePlaces(config, log, 'serve')
    if (config.processes === 1) return (await serve()).startServe(config, log)
    const { startApiProcesses } = await import('./commands/api-processes.ts')
    return startApiProcesses(config, log)
  },
  worker: async (config, log) => {
    const { openApp, startOperations } = await serve()
    await requirePorts(config, 'worker')
    await requirePlaces(config, log, 'worker')
    const { app, close } = await openApp(config, log, { runsAllRoles: false })
    const worker = await app.startWorker()
    const operations = await startOperations(app, config)
    log.info('the worker is running')
    return { stop: () => worker.stop().then(operations.stop).then(close) }
  },
  signer: async (config, log, args) => {
    const { startSigner } = await import('./commands/signer.ts')
    if (isHeld(args)) await untilReleased()
    return startSigner(config, log)
  },
  chains: async (config, log, args) => {
    const { values } = parseArgs({ args, options: { port: { type: 'string' }, family: { type: 'string' } } })
    const { family = 'evm' } = values
    if (family !== 'evm' && family !== 'solana') return usage(`svc chains --family ${family}`)
    if (config.environment === 'production') throw new Error('"svc chains" is for the sandbox only.')
    return (await import('./commands/chains.ts')).startChains(config, log, family, values.port)
  },
  custody: async (config, log, args) => {
    const { custodyCommands, findReserveCommand, findSwitchCommand } = await import('./commands/custody.ts')
    const run = custodyCommands.get(args.join(' ')) ?? findReserveCommand(args) ?? findSwitchCommand(args)
    return run ? run(config, log, print) : usage(`svc custody ${args.join(' ')}`)
  },
  reset: async (config, log, args) => {
    const { values } = parseArgs({ args, options: { yes: { type: 'boolean', default: false } } })
    return (await import('./commands/start/reset.ts')).runReset(config, log, print, { isConfirmed: values.yes })
  },
  migrate: async (config, log) => (await tools()).runMigrate(config, log, print),
  verify: async (config, log, args) => {
    const { runVerify, runVerifyBanks, runVerifyChains } = await import('./commands/reconciliation/verify.ts')
    if (args.join(' ') === '--chains') return runVerifyChains(config, log, print)
    const [which, option, date] = args
    const isDated = args.length === 1 || (args.length === 3 && option === '--date')
    if (which === '--banks' && isDated) return runVerifyBanks(config, log, print, date)
    return args.length === 0 ? runVerify(config, log, print) : usage(`svc verify ${args.join(' ')}`)
  },
  payouts: async (config, log, args) => {
    const { findPayoutCommand } = await import('./commands/payouts.ts')
    const run = findPayoutCommand(args)
    return run ? run(config, log, print) : usage(`svc payouts ${args.join(' ')}`)
  },
  deposits: async (config, log, args) => {
    const { findDepositCommand } = await import('./commands/deposits.ts')
    const run = findDepositCommand(args)
    return run ? run(config, log, print) : usage(`svc deposits ${args.join(' ')}`)
  },
  networks: async (config, log, args) => {
    const { findNetworkCommand } = await import('./commands/networks.ts')
    const run = findNetworkCommand(args)
    return run ? run(config, log, print) : usage(`svc networks ${args.join(' ')}`)
  },
  'bank-files': async (config, log, args) => {
    const { findBankFileCommand } = await import('./commands/bank-files.ts')
    const run = findBankFileCommand(args)
    return run ? run(config, log, print) : usage(`svc bank-files ${args.join(' ')}`)
  },
  treasury: async (config, log, args) => {
    const { findTreasuryCommand } = await import('./commands/treasury.ts')
    const run = findTreasuryCommand(args)
    return run ? run(config, log, print) : usage(`svc treasury ${args.join(' ')}`)
  },
  statements: async (config, log, args) => {
    const { findStatementCommand } = await import('./commands/exports/statements.ts')
    const run = findStatementCommand(args)
    return run ? run(config, log, process.stdout) : usage(`svc statements ${args.join(' ')}`)
  },
  reconciliation: async (config, log, args) => {
    const { findDifferenceCommand } = await import('./commands/reconciliation/decide.ts')
    const run = findDifferenceCommand(args)
    return run ? run(config, log, print) : usage(`svc reconciliation ${args.join(' ')}`)
  },
  audit: async (config, log, args) => {
    const { findAuditCommand } = await import('./commands/exports/audit.ts')
    const run = findAuditCommand(args)
    return run ? run(config, log, process.stdout) : usage(`svc audit ${args.join(' ')}`)
  },
  watchlist: async (config, log, args) => {
    const { findWatchlistCommand } = await import('./commands/watchlist.ts')
    const run = findWatchlistCommand(args)
    return run ? run(config, log, print) : usage(`svc watchlist ${args.join(' ')}`)
  },
  keys: async (config, log, args) => {
    const { findKeyCommand } = await import('./commands/access/keys.ts')
    const run = findKeyCommand(args)
    return run ? run(config, log, print) : usage(`svc keys ${args.join(' ')}`)
  },
  webhooks: async (config, log, args) => {
    const { findWebhookCommand } = await import('./commands/access/webhooks.ts')
    const run = findWebhookCommand(args)
    return run ? run(config, log, print) : usage(`svc webhooks ${args.join(' ')}`)
  },
  customers: async (config, log, args) => {
    const text = { type: 'string', default: '' } as const
    const options = { organization: text, reason: text }
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    const [verb, customerId = '', ...rest] = positionals
    const { organization: organizationId, reason } = values
    const isWhole = customerId !== '' && organizationId !== '' && reason.trim() !== '' && rest.length === 0
    if (verb !== 'revoke-link' || !isWhole) return usage(`svc customers ${args.join(' ')}`)
    return (await tools()).runLinkRevoke(config, log, print, { organizationId, customerId, reason })
  },
  policies: async (config, log, args) => {
    const { findPolicyCommand } = await import('./commands/access/policies.ts')
    const run = findPolicyCommand(args)
    return run ? run(config, log, print) : usage(`svc policies ${args.join(' ')}`)
  },
  organizations: async (config, log, args) => {
    const { findOrganizationCommand } = await import('./commands/access/organizations.ts')
    const run = findOrganizationCommand(args)
    return run ? run(config, log, print) : usage(`svc organizations ${args.join(' ')}`)
  },
}

const commandsWithoutArguments = ['dev', 'serve', 'worker', 'signer', 'migrate']

function readerOf(command: string): SettingsReader {
  if (['signer', 'custody'].includes(command)) return 'signer'
  return ['dev', 'serve', 'worker'].includes(command) ? 'service' : 'command'
}

async function main([name = 'help', ...args]: string[]): Promise<void> {
  if (name === 'version' || name === '--version') return print(packageVersion())
  if (name === 'help' || name === '--help') return print(help)
  if (args.includes('--help')) return print(describeForms(`svc ${[name, ...args].join(' ')}`))
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const place = findPlace(args)
  const isChild = place !== undefined || (name === 'signer' && isHeld(args))
  if (!command || (args.length > 0 && !isChild && commandsWithoutArguments.includes(name))) {
    process.exitCode = await usage(`svc ${[name, ...args].join(' ')}`)
    return
  }
  const { env, problems } = readSecretFiles(process.env, (file) => readFileSync(file, 'utf8'))
  if (problems.length > 0) throw new ConfigError(problems)
  const config = readConfig(env, process.cwd(), readerOf(name))
  // Short-lived commands print their result, so they log warnings and errors only.
  const isLongLived = ['dev', 'serve', 'worker', 'signer', 'chains'].includes(name)
  const level = isLongLived || config.logLevel !== 'info' ? config.logLevel : 'warn'
  const isForPeople = ['dev', 'signer', 'chains'].includes(name) && process.stdout.isTTY
  // The standard output of an export is the export alone.
  const log = createLogger(
    level,
    ['statements', 'audit'].includes(name) ? process.stderr : isForPeople ? shortLines : undefined,
    place && { process: place.number },
  )
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
  else stopWhenAsked(result, log, { hasParent, outlivesSignals: hasParent && name === 'chains' })
}

/** True for the error of `parseArgs` about an option that the command does not have, or that lacks its value. */
function isBadOption(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

function hideKeys(text: string): string {
  return text.replace(/\b(svc_(?:test|live)_)[\w-]+/g, '$1…')
}

async function usage(asked: string, problem = `"${asked.trim()}" is no valid command.`): Promise<number> {
  const isKnown = findForms(asked).length > 0
  // A key belongs into no terminal's history of errors.
  console.error(`${hideKeys(problem)} ${isKnown ? 'These are valid:\n' : ''}\n${describeForms(asked)}`)
  return 2
}

/** Describes the forms of a command; all commands when there is none of this name. */
function describeForms(asked: string): string {
  const forms = findForms(asked)
  return forms.length > 0 ? forms.join('\n') : help
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

type Stopping = {
  hasParent: boolean
  /** Ctrl-C and service managers signal every process of a group; this one goes on until its parent has drained. */
  outlivesSignals: boolean
}

/** Drains on the first signal, or when the channel to the parent process closes. A second signal exits at once. */
function stopWhenAsked(running: Running, log: Logger, { hasParent, outlivesSignals }: Stopping): void {
  let stopping = false
  let signals = 0
  const stop = (reason: string, isSignal: boolean) => {
    if (isSignal) signals += 1
    if (signals > 1) process.exit(1)
    if (stopping) return
    stopping = true
    log.info({ reason }, 'stopping')
    running.stop().then(
      () => {
        log.info('stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (!outlivesSignals) stop(signal, true)
    })
  }
  onStopMessage(() => stop('all API processes stop', false))
  if (!hasParent) return
  const leave = () => {
    // A launcher closes its channel to stop this process; a supervisor sends a message, and has died without.
    if (cluster.isWorker) running.abandon?.()
    stop('the parent process ended', false)
  }
  process.on('disconnect', leave)
  if (!process.connected) leave()
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`svc: ${explainFailure(error)}`)
  process.exit(1)
})
