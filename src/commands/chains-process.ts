import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { connectControl } from '../sandbox/chains/channel.ts'
import type { ChainControl } from '../sandbox/chains/control.ts'
import type { EvmNetwork } from '../sandbox/chains/networks.ts'

const program = path.join(import.meta.dirname, '..', 'main.ts')
const longestStopMs = 10_000

export type ChainsProcess = {
  child: ChildProcess
  control: ChainControl
  rpcUrls: Record<EvmNetwork, string>
  stop(): Promise<void>
}

/** Starts the local chains in a process of their own and waits until they answer. The process ends with this one. */
export async function startChainsProcess(env: NodeJS.ProcessEnv = process.env): Promise<ChainsProcess> {
  const child = fork(program, ['chains'], { env })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const listeners: ((message: unknown) => void)[] = []
  const rpcUrls = await new Promise<Record<EvmNetwork, string>>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the local chains ended with code ${code} before they were ready`)))
    child.once('error', reject)
    child.once('message', (message) => {
      resolve((message as { rpcUrls: Record<EvmNetwork, string> }).rpcUrls)
      child.on('message', (next) => {
        for (const listener of listeners) listener(next)
      })
    })
  })
  const control = connectControl({
    send: (message) => void child.send(message as object),
    onMessage: (listener) => listeners.push(listener),
  })
  void ended.then(() => control.end('the local chains have ended'))
  return {
    child,
    control,
    rpcUrls,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      if (child.connected) child.disconnect()
      const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), longestStopMs)
      await ended
      clearTimeout(timer)
    },
  }
}
