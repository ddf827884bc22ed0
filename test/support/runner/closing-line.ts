import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Ends every run with one plain line that people and machines read alike. */
// biome-ignore lint/style/noDefaultExport: a reporter named by its path is loaded as the default export
export default class ClosingLine implements Reporter {
  onInit(_vitest: Vitest): void {}

  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0
    let failed = 0
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        if (state === 'failed') failed += 1
      }
      // A file that did not even load has no test to fail.
      if (module.errors().length > 0) failed += 1
    }
    console.log(`\n${passed} passed, ${failed} failed`)
  }
}
