import { type ChildProcess, fork } from 'node:child_process'
import type { Network } from '../../catalog/currencies.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { type Channel, connectControl, receiveNews } from '../../sandbox/chains/channel.ts'
import type { ChainControl, ClockSetting, RpcUrls } from '../../sandbox/chains/control.ts'
import { program } from './program.ts'

const restartAfterMs = 1_000
const longestStopMs = 10_000

/** The chains that share a process: the EVM networks, or SOLANA. */
export type ChainFamily = 'evm' | 'solana'

/** The local chains of this process, and the addresses of their nodes. */
export type LocalChainsLink = { control: ChainControl; rpcUrls: RpcUrls }

/** Calls the listener when a local network may have changed. */
export type OnChainNews = (listener: (network: Network) => void) => void

type NewsLink = LocalChainsLink & { onNews: OnChainNews }

export type ChainsProcess = NewsLink & { child(): ChildProcess; stop(): Promise<void> }

type Connection = NewsLink & { child: ChildProcess; ended: Promise<void> }

/**
 * Starts the local chains in a process of their own and waits until they answer. The process ends with this one. When it
 * dies alone, it is restarted on the same port, and continues from its journals.
 */
export async function startChainsProcess(
  family: ChainFamily,
  log: Pick<Logger, 'warn' | 'error'>,
  env?: NodeJS.ProcessEnv,
): Promise<ChainsProcess> {
  let current = await connect(family, env)
  let clock: ClockSetting | undefined
  let stopping = false
  const { rpcUrls } = current
  const listeners: ((network: Network) => void)[] = []
  const tell = (network: Network) => {
    for (const listener of listeners) listener(network)
  }
  const port = new URL(Object.values(rpcUrls)[0] ?? '').port
  const watch = ({ child, ended }: Connection) =>
    void ended.then(() => {
      if (stopping) return
      globalThis.setTimeout(restart, restartAfterMs, child.exitCode ?? child.signalCode)
    })
  const restart = (why: unknown) => {
    if (stopping) return
    log.warn({ family, why }, 'the local chains ended and are restarted')
    connect(family, env, port).then(
      async (next) => {
        current = next
        watch(next)
        next.onNews(tell)
        // The process may have died before it told of its last change.
        for (const network of Object.keys(rpcUrls) as Network[]) tell(network)
        if (clock) await next.control.setClock(clock)
      },
      (error: unknown) => {
        log.error({ family, err: error }, 'the local chains could not be restarted')
        globalThis.setTimeout(restart, restartAfterMs, 'they did not start')
      },
    )
  }
  watch(current)
  current.onNews(tell)
  return {
    child: () => current.child,
    rpcUrls,
    onNews: (listener) => void listeners.push(listener),
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

/** Starts every local chain, one process for each family. */
export async function startAllChains(
  log: Pick<Logger, 'warn' | 'error'>,
): Promise<NewsLink & { stop(): Promise<void> }> {
  const starting = [startChainsProcess('evm', log), startChainsProcess('solana', log)] as const
  const stop = async () => {
    const started = await Promise.allSettled(starting)
    await Promise.all(started.map((each) => (each.status === 'fulfilled' ? each.value.stop() : undefined)))
  }
  try {
    const [evm, solana] = await Promise.all(starting)
    const onNews: OnChainNews = (listener) => {
      for (const each of [evm, solana]) each.onNews(listener)
    }
    return { ...joinChains(evm, solana), onNews, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The levers and nodes of two processes as those of one. */
export function joinChains(evm: LocalChainsLink, solana: LocalChainsLink): LocalChainsLink {
  const shared: Pick<ChainControl, 'status' | 'setClock'> = {
    status: async () => (await Promise.all([evm.control.status(), solana.control.status()])).flat(),
    setClock: async (clock) => void (await Promise.all([evm.control.setClock(clock), solana.control.setClock(clock)])),
  }
  type Verb = Exclude<keyof ChainControl, keyof typeof shared>
  const control = new Proxy(shared as ChainControl, {
    get: (own, verb: keyof ChainControl) => {
      if (verb in own) return own[verb]
      return (...args: [Network, never]) => (args[0] === 'SOLANA' ? solana : evm).control[verb as Verb](...args)
    },
  })
  return { control, rpcUrls: { ...evm.rpcUrls, ...solana.rpcUrls } }
}

/** The settings with the local nodes, for each network without nodes of its own. */
export function withLocalNodes(config: Config, rpcUrls: RpcUrls): Config {
  const networks = { ...config.chains.networks }
  for (const network of Object.keys(networks) as (keyof typeof networks)[]) {
    const [settings, rpcUrl] = [networks[network], rpcUrls[network]]
    if (settings.rpcUrls.length === 0 && rpcUrl !== undefined) networks[network] = { ...settings, rpcUrls: [rpcUrl] }
  }
  return { ...config, chains: { ...config.chains, networks } }
}

async function connect(family: ChainFamily, env: NodeJS.ProcessEnv | undefined, port?: string): Promise<Connection> {
  const args = ['chains', '--family', family, ...(port === undefined ? [] : ['--port', port])]
  const child = fork(program, args, env ? { env } : {})
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
  const channel: Channel = {
    send: (message) => void child.send(message as object, () => {}),
    onMessage: (listener) => void listeners.push(listener),
  }
  const { end, ...control } = connectControl(channel)
  void ended.then(() => end('the local chains have ended'))
  return { child, control, rpcUrls, ended, onNews: (listener) => receiveNews(channel, listener) }
}

/** Levers that act on the present process of the chains, whichever that is. */
function forward(current: () => ChainControl, own: Partial<ChainControl>): ChainControl {
  return new Proxy({} as ChainControl, {
    get: (_target, verb: keyof ChainControl) => own[verb] ?? current()[verb],
  })
}
