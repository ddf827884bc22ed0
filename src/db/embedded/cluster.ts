import { execFile } from 'node:child_process'
import { lchown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { asUser, cleanEnvironment } from './database-user.ts'
import { changeTreeOwner, flushFolder, hasErrorCode, randomName, statsOf } from './files.ts'
import type { ClusterPlace } from './place.ts'

export const superuser = 'postgres'

export const unfinishedPrefix = 'data.new-'
const initTimeoutMs = 300_000

/** Creates the cluster on the first start; later checks that this server can run it. */
export async function ensureCluster(
  place: ClusterPlace,
  binaries: Binaries,
  options: { durable: boolean; log(message: string): void },
): Promise<void> {
  await removeUnfinished(place.home)
  const existing = await statsOf(place.dataFolder)
  if (existing === null) {
    await initialize(place, binaries, options.durable)
    options.log(`created a new database in ${place.dataFolder}`)
    return
  }
  await checkVersion(place.dataFolder, binaries.majorVersion)
  // The owner differs, for example, after root restored the cluster from a backup.
  if (existing.uid !== place.user.uid) await changeTreeOwner(place.dataFolder, place.user)
}

async function checkVersion(dataFolder: string, majorVersion: string): Promise<void> {
  let version: string
  try {
    version = (await readFile(join(dataFolder, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
    throw new Error(
      `${dataFolder} exists but holds no PostgreSQL database. Move it away, or choose another data folder.`,
    )
  }
  if (version === majorVersion) return
  throw new Error(
    `${dataFolder} was created by PostgreSQL ${version}, but this Svc carries PostgreSQL ${majorVersion}. ` +
      `Move the data with pg_dump or pg_upgrade, or run a PostgreSQL ${version} server and set DATABASE_URL.`,
  )
}

/** Creates the cluster in an unfinished folder and renames it when complete: an interrupted one is never used. */
async function initialize(place: ClusterPlace, binaries: Binaries, durable: boolean): Promise<void> {
  const unfinished = join(place.home, `${unfinishedPrefix}${randomName()}`)
  await mkdir(unfinished, { mode: 0o700 })
  if (!place.user.isCurrentUser) await lchown(unfinished, place.user.uid, place.user.gid)

  const settings = ['--auth=peer', '--locale=C', '--encoding=UTF8', '--data-checksums', '--no-instructions']
  if (!durable) settings.push('--no-sync')
  try {
    await promisify(execFile)(binaries.initdb, [`--pgdata=${unfinished}`, `--username=${superuser}`, ...settings], {
      cwd: '/',
      env: cleanEnvironment(unfinished),
      timeout: initTimeoutMs,
      ...asUser(place.user),
    })
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw new Error(`Could not create a database in ${place.home}: ${explain(error)}`, { cause: error })
  }
  await rename(unfinished, place.dataFolder)
  await flushFolder(place.home)
}

function explain(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  if (said.includes('could not look up effective user ID')) {
    return `${said}. PostgreSQL needs an account for the user id it runs as (a line in /etc/passwd).`
  }
  if (said.includes('No space left on device'))
    return `the disk is full. Free some space, then start Svc again. PostgreSQL said: ${said.split('\n')[0]}`
  if (hasErrorCode(error, 'ENOENT')) return `${String(error)}. The programs need a Linux with glibc (Alpine has none).`
  return said || String(error)
}

async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(unfinishedPrefix)) continue
    // An initdb that outlived its parent may refill the folder. The next start removes it then.
    await rm(join(home, name), { recursive: true, force: true }).catch(() => {})
  }
}
