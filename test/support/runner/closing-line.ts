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
    console.log(`\n${summarizeRun(outcomes, filesThatDidNotLoad).join('\n')}`)
  }
}

/** The code, which PostgreSQL and Node give, and the first line of the message. */
function describeFailure(error: { message: string; code?: unknown } | undefined): string | undefined {
  if (!error) return undefined
  const [line = ''] = error.message.split('\n')
  return typeof error.code === 'string' ? `${error.code} ${line}` : line
}
