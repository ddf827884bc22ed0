import { execFile } from 'node:child_process'
import { lchown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { asUser, cleanEnvironment } from './database-user.ts'
import { flushFolder, giveTree, hasCode, randomName, statsOf } from './files.ts'
import type { Place } from './place.ts'

export const superuser = 'postgres'

const unfinishedPrefix = 'data.new-'
const initTimeoutMs = 300_000

/** Makes the cluster on the first start; checks on later ones that it is one this server can run. */
export async function ensureCluster(
  place: Place,
  binaries: Binaries,
  options: { durable: boolean; log(message: string): void },
): Promise<void> {
  await removeUnfinished(place.home)
  const existing = await statsOf(place.dataFolder)
  if (existing === null) {
    await initialize(place, binaries, options.durable)
    options.log(`made a new database in ${place.dataFolder}`)
    return
  }
  await checkVersion(place.dataFolder, binaries.majorVersion)
  // Restored by root from a backup, for example.
  if (existing.uid !== place.user.uid) await giveTree(place.dataFolder, place.user)
}

async function checkVersion(dataFolder: string, majorVersion: string): Promise<void> {
  let version: string
  try {
    version = (await readFile(join(dataFolder, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    throw new Error(`${dataFolder} exists but holds no PostgreSQL database. Svc leaves it alone: move it away.`)
  }
  if (version === majorVersion) return
  throw new Error(
    `${dataFolder} was made by PostgreSQL ${version}, but this Svc carries PostgreSQL ${majorVersion}. ` +
      `Move the data with pg_dump or pg_upgrade, or run a PostgreSQL ${version} server and set DATABASE_URL.`,
  )
}

/** In a folder aside, renamed when complete: a cluster that was interrupted half-way is never mistaken for one. */
async function initialize(place: Place, binaries: Binaries, durable: boolean): Promise<void> {
  const unfinished = join(place.home, `${unfinishedPrefix}${randomName()}`)
  await mkdir(unfinished, { mode: 0o700 })
  if (!place.user.isOurselves) await lchown(unfinished, place.user.uid, place.user.gid)

  const settings = ['--auth=trust', '--locale=C', '--encoding=UTF8', '--data-checksums', '--no-instructions']
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
    throw new Error(`Could not make a database in ${place.home}: ${explain(error)}`, { cause: error })
  }
  await rename(unfinished, place.dataFolder)
  await flushFolder(place.home)
}

function explain(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  if (said.includes('could not look up effective user ID')) {
    return `${said}. PostgreSQL needs an account for the user id it runs as (a line in /etc/passwd).`
  }
  if (hasCode(error, 'ENOENT')) return `${String(error)}. The programs need a Linux with glibc (Alpine has none).`
  return said || String(error)
}

async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(unfinishedPrefix)) continue
    // Its initdb may still be running without its parent and refill the folder. It is only litter: the next start tries again.
    await rm(join(home, name), { recursive: true, force: true }).catch(() => {})
  }
}
