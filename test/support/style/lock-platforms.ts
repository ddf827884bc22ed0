export type LockedPackage = {
  version?: string
  os?: string | readonly string[]
  cpu?: string | readonly string[]
  libc?: string | readonly string[]
  optionalDependencies?: Record<string, string>
}

/** The part of package-lock.json that tells which packages an install can choose from. */
export type LockFile = { packages: Record<string, LockedPackage> }

/** Native packages that a parent names and the registry does not have, with the reason. */
export type Unpublished = Readonly<Record<string, string>>

/**
 * Finds the native packages that an install on linux-x64, linux-arm64 or macOS would miss. A lock file that npm wrote on
 * one CPU can lack the packages of the other, and npm installs such a file without a word.
 */
export function findMissingPlatforms(lock: LockFile, unpublished: Unpublished): string[] {
  const absent = parentsOf(lock).flatMap((parent) => findAbsent(lock, parent))
  const excused = new Set(absent.filter(({ name }) => Object.hasOwn(unpublished, name)).map(({ name }) => name))
  return [
    ...absent.filter(({ name }) => !excused.has(name)).map(({ problem }) => problem),
    ...parentsOf(lock).flatMap(findUnpaired),
    ...Object.entries(lock.packages).flatMap(findUnreadable),
    ...Object.keys(unpublished)
      .filter((name) => !excused.has(name))
      .map((name) => `${name} is excused, and no longer needs to be`),
  ]
}

type Parent = { path: string; label: string; names: Record<string, string> }

export function parentsOf(lock: LockFile): Parent[] {
  return Object.entries(lock.packages).flatMap(([path, { optionalDependencies: names }]) =>
    names ? [{ path, label: nameOf(path) || 'package.json', names }] : [],
  )
}

/** linux-x64 and linux-arm64 are those with glibc: neither PostgreSQL nor Node comes as a package for musl. */
export function platformOf(name: string): string | undefined {
  return name.includes('musl') ? undefined : /(?:linux|darwin)-(?:x64|arm64)(?![a-z0-9])/.exec(name)?.[0]
}

/** The same package for the other CPU. */
export function siblingOf(name: string): string {
  return name.replace(/(?<=(?:linux|darwin)-)(?:x64|arm64)/, (cpu) => (cpu === 'x64' ? 'arm64' : 'x64'))
}

/** Packages that a parent names and the lock file does not hold at that version, for that platform. */
function findAbsent(lock: LockFile, { path, label, names }: Parent): { name: string; problem: string }[] {
  return Object.entries(names).flatMap(([name, version]) => {
    const platform = platformOf(name)
    if (platform === undefined) return []
    const locked = resolve(lock, path, name)
    const report = (problem: string) => [{ name, problem: `${name} ${version}, named by ${label}, ${problem}` }]
    if (locked === undefined) return report('is not in the lock file')
    if (locked.version !== version) return report(`is locked at ${locked.version}`)
    const [os = '', cpu = ''] = platform.split('-')
    if (!listOf(locked.os).includes(os) || !listOf(locked.cpu).includes(cpu)) return report('is for another platform')
    return []
  })
}

/** Linux packages that a parent names for one CPU alone, or in different versions. */
function findUnpaired({ path, label, names }: Parent): string[] {
  // A package that is itself for one platform brings the libraries of that platform alone.
  if (platformOf(nameOf(path)) !== undefined) return []
  return Object.entries(names).flatMap(([name, version]) => {
    if (!platformOf(name)?.startsWith('linux')) return []
    const sibling = siblingOf(name)
    if (names[sibling] === version) return []
    return names[sibling] === undefined
      ? [`${label} names ${name} and not ${sibling}`]
      : [`${label} names ${name} ${version} and ${sibling} ${names[sibling]}`]
  })
}

/** Packages for one Linux CPU whose name does not tell it in the words above: their sibling could not be checked. */
function findUnreadable([path, { os, cpu, libc }]: [string, LockedPackage]): string[] {
  const isOurs = listOf(os).includes('linux') && listOf(cpu).some((each) => each === 'x64' || each === 'arm64')
  const isMusl = listOf(libc).length > 0 && !listOf(libc).includes('glibc')
  if (!isOurs || isMusl || listOf(cpu).length > 1 || platformOf(nameOf(path))) return []
  return [`${nameOf(path)} is for ${listOf(cpu)[0]} alone, and its name does not tell the other CPU's package`]
}

/** The package that Node would load by this name from that folder: the nearest one. */
function resolve(lock: LockFile, from: string, name: string): LockedPackage | undefined {
  const near = lock.packages[`${from ? `${from}/` : ''}node_modules/${name}`]
  if (near || from === '') return near
  return resolve(lock, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? [])
}
