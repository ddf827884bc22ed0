import { defineConfig } from 'vitest/config'
import { patience } from './test/support/runner/patience.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    reporters: ['default', './test/support/runner/closing-line.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: patience },
  },
})
