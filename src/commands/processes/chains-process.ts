import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { connectControl } from '../../sandbox/chains/channel.ts'
import type { ChainControl, ClockSetting } from '../../sandbox/chains/control.ts'

const program = path.join(import.meta.dirname, '..', '..', 'main.ts')
const restartAfterMs = 1_000
const longestStopMs = 10_000

export type RpcUrls = Record<EvmNetwork, string>

/** The local chains of this process, and the addresses of their nodes. */
export type LocalChainsLink = { control: ChainControl; rpcUrls: RpcUrls }

export type ChainsProcess = LocalChainsLink & { child(): ChildProcess; stop(): Promise<void> }

type Connection = { child: ChildProcess; control: ChainControl; rpcUrls: RpcUrls; ended: Promise<void> }

/**
 * Starts the local chains in a process of their own and waits until they answer. The process ends with this one. When it
 * dies alone, it is restarted on the same port, and continues from its journals.
 */
export async function startChainsProcess(
  log: Pick<Logger, 'warn' | 'error'>,
  env?: NodeJS.ProcessEnv,
): Promise<ChainsProcess> {
  let current = await connect(env)
  let clock: ClockSetting | undefined
  let stopping = false
  const { rpcUrls } = current
  const port = new URL(rpcUrls.ETHEREUM).port
  const watch = ({ child, ended }: Connection) =>
    void ended.then(() => {
      if (stopping) return
      globalThis.setTimeout(restart, restartAfterMs, child.exitCode ?? child.signalCode)
    })
  const restart = (why: unknown) => {
    if (stopping) return
    log.warn({ why }, 'the local chains ended and are restarted')
    connect(env, port).then(
      async (next) => {
        current = next
        watch(next)
        if (clock) await next.control.setClock(clock)
      },
      (error: unknown) => {
        log.error({ err: error }, 'the local chains could not be restarted')
        globalThis.setTimeout(restart, restartAfterMs, 'they did not start')
      },
    )
  }
  watch(current)
  return {
    child: () => current.child,
    rpcUrls,
    control: forward(() => current.control, {
      setClock: (setting) => {
        clock = setting
        return current.control.setClock(setting)
      },
    }),
    stop: async () => {
      stopping = true
      const { child, ended } = current
      if (child.connected) child.disconnect()
      const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), longestStopMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** The settings with the local nodes, for each network without nodes of its own. */
export function withLocalNodes(config: Config, rpcUrls: RpcUrls): Config {
  const networks = { ...config.chains.networks }
  for (const network of Object.keys(rpcUrls) as EvmNetwork[]) {
    const settings = networks[network]
    if (settings.rpcUrls.length === 0) networks[network] = { ...settings, rpcUrls: [rpcUrls[network]] }
  }
  return { ...config, chains: { ...config.chains, networks } }
}

async function connect(env: NodeJS.ProcessEnv | undefined, port?: string): Promise<Connection> {
  const child = fork(program, port === undefined ? ['chains'] : ['chains', '--port', port], env ? { env } : {})
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const listeners: ((message: unknown) => void)[] = []
  const rpcUrls = await new Promise<RpcUrls>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the local chains ended with code ${code} before they were ready`)))
    child.once('error', reject)
    child.once('message', (message) => {
      child.on('message', (next) => {
        for (const listener of listeners) listener(next)
      })
      resolve((message as { rpcUrls: RpcUrls }).rpcUrls)
    })
  })
  const { end, ...control } = connectControl({
    send: (message) => void child.send(message as object, () => {}),
    onMessage: (listener) => listeners.push(listener),
  })
  void ended.then(() => end('the local chains have ended'))
  return { child, control, rpcUrls, ended }
}

/** Levers that act on the present process of the chains, whichever that is. */
function forward(current: () => ChainControl, own: Partial<ChainControl>): ChainControl {
  return new Proxy({} as ChainControl, {
    get: (_target, verb: keyof ChainControl) => own[verb] ?? current()[verb],
  })
}
