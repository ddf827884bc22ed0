import { type Import, importsOf, isTest, type SourceFile, type Violation } from './source-tree.ts'

/** What a folder (or a file of a capability) may import, and what to do about a wish for more. */
export type Reach = { may: readonly string[]; instead: string }

export type ImportTable = {
  /** By folder or root file of src. A folder may always import itself. */
  layers: Readonly<Record<string, Reach>>
  /** By file name inside a capability; every file not named here is `pure`. */
  insideCapability: Readonly<Record<string, Reach>>
  capabilities: readonly string[]
  /** What files without I/O may use of Node; packages that do I/O are forbidden by name. */
  pureModules: readonly string[]
  ioPackages: readonly string[]
}

type Found = { file: SourceFile; layer: string; imported: Import; target: string }

/** The folder below src, or the name of a file that lies in src itself. */
export function layerOf(path: string): string {
  return path.split('/')[1] ?? ''
}

export function kindOf(path: string, table: ImportTable): string {
  const file = path.split('/').at(-1) ?? ''
  // A large capability has several services, stores and wires, named after what they do: submission-service.ts.
  const name = file.replace(/^.*-(service|store|wire)\.ts$/, '$1.ts')
  return Object.hasOwn(table.insideCapability, name) ? name : 'pure'
}

/** Values in, values out: lib, catalog, and the rules of a capability. */
export function isPure(file: SourceFile, table: ImportTable): boolean {
  if (isTest(file)) return false
  const layer = layerOf(file.path)
  return ['lib', 'catalog'].includes(layer) || (isCapability(layer, table) && kindOf(file.path, table) === 'pure')
}

function isCapability(layer: string, table: ImportTable): boolean {
  return table.capabilities.includes(layer)
}

function complain({ file, imported, target }: Found, why: string): Violation {
  return { key: file.path, path: file.path, line: imported.line, problem: `imports ${target}. ${why}` }
}

/** Every import of every file against the table. */
export function checkImports(files: readonly SourceFile[], table: ImportTable): Violation[] {
  return files.flatMap((file) => {
    const layer = layerOf(file.path)
    if (!Object.hasOwn(table.layers, layer)) {
      const problem = `${layer} is not in the import table: give it a line at the top of test/architecture.test.ts that says what it may import`
      return [{ key: file.path, path: file.path, line: 1, problem }]
    }
    return importsOf(file).flatMap((imported): Violation[] => {
      if (imported.target === undefined) {
        const problem = 'imports a computed path, which no rule can check: write the path out'
        return [{ key: file.path, path: file.path, line: imported.line, problem }]
      }
      const found = { file, layer, imported, target: imported.target }
      const why = imported.isOurs ? whyNotOurs(found, table) : whyNotOutside(found, table)
      return why === undefined ? [] : [complain(found, why)]
    })
  })
}

function whyNotOutside({ file, target }: Found, table: ImportTable): string | undefined {
  if (!isPure(file, table)) return undefined
  const isAllowed = target.startsWith('node:')
    ? table.pureModules.includes(target)
    : !table.ioPackages.includes(target.split('/')[0] ?? '')
  return isAllowed ? undefined : 'This file is pure and does no I/O: let the service read it and pass the value in'
}

function whyNotOurs(found: Found, table: ImportTable): string | undefined {
  const { file, layer, target } = found
  if (!target.startsWith('src/')) {
    return isTest(file) ? undefined : 'src stands on its own: move what it needs into src'
  }
  const targetLayer = layerOf(target)
  const reach = table.layers[layer]
  if (layer !== targetLayer && !reach?.may.includes(targetLayer)) return reach?.instead
  if (isTest(file)) return undefined
  if (layer === 'adapters' && isCapability(targetLayer, table)) return whyNotPort(found, table)
  return isCapability(layer, table) ? whyNotInside(found, table) : undefined
}

function whyNotPort({ imported, target }: Found, table: ImportTable): string | undefined {
  if (imported.isTypeOnly && kindOf(target, table) === 'pure') return undefined
  return 'An adapter knows only the port of a capability: "import type" it from the file that declares it'
}

function whyNotInside({ file, layer, target }: Found, table: ImportTable): string | undefined {
  const kind = kindOf(file.path, table)
  const targetLayer = layerOf(target)
  const reach = table.insideCapability[kind]
  if (kind === 'store.ts' && isCapability(targetLayer, table) && targetLayer !== layer) {
    return 'A store knows its own capability only: let service.ts ask the other service and pass the value in'
  }
  const wanted = isCapability(targetLayer, table) ? kindOf(target, table) : targetLayer
  return reach?.may.includes(wanted) ? undefined : reach?.instead
}

/** Files that import each other in a ring. */
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
