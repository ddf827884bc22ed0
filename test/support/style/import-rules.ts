import { type Import, importsOf, isTest, type SourceFile, type Violation } from './source-tree.ts'

/** The imports that a folder (or a file of a capability) may have, and the advice for any other import. */
export type Reach = { may: readonly string[]; instead: string }

export type ImportTable = {
  /** By folder or root file of src. A folder may always import itself. */
  layers: Readonly<Record<string, Reach>>
  /**
   * By kind of file inside a capability. Stores, wires, doors and `service.ts` are known by their names. A file with
   * another name is `pure` when it reaches nothing but pure files, and a service otherwise.
   */
  insideCapability: Readonly<Record<string, Reach>>
  capabilities: readonly string[]
  /** Modules of Node that do no I/O; a pure file uses no others. */
  pureModules: readonly string[]
  /** Packages that talk to the outside. Capabilities reach them through `db`, `http` and their ports alone. */
  ioPackages: readonly string[]
}

type Found = { file: SourceFile; layer: string; imported: Import; target: string; kinds: Kinds }

/** The kind of each file inside a capability: `store.ts`, `wire.ts`, `routes.ts`, `jobs.ts`, `service.ts` or `pure`. */
export type Kinds = (path: string) => string

/** The folder below src, or the name of a file that lies in src itself. */
export function layerOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** A large capability has several stores and wires, named after what they hold: `liquidity-store.ts`. */
function namedKindOf(path: string): string | undefined {
  const name =
    path
      .split('/')
      .at(-1)
      ?.replace(/^.*-(store|wire)\.ts$/, '$1.ts') ?? ''
  return ['service.ts', 'store.ts', 'wire.ts', 'routes.ts', 'jobs.ts'].includes(name) ? name : undefined
}

/** Finds out which files are pure: those whose imports lead to nothing that does I/O. */
export function findKinds(files: readonly SourceFile[], table: ImportTable): Kinds {
  const shipped = files.filter((file) => !isTest(file) && isCapability(layerOf(file.path), table))
  const impure = new Set(shipped.filter(({ path }) => namedKindOf(path) !== undefined).map(({ path }) => path))
  const leadsOut = ({ target, isOurs }: Import): boolean => {
    if (target === undefined) return true
    if (!isOurs) return isIo(target, table)
    return !['lib', 'catalog'].includes(layerOf(target)) && !isCapability(layerOf(target), table)
  }
  const edges = shipped.map((file) => ({ path: file.path, imports: importsOf(file) }))
  for (const { path, imports } of edges) if (imports.some(leadsOut)) impure.add(path)
  for (let before = -1; before < impure.size; ) {
    before = impure.size
    for (const { path, imports } of edges) {
      if (imports.some(({ target = '' }) => impure.has(target) || namedKindOf(target) !== undefined)) impure.add(path)
    }
  }
  return (path) => namedKindOf(path) ?? (impure.has(path) ? 'service.ts' : 'pure')
}

function isIo(target: string, table: ImportTable): boolean {
  return target.startsWith('node:')
    ? !table.pureModules.includes(target)
    : table.ioPackages.includes(target.split('/')[0] ?? '')
}

/** Values in, values out: lib, catalog, and the rules of a capability. */
export function purityOf(files: readonly SourceFile[], table: ImportTable): (file: SourceFile) => boolean {
  const kinds = findKinds(files, table)
  return (file) => {
    const layer = layerOf(file.path)
    if (isTest(file)) return false
    return ['lib', 'catalog'].includes(layer) || (isCapability(layer, table) && kinds(file.path) === 'pure')
  }
}

/** State tables, and files with unit tests beside them, must be pure: values in, values out. */
export function impureRules(files: readonly SourceFile[], table: ImportTable): Violation[] {
  const isPure = purityOf(files, table)
  const paths = new Set(files.map(({ path }) => path))
  return files.flatMap((file) => {
    const { path, code } = file
    const mustBePure = /\bsatisfies Transitions\b/.test(code) || paths.has(path.replace(/\.ts$/, '.test.ts'))
    if (isTest(file) || !isCapability(layerOf(path), table) || !mustBePure || isPure(file)) return []
    const problem = 'has a state table or a table of examples, and reaches a store, a door or I/O: move that part out'
    return [{ key: path, path, line: 1, problem }]
  })
}

function isCapability(layer: string, table: ImportTable): boolean {
  return table.capabilities.includes(layer)
}

function complain({ file, imported, target }: Found, why: string): Violation {
  return { key: file.path, path: file.path, line: imported.line, problem: `imports ${target}. ${why}` }
}

/** Every import of every file against the table. */
export function checkImports(files: readonly SourceFile[], table: ImportTable): Violation[] {
  const kinds = findKinds(files, table)
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
      const found = { file, layer, imported, target: imported.target, kinds }
      const why = imported.isOurs ? whyNotOurs(found, table) : whyNotOutside(found, table)
      return why === undefined ? [] : [complain(found, why)]
    })
  })
}

function whyNotOutside({ file, layer, target }: Found, table: ImportTable): string | undefined {
  if (isTest(file) || !isIo(target, table)) return undefined
  if (['lib', 'catalog'].includes(layer)) return 'This folder does no I/O: let a service read it and pass the value in'
  const isPackage = isCapability(layer, table) && !target.startsWith('node:')
  return isPackage ? 'A capability does I/O through db, http and its ports alone' : undefined
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
  if (layer === 'adapters' && isCapability(targetLayer, table)) return whyNotPort(found)
  return isCapability(layer, table) ? whyNotInside(found, table) : undefined
}

function whyNotPort({ imported, target, kinds }: Found): string | undefined {
  if (imported.isTypeOnly && kinds(target) === 'pure') return undefined
  return 'An adapter knows only the port of a capability: "import type" it from the file that declares it'
}

function whyNotInside({ file, layer, target, kinds }: Found, table: ImportTable): string | undefined {
  const kind = kinds(file.path)
  const targetLayer = layerOf(target)
  const reach = table.insideCapability[kind]
  if (kind === 'store.ts' && isCapability(targetLayer, table) && targetLayer !== layer) {
    return 'A store knows its own capability only: let service.ts ask the other service and pass the value in'
  }
  const wanted = isCapability(targetLayer, table) ? kinds(target) : targetLayer
  return reach?.may.includes(wanted) ? undefined : reach?.instead
}
