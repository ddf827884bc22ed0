import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { appRole, type Connection, type DatabaseOptions, signerRole } from './database.ts'
import { startEmbeddedPostgres } from './embedded/embedded-postgres.ts'

/** Connections for each database role: the owner migrates, the signer holds keys, all other processes use `app`. */
export type DatabaseLocation = {
  owner: Connection
  app: Pick<DatabaseOptions, 'connection' | 'role'>
  signer: Pick<DatabaseOptions, 'connection' | 'role'>
  /** The server, in words for the operator. */
  description: string
  stop(): Promise<void>
}

export type LocateOptions = {
  databaseUrl: string | undefined
  databaseOwnerUrl: string | undefined
  databaseSignerUrl?: string | undefined
  dataFolder: string
  /** True: share the embedded server that another Svc process runs on this data folder. False: refuse to start then. */
  mayShare: boolean
  log(message: string): void
}

const ownerRole = 'svc_owner'
const databaseName = 'svc'

/** Locates the database of DATABASE_URL, or else shares or starts the embedded server. */
export async function locateDatabase(options: LocateOptions): Promise<DatabaseLocation> {
  const { databaseUrl, databaseOwnerUrl, databaseSignerUrl } = options
  if (databaseUrl) {
    return {
      owner: { url: databaseOwnerUrl ?? databaseUrl },
      app: { connection: { url: databaseUrl }, role: appRole },
      signer: { connection: { url: databaseSignerUrl ?? databaseUrl }, role: signerRole },
      description: `PostgreSQL at ${new URL(databaseUrl).host || 'DATABASE_URL'}`,
      stop: async () => {},
    }
  }
  const noteFile = path.join(options.dataFolder, 'database.json')
  const running = options.mayShare ? await findRunning(noteFile, options.dataFolder) : undefined
  if (running) return { ...embedded(running), stop: async () => {} }
  const server = await startEmbeddedPostgres({ folder: path.join(options.dataFolder, 'postgres'), log: options.log })
  const socket = { host: server.socketFolder, port: server.port }
  try {
    await prepareCluster({ ...socket, user: server.superuser, database: 'postgres' })
    const note: Note = { ...socket, dataFolder: options.dataFolder }
    await writeFile(noteFile, JSON.stringify(note), { mode: 0o600 })
    return { ...embedded(socket), stop: server.stop }
  } catch (error) {
    await server.stop()
    throw error
  }
}

type Socket = { host: string; port: number }
type Note = Socket & { dataFolder: string }

function embedded(socket: Socket): Omit<DatabaseLocation, 'stop'> {
  return {
    owner: { ...socket, user: ownerRole, database: databaseName },
    app: { connection: { ...socket, user: appRole, database: databaseName } },
    signer: { connection: { ...socket, user: signerRole, database: databaseName } },
    description: 'embedded PostgreSQL 18',
  }
}

/** Finds the embedded server that another Svc process runs on this data folder. */
async function findRunning(noteFile: string, dataFolder: string): Promise<Socket | undefined> {
  try {
    const { host, port, dataFolder: notedFolder } = JSON.parse(await readFile(noteFile, 'utf8')) as Note
    if (notedFolder !== dataFolder) return undefined // a copy: its note still points at the original's server
    const client = new pg.Client({ host, port, user: appRole, database: databaseName, connectionTimeoutMillis: 2_000 })
    await client.connect()
    const { rows } = await client.query<{ owner: string }>(`select current_setting('svc.owner') as owner`)
    await client.end()
    process.kill(Number(rows[0]?.owner), 0) // throws for an orphan: the process that supervised this server has died
    return { host, port }
  } catch {
    return undefined
  }
}

/** Creates the roles and the database, as an administrator does on a PostgreSQL server. */
async function prepareCluster(connection: {
  host: string
  port: number
  user: string
  database: string
}): Promise<void> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    for (const role of [ownerRole, appRole, signerRole]) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      if (rowCount === 0) await client.query(`create role ${role} login`)
    }
    await client.query(`grant ${appRole} to ${ownerRole}`)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
    if (rowCount === 0) await client.query(`create database ${databaseName} owner ${ownerRole}`)
  } finally {
    await client.end()
  }
}
