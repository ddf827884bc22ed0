import pg from 'pg'
import { forOneOrganization } from './lists/one-organization.ts'
import { readTextArray, textArray, writeArray } from './values/arrays.ts'
import { readTime, time } from './values/times.ts'

/** A statement. A named one is prepared once per connection and then costs one round trip. */
export type Statement = {
  name?: string
  text: string
  values?: unknown[]
  /** Client-side time-out, when it differs from the default. The server has its own `statement_timeout`. */
  query_timeout?: number
}

export type Queryable = {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<Row[]>
}

/** An open database transaction. The mark `isTx` keeps callers from passing a pool in its place. */
export type Tx = Queryable & { readonly isTx: true }

export type Database = Queryable & {
  /** Runs the work in one database transaction. The work must make no network call and must not use the pool. */
  inTx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** The address of a server and our user there: a URL, or the socket folder of the embedded server. */
export type Connection = { url: string } | { host: string; port: number; user: string; database: string }

export type DatabaseOptions = {
  connection: Connection
  /** The role to switch to when the URL logs in as another user. The embedded server has a login per role. */
  role?: string
  connections?: number
  statementTimeoutMs?: number
  onConnectionLost?: (error: Error) => void
  /** Called when a statement succeeds that began after the last failure of a connection. */
  onAnswer?: () => void
}

/** The role of the API and the workers. It owns nothing and may not rewrite history. */
export const appRole = 'svc_app'

/** The role of the signer, the process with key material. It writes addresses and cannot read customer data. */
export const signerRole = 'svc_signer'

/**
 * The longest wait for a free connection: about as long as one statement may take. A shorter wait would fail requests
 * although the database works.
 */
const poolWaitMs = 15_000

/** Limits the connection attempt alone, not the wait for a free connection: a running server accepts at once. */
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
    connectionTimeoutMillis: poolWaitMs,
    // Longer than the pauses of duties: a new connection costs fifty times as much as a statement, and plans anew.
    idleTimeoutMillis: 120_000,
  })
  const health = createHealth(options)
  // Without these listeners a server that stops would crash the process.
  pool.on('error', health.lose)
  pool.on('connect', (client) => client.on('error', health.lose))
  return {
    query: (statement) => health.watch(() => runStatement(pool, statement)),
    inTx: (work) => health.watch(() => runTransaction(pool, work)),
    close: () => {
      health.end()
      return pool.end()
    },
  }
}

/** Errors of a database that is away or full. An error of a chain's node or of a webhook can carry the same code. */
const outages = new WeakSet<object>()

/** True for an error that a pool of this process got because its database is away or full. */
export function isDatabaseOutage(error: unknown): boolean {
  return typeof error === 'object' && error !== null && outages.has(error)
}

/** Marks the errors of an outage, and tells when a connection is lost and when the database answers again. */
function createHealth({ onConnectionLost, onAnswer }: Pick<DatabaseOptions, 'onConnectionLost' | 'onAnswer'>) {
  let failures = 0
  let isAway = false
  let isClosing = false
  const note = (error: unknown) => {
    if (!isOutage(error)) return
    outages.add(error as Error)
    failures += 1
    isAway = true
  }
  return {
    lose: (error: Error): void => {
      // The pool ends its connections without waiting for them, and a stopping server may be faster.
      if (isClosing) return
      note(error)
      onConnectionLost?.(error)
    },
    watch: async <Result>(run: () => Promise<Result>): Promise<Result> => {
      const failuresBefore = failures
      try {
        const result = await run()
        if (isAway && failures === failuresBefore) {
          isAway = false
          onAnswer?.()
        }
        return result
      } catch (error) {
        note(error)
        throw error
      }
    },
    end: (): void => {
      isClosing = true
    },
  }
}

/** The readers of frequent types, faster than the driver's. */
const readers = new Map<number, (text: string) => unknown>([
  [textArray, readTextArray],
  [time, readTime],
])

const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : readers.get(type)) ?? pg.types.getTypeParser(type, format),
}

function prepare(statement: Statement): Statement {
  const prepared = forOneOrganization(statement)
  const { values } = prepared
  if (!values?.some(Array.isArray)) return prepared
  return { ...prepared, values: values.map((value) => (Array.isArray(value) ? (writeArray(value) ?? value) : value)) }
}

export function clientConfig({ connection, role, statementTimeoutMs = 20_000 }: DatabaseOptions): pg.ClientConfig {
  const settings = {
    timezone: 'UTC',
    statement_timeout: String(statementTimeoutMs),
    // A process that freezes inside a database transaction must release its locks.
    idle_in_transaction_session_timeout: '30000',
    ...(role ? { role } : {}),
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  return {
    ...('url' in connection ? { connectionString: connection.url } : connection),
    application_name: 'svc',
    types,
    options: options.join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A hanging server does not apply its own time-out, so the client applies one.
    ...(statementTimeoutMs > 0 ? { query_timeout: statementTimeoutMs + 2_000 } : {}),
  }
}

async function runStatement<Row extends pg.QueryResultRow>(pool: pg.Pool, statement: Statement): Promise<Row[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return (await client.query<Row>(prepare(statement))).rows
  } catch (error) {
    // PostgreSQL reports a failure before it releases the statement's locks, and answers the next query after it. So a
    // caller that retries at once on another connection does not wait for the locks of its first attempt.
    if (isDatabaseUnavailable(error)) broken = error as Error
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
    const result = await work({
      isTx: true,
      query: async (statement) => (await client.query(prepare(statement))).rows,
    })
    const ended = await client.query('commit')
    // When the work swallowed the error of a statement, PostgreSQL answers the commit with a rollback.
    if (ended.command !== 'COMMIT')
      throw new Error('PostgreSQL rolled the database transaction back because a statement in it had failed')
    return result
  } catch (error) {
    // The pool discards a connection that cannot roll back.
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** Runs one long read with its own time-out. A check of the whole ledger may take longer than a request. */
export function queryWithTimeout<Row extends pg.QueryResultRow>(
  database: Database,
  statement: Statement,
  timeoutMs: number,
): Promise<Row[]> {
  return database.inTx(async (tx) => {
    await tx.query({
      name: 'limit statement',
      text: `select set_config('statement_timeout', $1, true)`,
      values: [String(timeoutMs)],
    })
    return tx.query<Row>({ ...statement, query_timeout: timeoutMs + 2_000 })
  })
}

export async function isAnswering(database: Queryable): Promise<boolean> {
  return database.query({ text: 'select 1 as one' }).then(
    () => true,
    () => false,
  )
}

// 08: connection exception; 53: out of connections or memory; 57P: shutdown, crash, starting up; 57014: took too long;
// 55P03: lock not available; 40: deadlock or serialization; 25P03: idle in a transaction for too long.
const transientCodes = /^(08|53|57P|57014|55P03|40P01|40001|25P03)/

const connectionLostCodes = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE EPROTO ENETRESET ENOTCONN ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
)
// A connection whose encryption breaks, or that is used after its end: the server may have committed the statement.
const isConnectionLost = (code: string) =>
  connectionLostCodes.has(code) || /^ERR_(SSL_|TLS_|STREAM_DESTROYED$|STREAM_WRITE_AFTER_END$)/.test(code)
const connectionLostMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
]

/** True when PostgreSQL rolled this database transaction back to resolve a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '40P01'
}

/** True when PostgreSQL ended a statement, and rolled it back, because it or its wait for a lock took too long. */
export function isTimeout(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '57014' || code === '55P03'
}

/** True when the server is unreachable, starting, stopping, full or too slow: the caller may retry. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  // Only a missing socket file means that the database is unavailable.
  if (code === 'ENOENT') return syscall === 'connect'
  if (typeof code === 'string' && (transientCodes.test(code) || isConnectionLost(code))) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  return connectionLostMessages.some((message) => error.message.startsWith(message))
}

// 08: connection exception; 53: disk full, out of memory or connections; 57P: shutdown, crash, starting up.
const outageCodes = /^(08|53|57P)/

function isOutage(error: unknown): boolean {
  if (!isDatabaseUnavailable(error)) return false
  const { code } = error as { code?: unknown }
  const isFromServer = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !isConnectionLost(code)
  return isFromServer ? outageCodes.test(code) : true
}

/** True when the error shows that the database transaction was rolled back: its outcome is known. */
export function isRolledBack(error: unknown): boolean {
  return !isOutage(error)
}

/**
 * Describes a failure for a table or a command. The texts of PostgreSQL can hold stored values, so its errors are shown
 * by code alone: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function describeFailure(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (code === '57014') return 'the statement took longer than its time limit'
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return `PostgreSQL error ${code}`
  return error instanceof Error ? error.message : String(error)
}
