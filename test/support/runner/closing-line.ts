import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { summarizeRun } from './run-summary.ts'

/** Ends every run with one plain line that people and machines read alike. */
// biome-ignore lint/style/noDefaultExport: a reporter named by its path is loaded as the default export
export default class ClosingLine implements Reporter {
  onInit(_vitest: Vitest): void {}

  onTestRunEnd(modules: readonly TestModule[]): void {
    const outcomes = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => {
        const result = test.result()
        return {
          state: result.state,
          file: module.relativeModuleId,
          name: test.name,
          note: 'note' in result ? result.note : undefined,
          played: test.meta().played,
          failure: describeFailure(result.errors?.[0]),
        }
      }),
    )
    // A file that failed to load has no test that could fail.
    const filesThatDidNotLoad = modules.filter((module) => module.errors().length > 0).length
    const lines = [...listSlowest(modules), ...summarizeRun(outcomes, filesThatDidNotLoad)]
    console.log(`\n${lines.join('\n')}`)
  }
}

/** Names the files of a whole run that took longest, and what all files took together in their workers. */
function listSlowest(modules: readonly TestModule[]): string[] {
  if (modules.length <= listed) return []
  const times = modules.map((module) => {
    const { duration, collectDuration, setupDuration } = module.diagnostic()
    return { file: module.relativeModuleId, seconds: (duration + collectDuration + setupDuration) / 1_000 }
  })
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0)
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, listed)
  return [
    `${modules.length} files took ${Math.round(total)} s together. The slowest:`,
    ...slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s ${file}`),
  ]
}

const listed = 40

/** The code, which PostgreSQL and Node give, and the first line of the message. */
function describeFailure(error: { message: string; code?: unknown } | undefined): string | undefined {
  if (!error) return undefined
  const [line = ''] = error.message.split('\n')
  return typeof error.code === 'string' ? `${error.code} ${line}` : line
}
