import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The account that initdb and the server run as: PostgreSQL refuses to run as root. */
export type DatabaseUser = { uid: number; gid: number; isOurselves: boolean }

/** `nobody` on Linux. macOS has no account of that number, but has always had `daemon`. */
const unprivileged = process.platform === 'darwin' ? 1 : 65534

export function weAreRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * A cluster made earlier by an ordinary user keeps its owner when root starts it,
 * so that one `sudo` does not lock that user out of his own database.
 */
export function chooseDatabaseUser(dataFolder: string, existing: Stats | null): DatabaseUser {
  if (weAreRoot()) {
    if (existing === null || existing.uid === 0) return { uid: unprivileged, gid: unprivileged, isOurselves: false }
    return { uid: existing.uid, gid: existing.gid === 0 ? unprivileged : existing.gid, isOurselves: false }
  }
  const uid = process.getuid?.() ?? -1
  if (existing !== null && existing.uid !== uid) {
    throw new Error(
      `The database in ${dataFolder} belongs to user id ${existing.uid}, but Svc runs as user id ${uid}. ` +
        'Start Svc as that user or as root, or use another data folder.',
    )
  }
  return { uid, gid: process.getgid?.() ?? -1, isOurselves: true }
}

/** What `spawn` needs to start a program as this user. */
export function asUser(user: DatabaseUser): { uid?: number; gid?: number } {
  return user.isOurselves ? {} : { uid: user.uid, gid: user.gid }
}

/** Clean on purpose: an inherited PGDATA, PGOPTIONS or LC_MESSAGES would change what the programs do and say. */
export function cleanEnvironment(home: string): Record<string, string> {
  return { HOME: home, LC_ALL: 'C', PATH: process.env.PATH ?? '/usr/bin:/bin' }
}

/** One of the three permission digits: 4 read, 1 run a file or enter a folder. */
export function may(user: DatabaseUser, permission: 4 | 1, stats: Stats): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0
  return ((stats.mode >> shift) & permission) !== 0
}

/** The first folder on the way from `/` to this one that the user cannot enter, or null when the way is open. */
export async function firstClosedFolder(folder: string, user: DatabaseUser): Promise<string | null> {
  if (user.isOurselves) return null
  const parent = dirname(folder)
  if (parent !== folder) {
    const closedAbove = await firstClosedFolder(parent, user)
    if (closedAbove !== null) return closedAbove
  }
  return may(user, 1, await stat(folder)) ? null : folder
}
