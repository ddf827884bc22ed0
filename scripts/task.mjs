// The developer's commands behind `npm test`, `npm run check`, `npm run bench -- <name>` and the like.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ensureInstalled, findNode, run } from './install.mjs'
import { checkPostgresArguments, fetchPostgres } from './postgres.mjs'

const steps = {
  format: ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.'],
  lint: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  types: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  webTypes: ['node_modules/typescript/bin/tsc', '-p', 'web/tsconfig.json'],
  test: ['node_modules/vitest/vitest.mjs', 'run'],
}
const tasks = {
  format: [steps.format],
  lint: [steps.lint],
  types: [steps.types, steps.webTypes],
  test: [steps.test],
  'test:faults': [steps.test],
  'test:postgres': [steps.test],
  check: [steps.lint, steps.types, steps.webTypes, steps.test],
}

const [name = '', ...args] = process.argv.slice(2)
if (name === 'bench') {
  const names = readdirSync('bench')
    .filter((file) => file.endsWith('.ts') && file !== 'all.ts')
    .map((file) => file.slice(0, -3))
  const [bench = '', ...rest] = args
  await ensureInstalled({ forDevelopment: true })
  // Without a name, or with names alone, the results go into one table; the options of a benchmark are its own.
  if (args.every((each) => names.includes(each) || each === '--quick'))
    process.exit(await run(findNode(), ['bench/all.ts'], args))
  if (names.includes(bench)) process.exit(await run(findNode(), [`bench/${bench}.ts`], rest))
  console.error(`npm run bench -- [--quick] [<name> [option …]]. There are: ${names.join(', ')}`)
  process.exit(2)
}
// Runs the longer form of the randomized tests: 10 seconds of each, at most 15 minutes in all, or with --full every round.
if (name === 'test:faults') {
  process.env.SVC_TEST_FORM = args.includes('--full') ? 'full' : 'timed'
  process.env.SVC_TEST_ROUNDS_END ??= String(Date.now() + 15 * 60_000)
  args.splice(0, args.length, ...args.filter((each) => each !== '--full'))
  const namesFiles = args.some((each, at) => !each.startsWith('-') && args[at - 1] !== '-t')
  if (!namesFiles) args.unshift(...listRoundTests())
}
// The test runner and its workers keep their compiled code where the service keeps its own.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/compiled')
if (name === 'test:postgres') checkPostgresArguments(args)
if (!Object.hasOwn(tasks, name)) {
  console.error(`Unknown task "${name}". There are: ${Object.keys(tasks).join(', ')}`)
  process.exit(2)
}
await ensureInstalled({ forDevelopment: true })
if (name === 'test:postgres') process.env.TEST_POSTGRES_PACKAGE = await fetchPostgres(args.shift())
for (const step of tasks[name]) {
  const code = await run(findNode(), step, step === tasks[name].at(-1) ? args : [])
  if (code !== 0) process.exit(code)
}

/** Lists the test files that import the longer form. */
function listRoundTests() {
  const filesIn = (folder) => readdirSync(folder, { recursive: true }).map((file) => path.posix.join(folder, file))
  return ['src', 'test']
    .flatMap(filesIn)
    .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('/support/runner/form.ts'))
}
