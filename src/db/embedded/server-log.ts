import { appendFileSync, closeSync, fchownSync, fstatSync, openSync, renameSync } from 'node:fs'
import type { DatabaseUser } from './database-user.ts'

/** What the server says goes to a file, not to our own output. One older file is kept, so the size stays bounded. */
export type ServerLog = { write(text: string): void }

const largestFile = 5 * 1024 * 1024

export function openServerLog(file: string, user: DatabaseUser): ServerLog {
  let size = measure(file, user)
  return {
    write(text) {
      // A full disk must not take the service down because of its log.
      try {
        if (size > largestFile) {
          renameSync(file, `${file}.old`)
          size = measure(file, user)
        }
        appendFileSync(file, text, { mode: 0o600 })
        size += Buffer.byteLength(text)
      } catch {}
    },
  }
}

/** Makes the file if needed, as the database user's: after one start by root that user must still be able to write. */
function measure(file: string, user: DatabaseUser): number {
  try {
    const descriptor = openSync(file, 'a', 0o600)
    try {
      if (!user.isOurselves) fchownSync(descriptor, user.uid, user.gid)
      return fstatSync(descriptor).size
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return 0
  }
}
