import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Transitions } from '../../../src/lib/transitions.ts'
import { listRepository, readText, repositoryFolder } from '../style/source-tree.ts'

export type Page = { path: string; text: string }

/** Reads every Markdown page of the repository. */
export function readPages(): Page[] {
  return listRepository()
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = readText(file)
      return text === undefined ? [] : [{ path: file, text }]
    })
}

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')

/** The anchors of a page, as GitHub derives them from its headings. */
export function anchorsOf(text: string): string[] {
  const headings = text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Links to files and headings of the repository that do not exist. */
export function brokenLinks(pages: readonly Page[], files: readonly string[]): string[] {
  const known = new Map(pages.map((page) => [page.path, page.text]))
  const exists = (target: string) => files.some((file) => file === target || file.startsWith(`${target}/`))
  return pages.flatMap((page) =>
    [...withoutCode(page.text).matchAll(/\]\(([^)\s]*)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? page.path : path.posix.join(path.posix.dirname(page.path), file).replace(/\/$/, '')
        const text = known.get(target)
        if (link === '' || !exists(target)) return true
        return anchor !== undefined && text !== undefined && !anchorsOf(text).includes(anchor)
      })
      .map((link) => `${page.path}: ${link}`),
  )
}

/** Paths in backticks that do not exist. A path with a placeholder, such as `<name>`, names no file. */
export function missingPaths(pages: readonly Page[], files: readonly string[]): string[] {
  const exists = (target: string) => files.some((file) => file === target || file.startsWith(`${target}/`))
  return pages.flatMap((page) =>
    [...page.text.matchAll(/`((?:src|sql|test|docs|scripts|bench)\/[\w./-]*)`/g)]
      .map(([, named = '']) => named.replace(/\/$/, ''))
      .filter((named) => !exists(named))
      .map((named) => `${page.path}: ${named}`),
  )
}

/** The folders below a folder, such as `db` and `db/audit`. */
export function foldersBelow(folder: string, files: readonly string[]): string[] {
  const inside = files.filter((file) => file.startsWith(`${folder}/`)).map((file) => file.slice(folder.length + 1))
  const parents = inside.flatMap((file) =>
    file
      .split('/')
      .slice(0, -1)
      .map((_, at, all) => all.slice(0, at + 1).join('/')),
  )
  return [...new Set(parents)].sort()
}

/**
 * The folder map of ARCHITECTURE.md: each folder that has a line of its own, with the folders that its text names. A text
 * reaches to the next line of the map that begins a folder or a file.
 */
export function readFolderMap(architecture: string, folder: string): Map<string, string[]> {
  const map = /^```\n([\s\S]*?)^```$/m.exec(architecture)?.[1] ?? ''
  const section = new RegExp(`^${folder}/(?: .*)?\\n((?: .*\\n)*)`, 'm').exec(map)?.[1] ?? ''
  const entries = section.matchAll(/^ {2}([\w.-]+)(\/?) +(\S.*\n(?: {4,}.*\n)*)/gm)
  return new Map(
    [...entries]
      .filter(([, , slash]) => slash === '/')
      .map(([, name = '', , text = '']) => [
        name,
        [...text.matchAll(/(?<![\w/])([\w-]+)\//g)].map(([, room = '']) => room),
      ]),
  )
}

export type StateTable = { name: string; path: string; moves: Transitions<string> }

/** Loads every state table of src. */
export async function loadStateTables(files: readonly string[]): Promise<StateTable[]> {
  const sources = files.filter((file) => file.startsWith('src/') && file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const tables = sources.map(async (file) => {
    const names = [
      ...(readText(file) ?? '').matchAll(
        /^export const (\w+) = \{(?:(?!^\}).*\n)*\} as const satisfies Transitions</gm,
      ),
    ]
    if (names.length === 0) return []
    const module: Record<string, Transitions<string>> = await import(
      /* @vite-ignore */ pathToFileURL(path.join(repositoryFolder, file)).href
    )
    return names.flatMap(([, name = '']) => {
      const moves = module[name]
      return moves ? [{ name, path: file, moves }] : []
    })
  })
  return (await Promise.all(tables)).flat()
}

/** A state table as a diagram. Statuses that no move leaves are final. */
export function drawStateTable({ name, path: file, moves }: StateTable): string {
  const edges = Object.entries(moves).flatMap(([move, { from, to }]) =>
    from.map((status) => `    ${status} --> ${to}: ${move}`),
  )
  const left = new Set(Object.values(moves).flatMap(({ from }) => from))
  const final = [...new Set(Object.values(moves).map(({ to }) => to))].filter((status) => !left.has(status))
  const ends = final.map((status) => `    ${status} --> [*]`)
  return `<!-- ${name} -->\n\n\`${name}\` in \`${file}\`:\n\n\`\`\`mermaid\nstateDiagram-v2\n${[...edges, ...ends].join('\n')}\n\`\`\`\n`
}

/** Draws each state table anew behind its comment. */
export function drawStateTables(page: string, tables: readonly StateTable[]): string {
  return page
    .replace(/^<!-- (\w+) -->\n(?:(?!<!-- |#).*\n)*/gm, (block, name: string) => {
      const table = tables.find((each) => each.name === name)
      return table ? `${drawStateTable(table)}\n` : block
    })
    .trimEnd()
    .concat('\n')
}

/** Fills in title and file of each decision that the index lists by its number. */
export function linkDecisions(index: string, decisions: readonly Page[]): string {
  return index.replace(/^- \[(\d{4})\b.*$/gm, (line, number: string) => {
    const decision = decisions.find((each) => path.basename(each.path).startsWith(`${number}-`))
    const title = /^# (.*)$/m.exec(decision?.text ?? '')?.[1]
    return decision && title ? `- [${title}](${path.basename(decision.path)})` : line
  })
}
