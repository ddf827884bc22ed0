import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import type { EvmNetwork } from '../catalog/chain-ids.ts'
import { type Network, networks } from '../catalog/currencies.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { withApp } from './tools.ts'

type Print = (line: string) => void
type Run = (app: App, print: Print) => Promise<number>

const text = { type: 'string', default: '' } as const
const options = { reason: text, adopt: { type: 'boolean', default: false }, 'from-block': text, account: text } as const

/** Finds the command about networks; undefined when the arguments make no command. */
export function findNetworkCommand(
  args: string[],
): ((config: Config, log: Logger, print: Print) => Promise<number>) | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb = '', name, ...rest] = positionals
  const network = networks.find((each) => each === name)
  const run = rest.length > 0 || (name !== undefined && !network) ? undefined : findRun(verb, network, values)
  return run && ((config, log, print) => withApp(config, log, (app) => run(app, print)))
}

type Values = { reason: string; adopt: boolean; 'from-block': string; account: string }

function findRun(verb: string, network: Network | undefined, values: Values): Run | undefined {
  const { reason, adopt, 'from-block': from, account } = values
  const hasReason = reason.trim() !== ''
  if (account !== '' && !(verb === 'rescan' && network === 'SOLANA')) return undefined
  if (verb === 'show' && !hasReason && !adopt && from === '') {
    return network ? (app, print) => showNetwork(app, print, network) : showAll
  }
  if (!network || !hasReason) return undefined
  if (verb === 'resume' && from === '') return (app, print) => resume(app, print, { network, reason, adopt })
  if (verb !== 'rescan' || adopt) return undefined
  // The cursors of Solana are those of its accounts, so it is read anew by account and not by block.
  if (network === 'SOLANA') return from === '' ? (app, print) => rescanSolana(app, print, account, reason) : undefined
  if (!/^\d{1,15}$/.test(from)) return undefined
  return (app, print) => rescan(app, print, { network, reason, fromBlock: BigInt(from) })
}

async function showAll({ chains }: App, print: Print): Promise<number> {
  const scans = await chains.list()
  for (const scan of scans) for (const line of describe(scan)) print(line)
  await showUnscanned(chains, print)
  if (scans.length === 0) print('No network was scanned yet. SVC_<NETWORK>_RPC_URLS names the nodes of each.')
  return scans.some(({ haltedAt }) => haltedAt !== null) ? 1 : 0
}

type Scan = Awaited<ReturnType<App['chains']['list']>>[number]

const resuming = 'An operator has resumed it: the scanner compares it with its nodes first.'

function describe(scan: Scan): string[] {
  const { network, haltedAt, haltReason, problem, problemSince, scannedAt } = scan
  const state = haltedAt ? 'HALTED' : (problem ?? (scan.isFrozen ? 'FROZEN' : 'ok'))
  const compared = `compared with its nodes ${scannedAt ? secondsOf(scannedAt) : 'never'}`
  const blocks = `block ${scan.blockNumber}, final ${scan.finalNumber}`
  const resume = `run "svc networks resume ${network}"`
  const odd = scan.oddities === '0' ? [] : [`${scan.oddities} of its transfers are no deposits`]
  return [
    [network.padEnd(8), state.padEnd(12), blocks, compared, ...odd].join('  '),
    ...(haltedAt ? [`  since ${secondsOf(haltedAt)}: ${haltReason}`] : []),
    ...(haltedAt ? [`  ${scan.isResuming ? resuming : `Compare the block with an explorer, then ${resume}.`}`] : []),
    ...(problemSince ? [`  since ${secondsOf(problemSince)}; docs/chains.md tells what to do`] : []),
  ]
}

function secondsOf(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Prints the state of one network, and the newest transfers to our addresses that are no deposits. */
async function showNetwork({ chains }: App, print: Print, network: Network): Promise<number> {
  const scan = (await chains.list()).find((each) => each.network === network)
  for (const line of scan ? describe(scan) : [`${network} was not scanned yet.`]) print(line)
  if (network === 'SOLANA') await showUnscanned(chains, print)
  const found = await chains.oddities(network)
  if (found.length > 0) print('Transfers to our addresses that are no deposits, newest first:')
  for (const { kind, transactionHash, position, contract, fromAddress, toAddress, value, observedAt } of found) {
    const amount = value === null ? 'no amount' : `${value} units`
    print(`  ${secondsOf(observedAt)}  ${kind}  ${amount} of ${contract}`)
    print(`    from ${fromAddress} to ${toAddress} in ${transactionHash}:${position}`)
  }
  return scan?.haltedAt ? 1 : 0
}

/** Prints the accounts that cannot be scanned; others are not delayed by them. */
async function showUnscanned(chains: App['chains'], print: Print): Promise<void> {
  const found = await chains.unscanned()
  if (found.length > 0) print('Accounts that cannot be scanned, oldest first:')
  for (const { account, owner, problem, detail, since } of found) {
    print(`  ${secondsOf(since)}  ${problem}  ${account} of ${owner}`)
    print(`    ${detail}`)
  }
}

type Resume = { network: Network; reason: string; adopt: boolean }

async function resume({ chains }: App, print: Print, request: Resume): Promise<number> {
  if (!(await chains.resume(request))) {
    print(`${request.network} is not halted.`)
    return 1
  }
  print(
    request.adopt
      ? `${request.network} takes the chain of its nodes. Deposits and payouts of dropped blocks are judged anew: ` +
          'see the log, "svc deposits reversed" and "svc payouts list --contradicted".'
      : `${request.network} is scanned again. It halts once more if its nodes still contradict the record.`,
  )
  print('Payouts of its tokens stay halted until "svc payouts resume".')
  return 0
}

type Rescan = { network: EvmNetwork; reason: string; fromBlock: bigint }

async function rescan({ chains }: App, print: Print, request: Rescan): Promise<number> {
  const { network, fromBlock } = request
  if (!chains.nodes.has(network))
    throw new Error(`${network} has no nodes: set SVC_${network}_RPC_URLS, or start "svc dev" first.`)
  const result = await chains.rescan(request)
  const lines = {
    RESCANNED: `${network} is scanned again from block ${fromBlock}.`,
    NOT_REACHED: `${network} has not reached block ${fromBlock} yet.`,
    HALTED: `${network} is halted: decide about that first. See "svc networks show ${network}".`,
    CONTRADICTED: `The nodes of ${network} do not have our final block: compare them with an explorer.`,
  }
  print(lines[result])
  return result === 'RESCANNED' ? 0 : 1
}

async function rescanSolana({ chains }: App, print: Print, account: string, reason: string): Promise<number> {
  if (!chains.solana) throw new Error('SOLANA has no nodes: set SVC_SOLANA_RPC_URLS, or start "svc dev" first.')
  const count = await chains.rescanSolana({ account: account === '' ? null : account, reason })
  print(count > 0 ? `SOLANA: ${count} accounts are read anew.` : `SOLANA has no account ${account} that is scanned.`)
  return count > 0 ? 0 : 1
}
