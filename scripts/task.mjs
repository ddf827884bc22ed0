// The developer's commands behind `npm test`, `npm run check`, `npm run bench -- <name>` and the like.
import { existsSync, readdirSync } from 'node:fs'
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
  'test:faults': [steps.test],
  check: [steps.lint, steps.types, steps.test],
}

const [name = '', ...args] = process.argv.slice(2)
if (name === 'bench') {
  const [bench = '', ...rest] = args
  if (!/^[a-z-]+$/.test(bench) || !existsSync(`bench/${bench}.ts`)) {
    const names = readdirSync('bench').filter((file) => file.endsWith('.ts'))
    console.error(`npm run bench -- <name>. There are: ${names.map((file) => file.slice(0, -3)).join(', ')}`)
    process.exit(2)
  }
  await ensureInstalled({ forDevelopment: true })
  process.exit(await run(findNode(), [`bench/${bench}.ts`], rest))
}
// The long form of the fault tests: more rounds, more kills, more seeds.
if (name === 'test:faults') process.env.SVC_TEST_FORM = 'long'
if (!Object.hasOwn(tasks, name)) {
  console.error(`Unknown task "${name}". There are: ${Object.keys(tasks).join(', ')}`)
  process.exit(2)
}
await ensureInstalled({ forDevelopment: true })
for (const step of tasks[name]) {
  const code = await run(findNode(), step, step === tasks[name].at(-1) ? args : [])
  if (code !== 0) process.exit(code)
}
