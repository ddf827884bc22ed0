import { appendFileSync, closeSync, fchownSync, fstatSync, openSync, renameSync } from 'node:fs'
import type { DatabaseUser } from './database-user.ts'

/** A file for the server's own log, apart from Svc's output. One older file is kept, so the size stays bounded. */
export type ServerLog = { write(text: string): void }

const largestFile = 5 * 1024 * 1024

export function openServerLog(file: string, user: DatabaseUser): ServerLog {
  let size = measure(file, user)
  return {
    write(text) {
      // A log on a full disk must not stop the service.
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

/** Creates the file if needed, owned by the database user, who must be able to write after a start by root. */
function measure(file: string, user: DatabaseUser): number {
  try {
    const descriptor = openSync(file, 'a', 0o600)
    try {
      if (!user.isCurrentUser) fchownSync(descriptor, user.uid, user.gid)
      return fstatSync(descriptor).size
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return 0
  }
}
