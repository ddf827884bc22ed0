import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { patience } from './test/support/runner/patience.ts'

const shared = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: patience },
  // Node itself loads the modules, as it does for the service: no transformed copy, and no map back to the source.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

/** Begins with the tests that take longest, so that no worker waits long for the other at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      // A worker starts a process in a millisecond at first, and in thirty when its memory has grown: release starts most.
      if (/\/test\/(faults\/(platform|customers|transactions)|(start|release)\.test)/.test(moduleId)) return 0
      return /\/test\/(faults|scenarios)\//.test(moduleId) ? 1 : 2
    }
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/runner/closing-line.ts'],
    // One more than the two cores of the smallest machine: a file that waits for a process or a time-out leaves its core.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'rules',
          include: ['src/**/*.test.ts'],
          // Pure rules share nothing that a file could leave behind.
          pool: 'threads',
          isolate: false,
          ...shared,
        },
      },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/runner/global-setup.ts'],
          pool: 'forks',
          isolate: false,
          ...shared,
        },
      },
    ],
  },
})
