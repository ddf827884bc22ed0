import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { asUser, cleanEnvironment } from './database-user.ts'
import { ownerSetting } from './orphan.ts'
import { type ClusterPlace, socketPort } from './place.ts'
import type { ServerLog } from './server-log.ts'

/** One run of the server program, from spawn to exit. */
export type ServerProcess = {
  /** Rejects with the server's last output when it ends before it is ready. */
  ready: Promise<void>
  /** Resolves with the exit code or signal when the process is gone. Never rejects. */
  ended: Promise<string>
  stop(): Promise<void>
}

export type ServerOptions = {
  place: ClusterPlace
  program: string
  socketFolder: string
  settings: Record<string, string>
  serverLog: ServerLog
}

/** Recovery after a crash may take long, but logs every ten seconds. */
const silenceTimeoutMs = 60_000
const fastShutdownMs = 60_000
const immediateShutdownMs = 15_000
const keptCharacters = 4_000

function serverSettings(options: ServerOptions): Record<string, string> {
  return {
    [ownerSetting]: String(process.pid),
    listen_addresses: '',
    port: String(socketPort),
    // A list setting: the quotes keep a comma or a space in the path.
    unix_socket_directories: `"${options.socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '60',
    shared_buffers: '128MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Statements, parameters and error details carry customer data. The process that ran a failed statement reports
    // it; this log holds the server's own messages only.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_statement: 'none',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    ...options.settings,
  }
}

export function startServerProcess(options: ServerOptions): ServerProcess {
  const settings = Object.entries(serverSettings(options)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(options.program, ['-D', options.place.dataFolder, ...settings], {
    cwd: '/',
    env: cleanEnvironment(options.place.dataFolder),
    stdio: ['ignore', 'ignore', 'pipe'],
    // A session of its own: Ctrl-C reaches only this process, which closes the connections first.
    detached: true,
    ...asUser(options.place.user),
  })
  const endWithUs = () => void child.kill('SIGINT')
  process.on('exit', endWithUs)
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(error.message)
    })
  }).finally(() => process.off('exit', endWithUs))

  const ready = waitUntilReady(child, ended, options.serverLog)
  // The database alone must not keep the process alive.
  ready.then(() => setAwaited(child, false)).catch(() => {})
  return { ready, ended, stop: () => stopServer(child, ended) }
}

function waitUntilReady(child: ChildProcess, ended: Promise<string>, serverLog: ServerLog): Promise<void> {
  return new Promise((resolve, reject) => {
    let isReady = false
    let output = ''
    const giveUp = (reason: string) => {
      clearTimeout(silence)
      const said = output.trim() || 'none'
      reject(new Error(`The database server did not start (${reason}). ${adviseOn(said)}Its output:\n${said}`))
    }
    const silence = setTimeout(() => {
      child.kill('SIGQUIT')
      giveUp(`silent for ${silenceTimeoutMs / 1000} seconds`)
    }, silenceTimeoutMs)

    child.stderr?.setEncoding('utf8')
    child.stderr?.on('data', (text: string) => {
      serverLog.write(text)
      if (isReady) return
      silence.refresh()
      // One text, because a line may arrive in pieces.
      output = (output + text).slice(-keptCharacters)
      if (!output.includes('ready to accept connections')) return
      isReady = true
      clearTimeout(silence)
      resolve()
    })
    // The exit may come before the last output. The wait is short: a process that inherited the pipe may keep it open.
    const silent = new Promise<void>((done) => child.once('close', () => done()))
    void ended.then(async (how) => {
      if (isReady) return
      await Promise.race([silent, sleep(500)])
      giveUp(how)
    })
  })
}

/** Says what to do about a start that failed, as far as the server's output tells. */
function adviseOn(output: string): string {
  if (output.includes('No space left on device')) return 'Its disk is full: free some space, then start Svc again. '
  if (output.includes('Permission denied')) return 'It may not use its own files: give them back to its user. '
  if (
    /could not (find the database system|locate a valid checkpoint|open file)|PANIC|invalid data|incorrect/.test(output)
  )
    return 'Its files are damaged: keep a copy, restore a backup, or begin again with "svc reset" (sandbox). '
  return ''
}

/** Requests a fast shutdown, and an immediate one if that hangs. After an immediate one the next start recovers. */
async function stopServer(child: ChildProcess, ended: Promise<string>): Promise<void> {
  setAwaited(child, true)
  for (const [signal, timeoutMs] of [
    ['SIGINT', fastShutdownMs],
    ['SIGQUIT', immediateShutdownMs],
    ['SIGKILL', immediateShutdownMs],
  ] as const) {
    child.kill(signal)
    const timer = new AbortController()
    const outcome = await Promise.race([ended, sleep(timeoutMs, null, { signal: timer.signal }).catch(() => null)])
    timer.abort()
    if (outcome !== null) return
  }
}

function setAwaited(child: ChildProcess, awaited: boolean): void {
  for (const handle of [child, child.stderr]) {
    if (handle === child || handle instanceof Socket) awaited ? handle.ref() : handle.unref()
  }
}
