import { createHash, randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, lchown, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DatabaseUser, isRunningAsRoot } from './database-user.ts'

export function hasErrorCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Answers undefined where the operation finds no file or folder. */
export async function unlessMissing<Value>(
  operation: Promise<Value>,
  ...alsoCodes: string[]
): Promise<Value | undefined> {
  try {
    return await operation
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', ...alsoCodes)) return undefined
    throw error
  }
}

/** Derives a short name from a path: the same path gives the same name. */
export function shortNameOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

export function randomName(): string {
  return randomBytes(6).toString('hex')
}

export async function statsOf(path: string): Promise<Stats | null> {
  return (await unlessMissing(lstat(path))) ?? null
}

/** Flushes a folder, after which a rename in it survives a power cut. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives a folder and its content to the user. Links themselves change owner, never their targets. */
export async function changeTreeOwner(path: string, user: DatabaseUser): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) await changeTreeOwner(inner, user)
    else await lchown(inner, user.uid, user.gid)
  }
  await lchown(path, user.uid, user.gid)
}

/**
 * Creates a folder that only the database user can enter. Its parent may be writable by all users, so an existing link
 * or another user's folder is refused.
 */
export async function createPrivateFolder(path: string, user: DatabaseUser): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
  const found = await lstat(path)
  const isOurs = found.uid === user.uid || (isRunningAsRoot() && found.uid === 0)
  if (!found.isDirectory() || !isOurs) {
    throw new Error(
      `${path} belongs to user id ${found.uid} or is no folder. Svc needs this path for its database: remove it.`,
    )
  }
  if (found.uid !== user.uid) await lchown(path, user.uid, user.gid)
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700)
}
