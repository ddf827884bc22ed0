import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const program = path.join(import.meta.dirname, '..', '..', 'scripts', 'svc.mjs')

export type StartedRole = { pid: number; seconds: number; output(): string; stop(): Promise<void> }

/** Starts a role through its launcher, as `npm start` does, on a data folder; answers when it prints this. */
export async function startRole(
  role: 'dev' | 'serve' | 'worker',
  folder: string,
  printed: RegExp,
  settings: Record<string, string> = {},
): Promise<StartedRole> {
  const began = performance.now()
  const child = spawn(process.execPath, [program, role], {
    env: {
      ...process.env,
      SVC_DATA_DIR: folder,
      PORT: '0',
      SVC_SANDBOX_CHAINS_PORT: '0',
      SVC_SANDBOX_SOLANA_PORT: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let text = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (part: Buffer) => {
      // The log of a load is not kept.
      if (text.length < 100_000) text += part
      if (printed.test(text)) resolve()
    })
    void ended.then(() => reject(new Error(`svc ${role} ended:\n${text}`)))
  })
  return {
    pid: child.pid ?? 0,
    seconds: (performance.now() - began) / 1_000,
    output: () => text,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Address and key of the service that `svc dev` runs on a data folder. */
export async function readDevEnv(folder: string): Promise<{ baseUrl: string; apiKey: string }> {
  const text = await readFile(path.join(folder, 'dev.env'), 'utf8')
  const read = (name: RegExp) => name.exec(text)?.[1]?.replaceAll(/['"]/g, '') ?? ''
  return { baseUrl: read(/^\w*URL=(.*)$/m), apiKey: read(/^\w*KEY=(.*)$/m) }
}
