import { expect, test } from 'vitest'
import {
  anchorsOf,
  brokenLinks,
  drawStateTables,
  foldersBelow,
  linkDecisions,
  loadStateTables,
  missingPaths,
  readFolderMap,
  readPages,
} from './support/project/documents.ts'
import { listRepository, readText } from './support/style/source-tree.ts'

const files = listRepository().filter((file) => readText(file) !== undefined || /\.(?:png|jpg)$/.test(file))
const pages = readPages()
const textOf = (file: string) => readText(file) ?? expect.fail(`${file} is missing`)
const decisions = pages.filter(({ path }) => /^docs\/decisions\/\d{4}-/.test(path))

test.each(['README.md', 'ARCHITECTURE.md'])('a newcomer finishes %s: it has at most 180 lines', (file) => {
  expect(textOf(file).trimEnd().split('\n').length).toBeLessThanOrEqual(180)
})

test('every link between the pages leads to a file and a heading that exist', () => {
  expect(pages.length).toBeGreaterThan(40)
  // The index of decisions has its own test, which can also rewrite it.
  const broken = brokenLinks(pages, files).filter((each) => !each.startsWith('docs/decisions/README.md:'))
  expect(broken).toEqual([])
})

test('every path that a page names exists', () => {
  // The changelog and decisions describe their own time.
  const current = pages.filter(({ path }) => path !== 'CHANGELOG.md' && !path.startsWith('docs/decisions/'))
  expect(missingPaths(current, files)).toEqual([])
})

test('the table of the audit log names every act, whole or without its noun', () => {
  const sources = files.filter((file) => file.startsWith('src/') && file.endsWith('.ts'))
  const acts = sources.flatMap((file) =>
    [...textOf(file).matchAll(/action: '([a-z_]+\.[a-z_]+)'/g)].map(([, act]) => act),
  )
  expect(acts.length).toBeGreaterThan(50)
  const table = textOf('docs/operating.md').split('## Read the audit log')[1]?.split('\n## ')[0] ?? ''
  const isNamed = (act = '') => table.includes(`\`${act}\``) || table.includes(`\`${act.slice(act.indexOf('.'))}\``)
  expect([...new Set(acts)].filter((act) => !isNamed(act))).toEqual([])
})

test('a link, a heading and a path that do not exist are caught', () => {
  const page = {
    path: 'docs/a.md',
    text: '# A `b` title\n\n[x](b.md) [y](#a-b-title) [z](#c) `src/d.ts` `src/<name>.ts` `docs/`',
  }
  expect(anchorsOf(page.text)).toEqual(['a-b-title'])
  expect(brokenLinks([page], ['docs/a.md'])).toEqual(['docs/a.md: b.md', 'docs/a.md: #c'])
  expect(missingPaths([page], ['docs/a.md'])).toEqual(['docs/a.md: src/d.ts'])
})

test('a map, a diagram and an index are read and written as they stand', () => {
  const map =
    '```\nsrc/\n  app.ts     joins a/ and b/\n  db/        pool\n             audit/ (rows), outbox/\n  lib/       tools\ntest/\n```\n'
  expect([...readFolderMap(map, 'src')]).toEqual([
    ['db', ['audit', 'outbox']],
    ['lib', []],
  ])
  expect(foldersBelow('src', ['src/db/audit/a.ts', 'src/app.ts', 'test/b.ts'])).toEqual(['db', 'db/audit'])
  const table = { name: 'doorMoves', path: 'src/door.ts', moves: { close: { from: ['OPEN'], to: 'CLOSED' } } }
  const drawn = drawStateTables('<!-- doorMoves -->\n\nAn old drawing.\n\n## Next\n', [table])
  expect(drawn).toContain('OPEN --> CLOSED: close\n    CLOSED --> [*]\n')
  expect(drawn).not.toContain('old')
  const decision = { path: 'docs/decisions/0007-a-b.md', text: '# 0007 A is B\n' }
  expect(linkDecisions('- [0007 Old](0007-old.md)\n', [decision])).toBe('- [0007 A is B](0007-a-b.md)\n')
})

test('the folder map of ARCHITECTURE.md has a line for each folder of src, which names its rooms', () => {
  const map = readFolderMap(textOf('ARCHITECTURE.md'), 'src')
  const folders = foldersBelow('src', files).filter((folder) => folder.split('/').length <= 2)
  const listed = [...map].flatMap(([folder, rooms]) => [folder, ...rooms.map((room) => `${folder}/${room}`)])
  expect(listed.toSorted()).toEqual(folders)
})

test('the folder map has a line for each folder of test', () => {
  const map = readFolderMap(textOf('ARCHITECTURE.md'), 'test')
  expect([...map.keys()].toSorted()).toEqual(foldersBelow('test', files).filter((folder) => !folder.includes('/')))
})

test('ARCHITECTURE.md shows the order of the capabilities as the import table has it', () => {
  const table = /^(?:export )?const capabilities = \[([\s\S]*?)\n\]/m
  const holders = files.filter((file) => file.startsWith('test/') && file.endsWith('.ts'))
  const orders = holders.flatMap((file) => table.exec(textOf(file))?.[1] ?? [])
  expect(orders).toHaveLength(1)
  const order = [...(orders[0] ?? '').matchAll(/'([\w-]+)'/g)].map(([, name]) => name)
  const shown = /\borganizations <[\w\s<-]*?forms\b/.exec(textOf('ARCHITECTURE.md'))?.[0]
  expect(shown?.split(/\s*<\s*/)).toEqual(order)
})

test('docs/lifecycles.md draws every state table as it is (npm test -- -u redraws them)', async () => {
  const page = textOf('docs/lifecycles.md')
  const tables = await loadStateTables(files)
  const shown = [...page.matchAll(/^<!-- (\w+) -->$/gm)].map(([, name]) => name)
  expect(shown.toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  await expect(drawStateTables(page, tables)).toMatchFileSnapshot('../docs/lifecycles.md')
})

test('the index of decisions lists each one once, by its title (npm test -- -u takes them from the files)', async () => {
  const index = textOf('docs/decisions/README.md')
  const listed = [...index.matchAll(/^- \[(\d{4})\b/gm)].map(([, number]) => number)
  expect(listed.toSorted()).toEqual(decisions.map(({ path }) => /\d{4}/.exec(path)?.[0]))
  await expect(linkDecisions(index, decisions)).toMatchFileSnapshot('../docs/decisions/README.md')
})

test('the index of the docs lists every page and data file of docs once', () => {
  const index = textOf('docs/README.md')
  const listed = [...index.matchAll(/^\| \[[^\]]*\]\(([\w.-]+)\)/gm)].map(([, file]) => file)
  const there = files
    .filter((file) => /^docs\/[^/]+\.(?:md|json)$/.test(file) && file !== 'docs/README.md')
    .map((file) => file.slice('docs/'.length))
  expect(listed.toSorted()).toEqual(there.toSorted())
})
