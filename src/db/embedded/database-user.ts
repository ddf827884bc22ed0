import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The account of initdb and the server. PostgreSQL refuses to run as root. */
export type DatabaseUser = { uid: number; gid: number; isCurrentUser: boolean }

/** The unprivileged account of Linux. macOS has no account of that number but has `daemon`. */
const unprivileged = process.platform === 'darwin' ? 1 : 65534

export function isRunningAsRoot(): boolean {
  return process.getuid?.() === 0
}

/** Keeps the owner of an existing cluster when root starts it, so that one `sudo` does not lock its owner out. */
export function chooseDatabaseUser(dataFolder: string, existing: Stats | null): DatabaseUser {
  if (isRunningAsRoot()) {
    if (existing === null || existing.uid === 0) return { uid: unprivileged, gid: unprivileged, isCurrentUser: false }
    return { uid: existing.uid, gid: existing.gid === 0 ? unprivileged : existing.gid, isCurrentUser: false }
  }
  const uid = process.getuid?.() ?? -1
  if (existing !== null && existing.uid !== uid) {
    throw new Error(
      `The database in ${dataFolder} belongs to user id ${existing.uid}, but Svc runs as user id ${uid}. ` +
        'Start Svc as that user or as root, or use another data folder.',
    )
  }
  return { uid, gid: process.getgid?.() ?? -1, isCurrentUser: true }
}

/** The options with which `spawn` starts a program as this user. */
export function asUser(user: DatabaseUser): { uid?: number; gid?: number } {
  return user.isCurrentUser ? {} : { uid: user.uid, gid: user.gid }
}

/** A minimal environment: an inherited PGDATA, PGOPTIONS or LC_MESSAGES would change what the programs do and print. */
export function cleanEnvironment(home: string): Record<string, string> {
  return { HOME: home, LC_ALL: 'C', PATH: process.env.PATH ?? '/usr/bin:/bin' }
}

/** Tells whether the user has a permission: 4 to read, 1 to run a file or enter a folder. */
export function hasPermission(user: DatabaseUser, permission: 4 | 1, stats: Stats): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0
  return ((stats.mode >> shift) & permission) !== 0
}

/** Finds the first folder on the path from `/` that the user cannot enter. */
export async function firstClosedFolder(folder: string, user: DatabaseUser): Promise<string | null> {
  if (user.isCurrentUser) return null
  const parent = dirname(folder)
  if (parent !== folder) {
    const closedAbove = await firstClosedFolder(parent, user)
    if (closedAbove !== null) return closedAbove
  }
  return hasPermission(user, 1, await stat(folder)) ? null : folder
}
