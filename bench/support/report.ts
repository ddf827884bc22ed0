import { writeFileSync } from 'node:fs'

/**
 * The result of a benchmark in one shape, for `npm run bench`. `--json <file>` writes it there; this module takes the
 * option out of the arguments, so that each benchmark parses its own alone.
 */
export type Row = {
  /** The number of its row in the table of limits; none for what the table does not have. */
  number?: number
  path: string
  /** The kind of figure, such as "of the bare route" or "MB". */
  unit: string
  /** A figure that must be at least, or at most, this. */
  must: Limit
  aim?: Limit
  measured: number
  isReached: boolean
}
export type Limit = { atLeast: number } | { atMost: number }
export type Report = {
  rows: Row[]
  /** CPU of Node and PostgreSQL per operation, for each load. */
  costs: { path: string; perSecond: number; nodeMicros: number; postgresMicros: number }[]
  /** Checks that ran after the load, and whether each held. */
  invariants: { name: string; ok: boolean }[]
}

const report: Report = { rows: [], costs: [], invariants: [] }
const file = takeOption('--json')

/** Prints a row and keeps it for the report. A limit that is not reached ends the benchmark with code 1. */
export function reportRow(row: Omit<Row, 'isReached'>): void {
  const isReached = isWithin(row.measured, row.must)
  report.rows.push({ ...row, isReached })
  const aim = row.aim ? `, aim ${showLimit(row.aim)}` : ''
  console.log(`${row.path}: ${showFigure(row.measured)} ${row.unit} (${showLimit(row.must)}${aim})`)
  if (!isReached) process.exitCode = 1
  write()
}

export function reportCost(cost: Report['costs'][number]): void {
  report.costs.push(cost)
  write()
}

export function reportInvariant(name: string, ok: boolean): void {
  report.invariants.push({ name, ok })
  if (!ok) process.exitCode = 1
  write()
}

export function isWithin(figure: number, limit: Limit): boolean {
  return 'atLeast' in limit ? figure >= limit.atLeast : figure <= limit.atMost
}

export function showLimit(limit: Limit): string {
  return 'atLeast' in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`
}

/** Three digits are as many as a shared machine allows. */
export function showFigure(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(2)
}

/** Writes after each figure, so that a benchmark that fails later leaves what it has measured. */
function write(): void {
  if (file) writeFileSync(file, JSON.stringify(report))
}

function takeOption(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv.splice(at, 2)[1]
}
