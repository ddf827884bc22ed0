import { type AddressInfo, createServer } from 'node:net'
import type { Config } from '../../config.ts'

/** Port 0 stands for any free one: only its host is checked. */
type Wanted = { setting: string; hostSetting: string; host: string; port: number }

/**
 * Refuses to start when a port that a setting names is taken, or a host is not this machine. Called before anything else
 * starts: a start that fails later would have migrated the database for nothing. A port without a setting may move, so it
 * is not checked.
 */
export async function requirePorts(config: Config, role: 'dev' | 'serve' | 'worker'): Promise<void> {
  const wanted = listPorts(config, role)
  const problems = listEqual(wanted.filter(({ port }) => port !== 0))
  for (const each of wanted) problems.push(...(await findProblems(each)))
  if (problems.length > 0) throw new Error([...new Set(problems)].join('\n'))
}

/** Lists the settings that want one port. Each of them is free as long as nothing listens. */
function listEqual(wanted: readonly Wanted[]): string[] {
  return wanted.flatMap((first, place) =>
    wanted
      .slice(place + 1)
      .filter((second) => second.port === first.port && isSameHost(first.host, second.host))
      .map(
        ({ setting }) => `${first.setting} and ${setting} are both ${first.port}. Choose another port for one of them.`,
      ),
  )
}

function isSameHost(first: string, second: string): boolean {
  return first === second || [first, second].some((host) => host === '0.0.0.0' || host === '::')
}

function listPorts(config: Config, role: 'dev' | 'serve' | 'worker'): Wanted[] {
  const { port, host, metricsPort, metricsHost, sandboxChains, localChains } = config
  const local = '127.0.0.1'
  const runsApi = role !== 'worker'
  const runsChains = role === 'dev' && sandboxChains === 'local'
  const named = (wanted: { number: number; isExplicit: boolean }) => (wanted.isExplicit ? wanted.number : 0)
  const metricsHostSetting = metricsHost === host ? 'HOST' : 'SVC_METRICS_HOST'
  const api = { setting: 'PORT', hostSetting: 'HOST', host, port: named(port) }
  const metrics = { setting: 'SVC_METRICS_PORT', hostSetting: metricsHostSetting, host: metricsHost }
  const { evm, solana } = localChains.ports
  const chains = [
    { setting: 'SVC_SANDBOX_CHAINS_PORT', hostSetting: '', host: local, port: named(evm) },
    { setting: 'SVC_SANDBOX_SOLANA_PORT', hostSetting: '', host: local, port: named(solana) },
  ]
  return [
    ...(runsApi ? [api] : []),
    ...(metricsPort === undefined ? [] : [{ ...metrics, port: metricsPort }]),
    ...(runsChains ? chains : []),
  ]
}

const portsToTry = 50

/** Calls `listen` with the port of the setting PORT, or else with one port after the other from the default on. */
export async function listenOnFreePort<Result>(
  { port, host }: Config,
  listen: (port: number) => Promise<Result>,
): Promise<Result> {
  for (let number = port.number; ; number++) {
    try {
      return await listen(number)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'EADDRINUSE') throw error
      if (port.isExplicit) throw new Error(`PORT=${number} is in use on ${host}. Choose another port, or unset PORT.`)
      if (number >= port.number + portsToTry)
        throw new Error(`The ports ${port.number} to ${number} are in use. Set PORT to a free one.`)
    }
  }
}

/**
 * Finds the port for processes that share it. A process that shares its port cannot tell another deployment of the same
 * user that does from its own siblings, so this listens alone for a moment.
 */
export function findFreePort(config: Config): Promise<number> {
  return listenOnFreePort(
    config,
    (port) =>
      new Promise((resolve, reject) => {
        const probe = createServer().once('error', reject)
        probe.listen({ host: config.host, port }, () => {
          const found = (probe.address() as AddressInfo).port
          probe.close(() => resolve(found))
        })
      }),
  )
}

/** Listens on the port for a moment, and tells the operator which setting to change. */
function findProblems({ setting, hostSetting, host, port }: Wanted): Promise<string[]> {
  const tellPort = (problem: string) => [
    `${setting}=${port} ${problem} on ${host}. Choose another port, or unset ${setting}.`,
  ]
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const { code = '' } = error
      if (code === 'EADDRINUSE') resolve(tellPort('is in use'))
      else if (code === 'EACCES') resolve(tellPort('needs rights that this process does not have'))
      else if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
        resolve([
          `${hostSetting}=${host} is no address of this machine. ` +
            `Set ${hostSetting} to one of its addresses: 127.0.0.1 for programs on this machine, 0.0.0.0 for all networks.`,
        ])
      else reject(error)
    })
    probe.listen({ host, port }, () => probe.close(() => resolve([])))
  })
}
