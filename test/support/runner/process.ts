import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { findProgram } from '../../../scripts/program.mjs'
import type { Connection } from '../../../src/db/database.ts'
import { type TestApi, testMasterKey } from './api.ts'
import { makeFolder } from './folder.ts'

const projectFolder = path.join(import.meta.dirname, '..', '..', '..')

/**
 * Where the processes that tests start keep compiled code for each other: compiling takes half of their start.
 * https://nodejs.org/api/module.html#module-compile-cache
 */
export const compileCache = { NODE_COMPILE_CACHE: path.join(projectFolder, 'node_modules', '.cache', 'compiled') }

/** The joined program that the launcher would run. */
const operatorsProgram = path.resolve(projectFolder, await findProgram({ mayBuild: true }))

export type Svc = {
  child: ChildProcess
  /** Everything printed so far, both streams. */
  output(): string
  /** Resolves when the output matches, rejects when the process ends before. */
  prints(pattern: RegExp): Promise<RegExpExecArray>
  exited: Promise<number | null>
}

const roles = new Set(['dev', 'serve', 'worker', 'signer', 'chains'])

/** Takes what ends a process, and calls it when the process is no longer needed. */
export type Until = (end: () => void) => void

/** For processes that the tests of a file share. Call it while the file loads. */
export function untilFileEnds(): Until {
  const ends: (() => void)[] = []
  afterAll(() => {
    for (const end of ends) end()
  })
  return (end) => void ends.push(end)
}

/** On a busy machine a process may find that its view of the database is a second old, and says so in its log. */
const staleWarning = /^\{"level":"warn",.*cannot see the changes of others.*\n/gm

/**
 * Runs the svc command in a process of its own: a role through its launcher, as a user does, and the commands of an
 * operator, which tests start often, without.
 */
export function svc(
  args: string[],
  settings: Record<string, string>,
  input = '',
  until: Until = (end) => onTestFinished(end),
): Svc {
  const { PATH = '', HOME = '' } = process.env
  const program = roles.has(args[0] ?? '') ? path.join(projectFolder, 'scripts', 'svc.mjs') : operatorsProgram
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME, MALLOC_ARENA_MAX: '2', ...compileCache, ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(input)
  until(() => void child.kill('SIGTERM'))
  let text = ''
  const watchers = new Set<() => void>()
  const note = (chunk: Buffer) => {
    text += chunk
    for (const watch of watchers) watch()
  }
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
  const prints = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const watch = () => {
        const match = pattern.exec(text)
        if (!match) return
        watchers.delete(watch)
        resolve(match)
      }
      watchers.add(watch)
      void exited.then(() => reject(new Error(`ended without printing ${pattern}:\n${text}`)))
      watch()
    })
  return { child, output: () => text.replace(staleWarning, ''), prints, exited }
}

/** Runs a command on the database of a service under test, to its end. */
export async function runSvc(
  api: TestApi,
  args: string[],
  settings: Record<string, string> = {},
  input = '',
): Promise<{ code: number | null; output: string }> {
  const own = {
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: await makeDataFolder(),
  }
  const command = svc(args, { ...own, ...settings }, input)
  return { code: await command.exited, output: command.output() }
}

/** The DATABASE_URL that an operator would write. */
export function urlOf(connection: Connection): string {
  if ('url' in connection) return connection.url
  const { host, port, user, database } = connection
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}

export async function startServe(
  settings: Record<string, string>,
  until?: Until,
): Promise<{ process: Svc; baseUrl: string }> {
  const process = svc(['serve'], settings, '', until)
  const [, baseUrl = ''] = await process.prints(/"baseUrl":"([^"]+)"/)
  return { process, baseUrl }
}

/** Kills without warning, like a power loss. */
export async function killAtOnce({ child, exited }: Svc): Promise<void> {
  const [main = 0] = childrenOf(child.pid ?? 0)
  process.kill(main, 'SIGKILL')
  await exited
}

/** A free port, for a server that must return at the same address. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

export async function makeDataFolder(): Promise<string> {
  const { folder, remove } = await makeFolder('svc start ')
  onTestFinished(remove)
  return folder
}

/** The values that a script finds in dev.env. */
export async function readDevEnv(dataFolder: string): Promise<{ baseUrl: string; apiKey: string }> {
  const text = await readFile(path.join(dataFolder, 'dev.env'), 'utf8')
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  return { baseUrl: value('SVC_BASE_URL'), apiKey: value('SVC_API_KEY') }
}

/** The process numbers of a process's children. */
export function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  return rows.filter(([, parent]) => parent === pid).map(([child = 0]) => child)
}

/** Finds the child process that plays this role; 0 when there is none. */
export function childWith(parent: number, role: string): number {
  const argumentsOf = (pid: number) => execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' })
  return childrenOf(parent).find((pid) => argumentsOf(pid).trim().split(/\s+/).includes(role)) ?? 0
}
