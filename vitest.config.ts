import { defineConfig } from 'vitest/config'
import { patience } from './test/support/runner/patience.ts'

const limits = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: patience } }

export default defineConfig({
  test: {
    reporters: ['default', './test/support/runner/closing-line.ts'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'rules',
          include: ['src/**/*.test.ts'],
          // Pure rules share nothing that a file could leave behind.
          pool: 'threads',
          isolate: false,
          ...limits,
        },
      },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/runner/global-setup.ts'],
          pool: 'forks',
          isolate: false,
          ...limits,
        },
      },
    ],
  },
})
