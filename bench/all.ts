import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { drawChart } from './support/chart.ts'
import { type Measured, showTable } from './support/page.ts'
import type { Report } from './support/report.ts'

/**
 * Runs every benchmark of the table of limits, each in a process of its own, and prints one table. `--quick` takes one
 * short round of each and writes nothing. The long form writes docs/performance.md and its chart; a benchmark that was
 * named alone replaces its own rows there.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})
/** The benchmarks of the table, with the arguments of their short form. */
const benches: Record<string, string[]> = {
  transactions: ['--rounds', '1', '--seconds', '1', '--wallets', '500'],
  requests: ['--rounds', '1', '--seconds', '1'],
  'transaction-pages': ['--rounds', '1', '--seconds', '1', '--few', '1000', '--many', '20000'],
  settling: ['--rounds', '1'],
  rules: ['--rules', '2000', '--wallets', '500', '--idle', '10000', '--seconds', '1'],
  webhooks: ['--rounds', '1'],
  growth: ['--few', '1000', '--many', '4000', '--rounds', '2', '--calls', '40'],
  'api-processes': ['--rounds', '1', '--seconds', '1'],
  policies: ['--rounds', '5', '--seconds', '1', '--warm-up', '1', '--wallets', '500'],
  footprint: ['--rounds', '1', '--seconds', '1', '--idle', '0'],
}
const unpadded = '<!-- biome-ignore format: padding would make this wide table unreadable as text -->'
const projectFolder = path.join(import.meta.dirname, '..')
/** The last figures of each benchmark, which are committed: another machine replaces only what it measures again. */
const shelf = path.join(import.meta.dirname, 'figures')
mkdirSync(shelf, { recursive: true })

const asked = positionals.length > 0 ? positionals : Object.keys(benches)
const measured: Measured[] = []
for (const name of asked) {
  const file = path.join(import.meta.dirname, `${name}.ts`)
  if (!existsSync(file)) {
    console.error(`There is no benchmark ${name}.`)
    process.exitCode = 1
    continue
  }
  measured.push(await measure(name, file))
}
const kept = values.quick ? [] : readKept().filter(({ name }) => !asked.includes(name))
const places = Object.keys(benches)
const all = [...measured, ...kept].toSorted((a, b) => places.indexOf(a.name) - places.indexOf(b.name))
console.log(`\n${showTable(all)}`)
if (!values.quick) writePage()
if (measured.some(({ report, code }) => code !== 0 || report.rows.some(({ isReached }) => !isReached)))
  process.exitCode = 1

async function measure(name: string, file: string): Promise<Measured> {
  const json = path.join(shelf, `${name}-${process.pid}.json`)
  const args = [file, '--json', json, ...(values.quick ? (benches[name] ?? []) : [])]
  console.log(`\n== ${name}`)
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: projectFolder })
    child.once('error', reject)
    child.once('exit', resolve)
  })
  const report: Report = existsSync(json)
    ? (JSON.parse(readFileSync(json, 'utf8')) as Report)
    : { rows: [], costs: [], invariants: [] }
  rmSync(json, { force: true })
  const result = { name, code, report, commit: readCommit(), machine: describeMachine(), at: new Date().toISOString() }
  if (!values.quick && report.rows.length > 0)
    writeFileSync(path.join(shelf, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  return result
}

/** Reads what earlier runs have measured. The page names the machine of each. */
function readKept(): Measured[] {
  const files = readdirSync(shelf).filter((name) => /^[a-z-]+\.json$/.test(name))
  return files.map((name) => JSON.parse(readFileSync(path.join(shelf, name), 'utf8')) as Measured)
}

function writePage(): void {
  const lines = [
    '# Performance',
    '',
    '`npm run bench` writes this page and its chart: it runs every benchmark of the table on real PostgreSQL, with load',
    'from a process of its own, logging and metrics on, and checks the invariants of the ledger afterwards. A figure of its own',
    'means little on a shared machine, so most are ratios against a reference that runs in turns with it: medians of five',
    'rounds. `npm run bench -- <name>` measures one benchmark again and keeps the figures of the others (`bench/figures`);',
    '`npm run bench -- --quick` tries all of them. The list at the end names machine and commit of each.',
    '',
    'Rows that miss their limit are bold. [0155](decisions/0155-what-misses-its-limit-is-profiled-and-named.md) says why, and what',
    'reaching it would take.',
    '',
    '![Each row as a share of its limit](performance.svg)',
    '',
    unpadded,
    '',
    showTable(all).replace('| load |', `${unpadded}\n\n| load |`),
    '',
  ]
  writeFileSync(path.join(projectFolder, 'docs', 'performance.md'), lines.join('\n'))
  writeFileSync(
    path.join(projectFolder, 'docs', 'performance.svg'),
    drawChart(all.flatMap(({ report }) => report.rows)),
  )
}

function describeMachine(): string {
  const [cpu] = os.cpus()
  return `${os.cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${os.arch()}, Node ${process.versions.node}`
}

function readCommit(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: projectFolder }).toString().trim()
  const isChanged = execFileSync('git', ['status', '--porcelain', 'src', 'sql', 'bench', ':!bench/figures'], {
    cwd: projectFolder,
  })
  return isChanged.length > 0 ? `${commit} with changes` : commit
}
