import { expect, test } from 'vitest'
import { chooseBrowser, type Machine } from './support/browser/browser-choice.ts'
import { summarizeRun } from './support/runner/run-summary.ts'

const own = '/usr/bin/chromium'
const bare: Machine = {
  platform: 'linux-arm64',
  named: undefined,
  hasPackage: false,
  installed: undefined,
  system: 'debian',
  isRoot: true,
}

// biome-ignore format: a table is read by column
test.each([
  // the machine                        differs from a bare arm64 with Debian by              uses
  ['a named browser',                   { named: '/opt/mine', hasPackage: true },             { use: 'path', executablePath: '/opt/mine' }],
  ['the package, though one is there',  { hasPackage: true, installed: own },                 { use: 'package' }],
  ['the package, without any rights',   { hasPackage: true, isRoot: false },                  { use: 'package' }],
  ['its own browser',                   { installed: own },                                   { use: 'path', executablePath: own }],
  ['its own browser, not as root',      { installed: own, isRoot: false, system: 'alpine' },  { use: 'path', executablePath: own }],
  ['root on Debian',                    {},                                                   { use: 'apt', why: expect.stringContaining('linux-arm64') }],
  ['root on Ubuntu',                    { system: 'ubuntu' },                                 { use: 'apt', why: expect.stringContaining('linux-arm64') }],
  ['another user on Debian',            { isRoot: false },                                    { use: 'none', why: expect.stringContaining('CHROME_PATH') }],
  ['root on another Linux',             { system: 'fedora' },                                 { use: 'none', why: expect.stringContaining('CHROME_PATH') }],
  ['a Mac',                             { platform: 'darwin-x64', system: undefined },        { use: 'none', why: expect.stringContaining('darwin-x64') }],
] as const)('%s', (_what, differs, choice) => {
  expect(chooseBrowser({ ...bare, ...differs })).toEqual(choice)
})

test('the run ends with one line that counts; the reasons of skipped and failed tests come before it', () => {
  const passed = { state: 'passed', file: 'a.test.ts', name: 'races' }
  const skipped = { state: 'skipped', file: 'b.test.ts', name: 'docs', note: 'there is no browser' }
  const leftOut = { state: 'skipped', file: 'c.test.ts', name: 'more' }
  const failed = { state: 'failed', file: 'c.test.ts', name: 'most' }
  expect(summarizeRun([passed, leftOut], 0)).toEqual(['1 passed, 0 failed'])
  expect(summarizeRun([passed, failed, skipped, skipped], 1)).toEqual([
    'Skipped 2 of b.test.ts: there is no browser',
    'Failed c.test.ts, most: no reason given',
    '1 passed, 2 failed, 2 skipped',
  ])
  expect(summarizeRun([{ ...failed, failure: '40P01 deadlock detected' }], 0)).toEqual([
    'Failed c.test.ts, most: 40P01 deadlock detected',
    '0 passed, 1 failed',
  ])
  expect(summarizeRun([{ ...passed, played: '7 of 200 rounds in 60 s, seed 5' }], 0)).toEqual([
    'Played a.test.ts, races: 7 of 200 rounds in 60 s, seed 5',
    '1 passed, 0 failed',
  ])
})
