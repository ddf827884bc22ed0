import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'

const isRoot = process.getuid?.() === 0
const settings = { fsync: 'off' }

let workspace: string
let messages: string[]
let cleanups: (() => Promise<unknown>)[]

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'svc-embedded-')))
  if (isRoot) await chmod(workspace, 0o755)
  messages = []
  cleanups = [() => rm(workspace, { recursive: true, force: true, maxRetries: 5 })]
})

afterEach(async () => {
  for (const clean of cleanups.reverse()) await clean()
})

async function start(folder: string): Promise<EmbeddedPostgres> {
  const systemFolder = join(workspace, 'system')
  const postgres = await startEmbeddedPostgres({
    folder,
    settings,
    systemFolder,
    log: (message) => void messages.push(message),
  })
  cleanups.push(() => postgres.stop())
  return postgres
}

async function query(postgres: { socketFolder: string }, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host: postgres.socketFolder, port: 5432, user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function until<Value>(condition: () => Promise<Value | undefined>): Promise<Value> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const value = await condition().catch(() => undefined)
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('waited in vain')
    await sleep(20)
  }
}

/** A separate Svc process that owns the database of this folder and can be killed. */
async function startOwner(folder: string): Promise<{ owner: ChildProcess; socketFolder: string }> {
  const launcher = new URL('../../../src/db/embedded/embedded-postgres.ts', import.meta.url).href
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(launcher)})
    const { socketFolder } = await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)}, settings: ${JSON.stringify(settings)}, log() {} })
    process.on('SIGUSR2', () => { throw new Error('an uncaught fault') })
    setInterval(() => {}, 1000)
    process.stdout.write(socketFolder)`
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  cleanups.push(async () => {
    await endOwner(owner, 'SIGKILL')
    const orphan = await serverPid(join(folder, 'data')).catch(() => null)
    if (orphan !== null) process.kill(orphan, 'SIGQUIT')
  })
  const [socketFolder] = await once(owner.stdout, 'data')
  return { owner, socketFolder: String(socketFolder) }
}

async function endOwner(owner: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return
  owner.kill(signal)
  await once(owner, 'exit')
}

async function serverPid(dataFolder: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataFolder, 'postmaster.pid'), 'utf8'), 10)
}

test('the first start creates a database, the second start finds it', async () => {
  const folder = join(workspace, 'data folder', 'postgres')
  const first = await start(folder)
  expect(await query(first, 'show listen_addresses')).toEqual([{ listen_addresses: '' }])
  expect(await query(first, 'show data_checksums')).toEqual([{ data_checksums: 'on' }])
  await query(first, 'create table kept as select 42 as answer')
  await first.stop()
  await first.stop()
  await expect(query(first, 'select 1')).rejects.toThrow('ENOENT')

  const second = await start(folder)
  expect(second.dataFolder).toBe(first.dataFolder)
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
  expect(messages).toEqual([`created a new database in ${first.dataFolder}`])
})

test('with a long path, or spaces and commas in it, the socket lies in a short private folder', async () => {
  const folder = join(workspace, 'a, b "c"', 'long '.repeat(20).trim(), 'postgres')
  const postgres = await start(folder)
  cleanups.push(() => rm(postgres.socketFolder, { recursive: true, force: true }))
  expect(postgres.dataFolder).toBe(join(folder, 'data'))
  expect(postgres.socketFolder.length).toBeLessThan(60)
  expect((await stat(postgres.socketFolder)).mode & 0o777).toBe(0o700)
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('values that callers send never reach the server log', async () => {
  const folder = join(workspace, 'postgres')
  const postgres = await start(folder)
  await query(postgres, 'create table people (email text primary key); insert into people values ($$canary$$)')
  await expect(query(postgres, 'insert into people values ($$canary$$)')).rejects.toThrow('duplicate key')
  await expect(query(postgres, 'select $$canary$$::uuid')).rejects.toThrow('canary')
  await postgres.stop()
  const log = await readFile(join(folder, 'server.log'), 'utf8')
  expect(log).toContain('ready to accept connections')
  expect(log).not.toContain('canary')
})

test('a second start is rejected while the owner lives', async () => {
  const folder = join(workspace, 'postgres')
  const { owner, socketFolder } = await startOwner(folder)
  await expect(start(folder)).rejects.toThrow(`in use by another Svc process (pid ${owner.pid})`)
  expect(await query({ socketFolder }, 'select 1 as one')).toEqual([{ one: 1 }])

  // Even when the owner hangs.
  owner.kill('SIGSTOP')
  await expect(start(folder)).rejects.toThrow('in use by another Svc process')
  expect(await query({ socketFolder }, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('of many concurrent starts exactly one succeeds', async () => {
  const folder = join(workspace, 'postgres')
  const outcomes = await Promise.allSettled([start(folder), start(folder), start(folder), start(folder)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
})

test('after a kill of the owner the next start ends the orphaned server and keeps the data', async () => {
  const folder = join(workspace, 'postgres')
  const { owner, socketFolder } = await startOwner(folder)
  await query({ socketFolder }, 'create table kept as select 42 as answer')
  await endOwner(owner, 'SIGKILL')
  const orphan = await serverPid(join(folder, 'data'))
  expect(await query({ socketFolder }, 'select answer from kept')).toEqual([{ answer: 42 }])

  const postgres = await start(folder)
  expect(messages).toEqual([`ending the database server (pid ${orphan}) that an earlier Svc process left running`])
  expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('after a kill of owner and server the next start recovers, even if other processes reuse their process ids', async () => {
  const folder = join(workspace, 'postgres')
  const { owner, socketFolder } = await startOwner(folder)
  await query({ socketFolder }, 'create table kept as select 42 as answer')
  const pidFile = join(folder, 'data', 'postmaster.pid')
  const server = await serverPid(join(folder, 'data'))
  const stale = await readFile(pidFile, 'utf8')
  await endOwner(owner, 'SIGKILL')
  process.kill(server, 'SIGKILL')
  const bystander = spawn('sleep', ['1000'])
  cleanups.push(() => endOwner(bystander, 'SIGKILL'))
  await writeFile(pidFile, stale.replace(String(server), String(bystander.pid)))

  const postgres = await start(folder)
  expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }])
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
})

test('an owner that dies of an exception stops its server', async () => {
  const folder = join(workspace, 'postgres')
  const { owner } = await startOwner(folder)
  await endOwner(owner, 'SIGUSR2')
  expect(owner.exitCode).toBe(1)
  await until(async () => ((await readdir(join(folder, 'data'))).includes('postmaster.pid') ? undefined : true))
})

test('a server that is killed is restarted', async () => {
  const postgres = await start(join(workspace, 'postgres'))
  await query(postgres, 'create table kept as select 42 as answer')
  const killed = await serverPid(postgres.dataFolder)
  process.kill(killed, 'SIGKILL')
  const rows = await until(async () => {
    const answer = await query(postgres, 'select answer from kept')
    return (await serverPid(postgres.dataFolder)) === killed ? undefined : answer
  })
  expect(rows).toEqual([{ answer: 42 }])
  await until(async () => (messages.length > 2 ? true : undefined))
  expect(messages.slice(1, 2)).toEqual(['the database server ended unexpectedly (signal SIGKILL): restarting it'])
  expect(messages.at(-1)).toBe('the database server is running again')
})

test('stopping right after the server was killed does not restart it', async () => {
  const folder = join(workspace, 'postgres')
  const postgres = await start(folder)
  process.kill(await serverPid(postgres.dataFolder), 'SIGKILL')
  await until(async () => (messages.length > 1 ? true : undefined))
  await postgres.stop()
  await expect(query(postgres, 'select 1')).rejects.toThrow()
  expect(await query(await start(folder), 'select 1 as one')).toEqual([{ one: 1 }])
})

test('the leftovers of an interrupted first start are removed', async () => {
  const folder = join(workspace, 'postgres')
  await mkdir(join(folder, 'data.new-interrupted', 'base'), { recursive: true })
  await writeFile(join(folder, 'data.new-interrupted', 'PG_VERSION'), '18\n')
  const postgres = await start(folder)
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await readdir(folder)).toEqual(['data', 'server.log', 'socket'])
})

test('a folder with another PostgreSQL version or without a database is rejected and left unchanged', async () => {
  const folder = join(workspace, 'postgres')
  await mkdir(join(folder, 'data'), { recursive: true })
  await expect(start(folder)).rejects.toThrow('holds no PostgreSQL database')
  await writeFile(join(folder, 'data', 'PG_VERSION'), '16\n')
  await expect(start(folder)).rejects.toThrow('created by PostgreSQL 16, but this Svc carries PostgreSQL 18')
  expect(await readdir(join(folder, 'data'))).toEqual(['PG_VERSION'])
})

test('a server that fails to start reports why', async () => {
  const log = () => {}
  const starting = startEmbeddedPostgres({
    folder: join(workspace, 'postgres'),
    settings: { shared_buffers: 'much' },
    log,
  })
  await expect(starting).rejects.toThrow('invalid value for parameter "shared_buffers": "much"')
})

test('as root under a closed folder, the database lies in the system folder, and the next start finds it', async () => {
  const closed = join(workspace, 'closed')
  const folder = join(closed, 'postgres')
  await mkdir(folder, { recursive: true })
  await chmod(closed, 0o700)
  const first = await start(folder)
  await query(first, 'create table kept as select 42 as answer')
  await first.stop()
  if (!isRoot) return expect(first.dataFolder).toBe(join(folder, 'data'))

  const home = join(first.dataFolder, '..')
  expect(first.dataFolder.startsWith(join(workspace, 'system'))).toBe(true)
  expect(messages[0]).toContain(`cannot enter ${folder}: the data is in ${home}`)
  expect(JSON.parse(await readFile(join(folder, 'location.json'), 'utf8'))).toEqual({ home })

  // The file decides, even if the folder has been opened since.
  await chmod(closed, 0o755)
  const second = await start(folder)
  expect(second.dataFolder).toBe(first.dataFolder)
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
  await second.stop()

  await rm(home, { recursive: true })
  await expect(start(folder)).rejects.toThrow('it is not there any more')
})
