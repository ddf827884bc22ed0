import { layerOf } from './import-rules.ts'
import { type Import, importsOf, isTest, type SourceFile, type Violation } from './source-tree.ts'

/** Files that import each other in a cycle. */
export function findCycles(files: readonly SourceFile[]): Violation[] {
  const known = new Set(files.map((file) => file.path))
  const edges = new Map(
    files.map((file) => [
      file.path,
      importsOf(file).flatMap(({ target }) => (target && known.has(target) ? target : [])),
    ]),
  )
  const done = new Set<string>()
  const rings: Violation[] = []
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) {
      const ring = [...way.slice(way.indexOf(path)), path].join(' -> ')
      const problem = `imports itself in a ring: ${ring}. Move what both need into a third file below them`
      rings.push({ key: path, path, line: 1, problem })
    }
    if (way.includes(path) || done.has(path)) return
    for (const target of edges.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const file of files) visit(file.path, [])
  return rings
}

/**
 * Rooms of one capability that import each other in a cycle. A room may use the files of the folders around it, and they
 * may use it: a capability's own files hold what its rooms share, and join them.
 */
export function findRoomCycles(files: readonly SourceFile[]): Violation[] {
  const roomOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
  const isAround = (outer: string, inner: string) => `${inner}/`.startsWith(`${outer}/`)
  const ways = new Map<string, Map<string, Import & { path: string }>>()
  for (const file of files.filter((each) => !isTest(each))) {
    for (const imported of importsOf(file)) {
      const [from, to] = [roomOf(file.path), roomOf(imported.target ?? '')]
      const isNeighbour =
        layerOf(file.path) === layerOf(imported.target ?? '') && !isAround(from, to) && !isAround(to, from)
      if (!isNeighbour || !imported.isOurs) continue
      const targets = ways.get(from) ?? new Map<string, Import & { path: string }>()
      ways.set(from, targets.set(to, { ...imported, path: file.path }))
    }
  }
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    [...(ways.get(from)?.keys() ?? [])].some(
      (next) => next === wanted || (!seen.has(next) && reaches(next, wanted, seen.add(next))),
    )
  return [...ways].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, { path, line }]): Violation[] => {
      if (!reaches(to, from)) return []
      return [{ key: path, path, line, problem: `${from} uses ${to}, which uses it in turn: move what both need` }]
    }),
  )
}

const mostFiles = 17

/** Finds folders with too many files to survey: their ideas get rooms of their own. */
export function crowdedFolders(files: readonly SourceFile[]): Violation[] {
  // In src a test stands beside its file and is found with it.
  const counted = files.filter((file) => !isTest(file) || !file.path.startsWith('src/'))
  const folders = Map.groupBy(counted, ({ path }) => path.slice(0, path.lastIndexOf('/')))
  return [...folders].flatMap(([folder, { length }]) => {
    const problem = `has ${length} files, more than ${mostFiles}: give its ideas folders of their own`
    return length > mostFiles ? [{ key: folder, path: folder, line: 1, problem }] : []
  })
}
