import pg from 'pg'

/** A statement: named ones are prepared once per connection and cost one round trip after that. */
export type Statement = {
  name?: string
  text: string
  values?: unknown[]
  /** How long we wait for the answer, when that is not the usual time; the server has a time-out of its own. */
  query_timeout?: number
}

export type Queryable = {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<Row[]>
}

/** A database transaction that is open. The mark keeps a pool from being passed where one is needed. */
export type Tx = Queryable & { readonly isTx: true }

export type Database = Queryable & {
  /** Runs the work in one database transaction: all or nothing. Never call another company, or the pool, inside. */
  inTx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Where a server is and who we are to it: an address, or the socket folder of the embedded one. */
export type Connection = { url: string } | { host: string; port: number; user: string; database: string }

export type DatabaseOptions = {
  connection: Connection
  /** The role to run as when the address names another user (the embedded server has a login for it). */
  role?: string
  connections?: number
  statementTimeoutMs?: number
  onConnectionLost?: (error: Error) => void
}

/** Our processes run as this role: it owns nothing and may not rewrite history. */
export const appRole = 'svc_app'

/** The process that holds keys runs as this one: it makes addresses, and reaches nothing of what customers wrote. */
export const signerRole = 'svc_signer'

/**
 * How long a caller waits for its turn while all connections are busy: about as long as one statement may take. Giving up
 * earlier would fail callers of a database that is there and works.
 */
const patienceMs = 15_000

/** A server that is there takes a connection at once; one that is away is known soon. */
class PromptClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(typeof config === 'object' ? { ...config, connectionTimeoutMillis: 2_000 } : config)
  }
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...clientConfig(options),
    max: options.connections ?? 8,
    Client: PromptClient,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 30_000,
  })
  // Without these listeners a stopping server would take the process down with it.
  pool.on('error', (error) => options.onConnectionLost?.(error))
  pool.on('connect', (client) => client.on('error', (error) => options.onConnectionLost?.(error)))
  return {
    query: (statement) => runStatement(pool, statement),
    inTx: (work) => runTransaction(pool, work),
    close: () => pool.end(),
  }
}

export function clientConfig({ connection, role, statementTimeoutMs = 20_000 }: DatabaseOptions): pg.ClientConfig {
  const settings = {
    timezone: 'UTC',
    statement_timeout: String(statementTimeoutMs),
    // A process that froze in a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: '30000',
    ...(role ? { role } : {}),
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  return {
    ...('url' in connection ? { connectionString: connection.url } : connection),
    application_name: 'svc',
    options: options.join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A server that hangs keeps no time-out of its own: then ours ends the wait.
    ...(statementTimeoutMs > 0 ? { query_timeout: statementTimeoutMs + 2_000 } : {}),
  }
}

async function runStatement<Row extends pg.QueryResultRow>(pool: pg.Pool, statement: Statement): Promise<Row[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return (await client.query<Row>(statement)).rows
  } catch (error) {
    // PostgreSQL tells of a failure before it lets go of what the statement had locked. Its next answer comes after that,
    // so whoever tries again at once, on another connection, does not meet the locks of the first try.
    if (isDatabaseAway(error)) broken = error as Error
    else await client.query('select').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}

async function runTransaction<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work({ isTx: true, query: async (statement) => (await client.query(statement)).rows })
    const ended = await client.query('commit')
    // After an error that somebody swallowed, PostgreSQL answers a commit by rolling back.
    if (ended.command !== 'COMMIT')
      throw new Error('a transaction was rolled back because a statement in it had failed')
    return result
  } catch (error) {
    // A connection that cannot even roll back is thrown away, never handed to the next caller.
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** For what reads very much and holds no locks: a check of a whole ledger may take longer than a request. */
export function queryPatiently<Row extends pg.QueryResultRow>(
  database: Database,
  statement: Statement,
  patienceMs: number,
): Promise<Row[]> {
  return database.inTx(async (tx) => {
    await tx.query({
      text: `select set_config('statement_timeout', $1, true)`,
      values: [String(patienceMs)],
    })
    return tx.query<Row>({ ...statement, query_timeout: patienceMs + 2_000 })
  })
}

export async function doesAnswer(database: Queryable): Promise<boolean> {
  return database.query({ text: 'select 1 as one' }).then(
    () => true,
    () => false,
  )
}

// 08: connection exception; 53: out of connections or memory; 57P: shutdown, crash, starting up; 57014: took too long;
// 55P03: lock not available; 40: deadlock or serialization; 25P03: idle in a transaction for too long.
const passingCodes = /^(08|53|57P|57014|55P03|40P01|40001|25P03)/

const connectionLostCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
const connectionLostMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
]

/** PostgreSQL has undone this one so that another could go on. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '40P01'
}

/** True when the server is away, starting, stopping, full or too slow: the caller may try again, nothing was refused. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  // A socket file that is not there; any other missing file is none of the database's business.
  if (code === 'ENOENT') return syscall === 'connect'
  if (typeof code === 'string' && (passingCodes.test(code) || connectionLostCodes.has(code))) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway)
  return connectionLostMessages.some((message) => error.message.startsWith(message))
}
