import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import { createOutageReport } from './outage.ts'

/** Writes the time of a line. Lines of the same second share all but its milliseconds. */
let lastSecond = -1
let secondText = ''
function isoTime(): string {
  const now = Date.now()
  const second = Math.floor(now / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    secondText = `,"time":"${new Date(second * 1_000).toISOString().slice(0, -4)}`
  }
  return `${secondText}${String(now - second * 1_000).padStart(3, '0')}Z"`
}

const lineOptions: LoggerOptions = {
  base: null,
  timestamp: isoTime,
  formatters: { level: (label) => ({ level: label }) },
}

/**
 * Logs JSON lines. No code logs the headers, query or body of a request; redaction is the second safeguard. `base` are
 * fields of every line.
 */
export function createLogger(level: string, destination?: DestinationStream, base: object | null = null) {
  const outage = createOutageReport()
  const options: LoggerOptions = {
    ...lineOptions,
    base,
    level,
    hooks: { logMethod: outage.filter },
    serializers: { err: describeError },
    redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  }
  const log = destination ? pino(options, destination) : pino(options)
  return Object.assign(log, {
    base,
    /** Tells that the database answers. It ends the report of an outage, if there is one. */
    databaseAnswers: () => outage.end(log),
  })
}

/** The fields of the line of a request. None holds a secret. */
export type RequestLine = {
  requestId: string
  method: string
  route: string
  status: number
  ms: number
  organizationId: string | undefined
  apiKeyId: string | undefined
  sourceAddress: string | undefined
}

/**
 * Logs the line of each request, whose fields are fixed: it needs neither redaction nor a serializer for any value, which
 * would cost more than the rest of the line. Ids, patterns and addresses have no character that JSON escapes.
 */
export function createRequestLog(log: Logger): (line: RequestLine) => void {
  if (!log.isLevelEnabled('info')) return () => {}
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym] as DestinationStream
  const base = log.base ? `,${JSON.stringify(log.base).slice(1, -1)}` : ''
  return ({ requestId, method, route, status, ms, organizationId, apiKeyId, sourceAddress }) => {
    const caller = organizationId === undefined ? '' : `,"organizationId":"${organizationId}","apiKeyId":"${apiKeyId}"`
    const address = sourceAddress === undefined ? '' : `,"sourceAddress":"${sourceAddress}"`
    const request = `"requestId":"${requestId}","method":"${method}","route":"${route}","status":${status},"ms":${ms}`
    stream.write(`{"level":"info"${isoTime()}${base},${request}${caller}${address}}\n`)
  }
}

/** Writes each log entry as one short line, for people at a terminal. */
export const shortLines: DestinationStream = {
  write: (json) => {
    const { level, time, msg, method, route, status, ms, err, ...rest } = JSON.parse(json) as Record<string, unknown>
    const what = method ? `${method} ${route} ${status} in ${ms} ms` : String(msg ?? '')
    const details = method
      ? ''
      : [err, rest].filter((each) => each && Object.keys(each).length > 0).map((each) => ` ${JSON.stringify(each)}`)
    process.stdout.write(
      `${String(time).slice(11, 19)} ${level === 'info' ? '' : `${level}: `}${what}${[...details].join('')}\n`,
    )
  },
}

export type Logger = ReturnType<typeof createLogger>

const secretFields = ['authorization', 'apiKey', 'secret', 'password', 'token', 'access_token', 'masterKey', 'cookie']

/**
 * Describes an error for the log. Database messages quote values, which may be personal data, so only codes and names
 * are kept.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, severity, table, column, constraint } = error as unknown as Record<string, unknown>
  const isFromDatabase = severity !== undefined
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '))
  return {
    type: error.name,
    ...(isFromDatabase ? { table, column, constraint } : { message: error.message }),
    ...(code === undefined ? {} : { code }),
    stack: frames.join('\n'),
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  }
}
