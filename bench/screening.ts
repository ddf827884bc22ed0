// Measures how long it takes to screen a name: npm run bench -- screening [folder of a published list]
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { indexList, type ListIndex } from '../src/screening/lists/list-index.ts'
import { createListReader } from '../src/screening/lists/readers/sdn.ts'
import type { ListedEntry } from '../src/screening/screening.ts'
import {
  listedWords,
  type MadePerson,
  makeEntries,
  makePerson,
  seededRandom,
  toCsv,
} from '../test/support/screening/generated-list.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const random = seededRandom(1)
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
const printLine = (label: string, value: string) => console.log(`${label.padEnd(44)} ${value}`)

function readGenerated(count: number): ListedEntry[] {
  const reader = createListReader()
  const files = toCsv(makeEntries(random, count))
  for (const file of ['sdn.csv', 'alt.csv'] as const)
    for (const [at, line] of files[file].split('\n').entries()) reader.readLine(file, at + 1, line)
  return reader.finish()
}

async function readFolder(folder: string): Promise<ListedEntry[]> {
  const reader = createListReader()
  for (const file of ['sdn.csv', 'alt.csv'] as const) {
    let number = 0
    for await (const line of createInterface(createReadStream(path.join(folder, file), 'latin1')))
      reader.readLine(file, ++number, line)
  }
  return reader.finish()
}

/** Builds the index and prints how long the longest step blocked the process. */
function build(entries: readonly ListedEntry[]): ListIndex {
  const [before, cpuBefore] = [process.memoryUsage(), process.cpuUsage()]
  const steps = indexList(entries)
  let longest = 0
  for (;;) {
    const start = performance.now()
    const step = steps.next()
    longest = Math.max(longest, performance.now() - start)
    if (!step.done) continue
    const { user, system } = process.cpuUsage(cpuBefore)
    const after = process.memoryUsage()
    printLine(
      `index of ${entries.length} entries, CPU`,
      `${((user + system) / 1_000).toFixed(0)} ms, longest step ${longest.toFixed(0)} ms`,
    )
    printLine(
      'memory of the index',
      megabytes(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers),
    )
    return step.value
  }
}

function screenAll(
  index: ListIndex,
  people: readonly MadePerson[],
): { times: number[]; cpuMs: number; matched: number } {
  const cpuBefore = process.cpuUsage()
  let matched = 0
  const times = people.map((person) => {
    const { given, family } = listedWords(person)
    const start = performance.now()
    const found = index.findName({
      kind: 'INDIVIDUAL',
      name: [...given, ...family].join(' '),
      dateOfBirth: person.birth,
    })
    if (found.length > 0) matched += 1
    return performance.now() - start
  })
  const { user, system } = process.cpuUsage(cpuBefore)
  return { times: times.sort((one, other) => one - other), cpuMs: (user + system) / 1_000, matched }
}

function measure(index: ListIndex): void {
  const people = Array.from({ length: 10_000 }, () => makePerson(random))
  screenAll(index, people.slice(0, 2_000)) // warm-up
  const { times, cpuMs, matched } = screenAll(index, people)
  const at = (share: number) => `${(times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2)} ms`
  printLine('one person, p50 / p99 / longest', `${at(0.5)} / ${at(0.99)} / ${at(1)}`)
  printLine('10,000 people, CPU', `${(cpuMs / 1_000).toFixed(1)} s, ${matched} with a match`)
}

if (positionals[0]) measure(build(await readFolder(positionals[0])))
else for (const count of [5_000, 20_000, 80_000]) measure(build(readGenerated(count)))
