import { microsSince, readUsage } from './cpu.ts'
import { median } from './database.ts'
import type { Grown } from './grown-database.ts'
import { reportRow } from './report.ts'

/** The CPU microseconds of one operation, by its path. */
export type Figure = { node: number; postgres: number }
export type Figures = Map<string, Figure>
export type Rounds = { small: Figures[]; large: Figures[] }
export type Load = () => Promise<unknown>

const most = 1.2
/** PostgreSQL plans a prepared statement once after five calls. */
const warmUp = 6

/** Measures what happens during `run`, for each of `operations`. */
export async function measureCost(
  { owner }: Pick<Grown, 'owner'>,
  run: () => Promise<number | undefined>,
): Promise<Figure> {
  const before = await readUsage(owner)
  const operations = (await run()) ?? 1
  const { node, postgres } = microsSince(before, await readUsage(owner))
  return { node: node / Math.max(1, operations), postgres: postgres / Math.max(1, operations) }
}

/** Runs an operation as often as `calls` says, after some that count for nothing. */
export async function measureLoad(grown: Pick<Grown, 'owner'>, load: Load, calls: number): Promise<Figure> {
  for (let count = 0; count < warmUp; count += 1) await load()
  return measureCost(grown, async () => {
    for (let count = 0; count < calls; count += 1) await load()
    return calls
  })
}

/** Prints what each path costs, and reports the median ratio of all rounds. The first round warms everything up. */
export function compare({ small, large }: Rounds, unit: string): void {
  const kept = (figures: readonly Figures[]) => (figures.length > 1 ? figures.slice(1) : figures)
  const [first] = large
  for (const path of first?.keys() ?? []) {
    const read = (figures: readonly Figures[], part: (figure: Figure) => number) =>
      kept(figures).map((each) => part(each.get(path) ?? { node: 0, postgres: 0 }))
    const show = (part: (figure: Figure) => number) =>
      `${median(read(small, part)).toFixed(0)} → ${median(read(large, part)).toFixed(0)} µs`
    const total = ({ node, postgres }: Figure) => node + postgres
    const [before, after] = [read(small, total), read(large, total)]
    const ratio = median(after.map((micros, round) => micros / Math.max(1, before[round] ?? 1)))
    console.log(
      `  ${path.padEnd(44)} Node ${show(({ node }) => node).padStart(18)}, PostgreSQL ${show(({ postgres }) => postgres).padStart(18)}`,
    )
    reportRow({ path: `growth: ${path}`, unit, must: { atMost: most }, measured: ratio })
  }
}
