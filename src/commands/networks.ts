import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import { type EvmNetwork, evmNetworks } from '../catalog/chain-ids.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { withApp } from './tools.ts'

type Print = (line: string) => void
type Run = (app: App, print: Print) => Promise<number>

const text = { type: 'string', default: '' } as const
const options = { reason: text, adopt: { type: 'boolean', default: false }, 'from-block': text } as const

/** Finds the command about networks; undefined when the arguments make no command. */
export function findNetworkCommand(
  args: string[],
): ((config: Config, log: Logger, print: Print) => Promise<number>) | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb = '', name, ...rest] = positionals
  const network = evmNetworks.find((each) => each === name)
  const run = rest.length > 0 || (name !== undefined && !network) ? undefined : findRun(verb, network, values)
  return run && ((config, log, print) => withApp(config, log, (app) => run(app, print)))
}

type Values = { reason: string; adopt: boolean; 'from-block': string }

function findRun(verb: string, network: EvmNetwork | undefined, values: Values): Run | undefined {
  const { reason, adopt, 'from-block': from } = values
  const hasReason = reason.trim() !== ''
  if (verb === 'show' && !hasReason && !adopt && from === '') {
    return network ? (app, print) => showOddities(app, print, network) : showAll
  }
  if (!network || !hasReason) return undefined
  if (verb === 'resume' && from === '') return (app, print) => resume(app, print, { network, reason, adopt })
  if (verb !== 'rescan' || adopt || !/^\d{1,15}$/.test(from)) return undefined
  return (app, print) => rescan(app, print, { network, reason, fromBlock: BigInt(from) })
}

async function showAll({ chains }: App, print: Print): Promise<number> {
  const scans = await chains.list()
  for (const scan of scans) {
    const state = scan.haltedAt ? 'HALTED' : (scan.problem ?? 'ok')
    print(
      [
        scan.network.padEnd(8),
        state.padEnd(12),
        `block ${scan.blockNumber}, final ${scan.finalNumber}`,
        `compared ${scan.scannedAt?.toISOString() ?? 'never'}`,
        `${scan.oddities} oddities`,
      ].join('  '),
    )
    if (scan.haltedAt) print(`  since ${scan.haltedAt.toISOString()}: ${scan.haltReason}`)
    if (scan.problemSince) print(`  since ${scan.problemSince.toISOString()}`)
  }
  if (scans.length === 0) print('No network was scanned yet. SVC_<NETWORK>_RPC_URLS names the nodes of each.')
  return scans.some(({ haltedAt }) => haltedAt !== null) ? 1 : 0
}

async function showOddities({ chains }: App, print: Print, network: EvmNetwork): Promise<number> {
  const found = await chains.oddities(network)
  for (const { kind, transactionHash, position, contract, fromAddress, toAddress, value, observedAt } of found) {
    const amount = value === null ? 'no amount' : `${value} units`
    const move = `${amount} of ${contract} from ${fromAddress} to ${toAddress}`
    print([observedAt.toISOString(), kind, `${transactionHash}:${position}`, move].join('  '))
  }
  if (found.length === 0) print(`Every transfer to our addresses on ${network} is a deposit.`)
  return 0
}

type Resume = { network: EvmNetwork; reason: string; adopt: boolean }

async function resume({ chains }: App, print: Print, request: Resume): Promise<number> {
  if (!(await chains.resume(request))) {
    print(`${request.network} is not halted.`)
    return 1
  }
  print(
    request.adopt
      ? `${request.network} is scanned again, and takes the chain of its nodes. Deposits of dropped blocks are reversed.`
      : `${request.network} is scanned again. It halts once more if its nodes still contradict the record.`,
  )
  print('Payouts of its tokens stay halted until "svc payouts resume".')
  return 0
}

type Rescan = { network: EvmNetwork; reason: string; fromBlock: bigint }

async function rescan({ chains }: App, print: Print, request: Rescan): Promise<number> {
  const { network, fromBlock } = request
  if (!chains.nodes.has(network)) throw new Error(`SVC_${network}_RPC_URLS must name the nodes of ${network}.`)
  const isDone = await chains.rescan(request)
  print(
    isDone
      ? `${network} is scanned again from block ${fromBlock}.`
      : `${network} has not reached block ${fromBlock} yet.`,
  )
  return isDone ? 0 : 1
}
