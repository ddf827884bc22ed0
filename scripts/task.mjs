// The developer's commands behind `npm test`, `npm run check`, `npm run format` and `npm run types`.
import { ensureInstalled, findNode, run } from './install.mjs'

const steps = {
  format: ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.'],
  lint: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  types: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  test: ['node_modules/vitest/vitest.mjs', 'run'],
}
const tasks = {
  format: [steps.format],
  lint: [steps.lint],
  types: [steps.types],
  test: [steps.test],
  check: [steps.lint, steps.types, steps.test],
}

const [name = '', ...args] = process.argv.slice(2)
if (!Object.hasOwn(tasks, name)) {
  console.error(`Unknown task "${name}". There are: ${Object.keys(tasks).join(', ')}`)
  process.exit(2)
}
await ensureInstalled({ forDevelopment: true })
for (const step of tasks[name]) {
  const code = await run(findNode(), step, step === tasks[name].at(-1) ? args : [])
  if (code !== 0) process.exit(code)
}
