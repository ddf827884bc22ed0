import { type DestinationStream, type LoggerOptions, pino } from 'pino'

/** Logs JSON lines. No code logs the headers, query or body of a request; redaction is the second safeguard. */
export function createLogger(level: string, destination?: DestinationStream) {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  }
  return destination ? pino(options, destination) : pino(options)
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
