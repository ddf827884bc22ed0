import { type Report, type Row, showFigure, showLimit } from './report.ts'

/** The result of one benchmark, with where and when it was measured. */
export type Measured = {
  name: string
  code: number | null
  report: Report
  commit: string
  machine: string
  at: string
}

/** Every row of the table of limits, so that a row without a figure shows. */
const paths: Record<number, string> = {
  1: 'POST /transactions, many wallets',
  2: 'POST /transactions, one hot wallet',
  3: 'POST /transactions, CPU',
  4: 'POST /transactions, p99',
  5: 'POST /quotes',
  6: 'GET /customers/{id}',
  7: 'GET /transactions, many rows against few',
  8: 'GET /transactions, page 10 against page 1',
  9: 'GET /transactions, page of 100, CPU of Node',
  10: 'worker, settling',
  11: 'automation rules that are due at once',
  12: 'webhook deliveries',
  13: 'memory under load',
  14: 'start to first 200',
}

/** Writes the rows as a table of Markdown, then where they were measured, costs, and invariants. */
export function showTable(measured: readonly Measured[]): string {
  const rows = measured.flatMap(({ report }) => report.rows)
  const numbered = Object.entries(paths).flatMap(([number, path]) => {
    const found = rows.filter((row) => row.number === Number(number))
    return found.length > 0 ? found.map(showRow) : [`| ${number} | ${path} | | | not measured |`]
  })
  const others = rows.filter(({ number }) => number === undefined).map(showRow)
  const costs = measured
    .flatMap(({ report }) => report.costs)
    .map(({ path, perSecond, nodeMicros, postgresMicros }) => {
      const figures = [perSecond, nodeMicros, postgresMicros].map((figure) => figure.toFixed(0))
      return `| ${path} | ${figures.join(' | ')} |`
    })
  const where = measured.map(({ name, commit, machine, at }) => `- ${name}: ${machine}; commit ${commit}; ${at}`)
  const broken = measured.flatMap(({ report }) => report.invariants).filter(({ ok }) => !ok)
  const failed = measured.filter(({ code, report }) => code !== 0 && report.rows.every(({ isReached }) => isReached))
  return [
    '| row | path | must | aim | measured |',
    '|---|---|---|---|---|',
    ...numbered,
    ...others,
    ...(costs.length > 0 ? ['', '| load | per second | Node µs | PostgreSQL µs |', '|---|---|---|---|', ...costs] : []),
    '',
    ...where,
    '',
    broken.length === 0 ? 'Every invariant that was checked holds.' : `VIOLATED: ${JSON.stringify(broken)}`,
    ...failed.map(({ name, code }) => `${name} ended with code ${code}.`),
  ].join('\n')
}

function showRow({ number, path, unit, must, aim, measured, isReached }: Row): string {
  const figure = `${showFigure(measured)} ${unit}`
  const shown = isReached ? figure : `**${figure}**`
  return `| ${number ?? ''} | ${path} | ${showLimit(must)} | ${aim ? showLimit(aim) : ''} | ${shown} |`
}
