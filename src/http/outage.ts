import type { LogFn, Logger } from 'pino'
import { isDatabaseOutage } from '../db/database.ts'

/** The pause between two summaries of an outage. */
const summaryEveryMs = 60_000

type Outage = { sinceMs: number; summaryAtMs: number; failures: number }

type EndLog = { info(fields: object, message: string): void }

/**
 * Reports an outage of the database once, sums it up each minute, and tells when it has ended. Without it each job and
 * each connection would log an error with its stack every second.
 */
export function createOutageReport(nowMs: () => number = () => performance.now()) {
  let outage: Outage | undefined
  const secondsSince = ({ sinceMs }: Outage) => Math.round((nowMs() - sinceMs) / 1_000)

  /** Finds what to write about another failure; undefined when there is nothing new to say. */
  const describeNext = (code: string | undefined): [object, string] | undefined => {
    if (!outage) {
      outage = { sinceMs: nowMs(), summaryAtMs: nowMs(), failures: 1 }
      return [{ code }, describeOutage(code)]
    }
    outage.failures += 1
    if (nowMs() - outage.summaryAtMs < summaryEveryMs) return undefined
    outage.summaryAtMs = nowMs()
    return [{ code, seconds: secondsSince(outage), failures: outage.failures }, 'the database is still away']
  }

  return {
    /** A hook of the logger: writes each entry but those about an outage that is reported already. */
    filter(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
      const error = findOutage(args[0])
      const entry = error ? describeNext(error.code) : args
      if (entry) method.apply(this, entry as Parameters<LogFn>)
    },

    end: (log: EndLog): void => {
      if (!outage) return
      const { failures } = outage
      const seconds = secondsSince(outage)
      outage = undefined
      log.info({ seconds, failures }, 'the database answers again')
    },
  }
}

function findOutage(entry: unknown): { code?: string } | undefined {
  const error: unknown = entry instanceof Error ? entry : (entry as { err?: unknown } | null)?.err
  if (isDatabaseOutage(error)) return error as { code?: string }
  return error instanceof Error && error.cause ? findOutage({ err: error.cause }) : undefined
}

function describeOutage(code: string | undefined): string {
  const effect = 'until then requests get 503, and jobs wait'
  if (code === '53100') return `the disk of the database is full: free some space there; ${effect}`
  if (code === '53300') return `the database has no free connection: raise its max_connections; ${effect}`
  return `the database does not answer or has ended a connection: Svc reconnects by itself; ${effect}`
}
