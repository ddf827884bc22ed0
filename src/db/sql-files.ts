import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const sqlFolder = path.join(import.meta.dirname, '..', '..', 'sql')

/** A migration (`0001_platform.sql`) or a function (`post`), with the checksum that the database stores for it. */
export type SqlFile = { name: string; sql: string; checksum: string }

/** The schema that this version of the program runs on. */
export type Schema = { migrations: SqlFile[]; functions: SqlFile[] }

export function readSchema(folder = sqlFolder): Schema {
  return {
    migrations: readFiles(path.join(folder, 'migrations'), /^(\d{4}_[a-z0-9_]+\.sql)$/),
    functions: callersLast(readFiles(path.join(folder, 'functions'), /^([a-z0-9_]+)\.sql$/)),
  }
}

function readFiles(folder: string, form: RegExp): SqlFile[] {
  const found = readdirSync(folder).sort()
  return found.flatMap((file) => {
    const name = form.exec(file)?.[1]
    if (name === undefined) return []
    const sql = readFileSync(path.join(folder, file), 'utf8')
    return [{ name, sql, checksum: createHash('sha256').update(sql).digest('hex') }]
  })
}

/** Puts every function after those that it calls, because PostgreSQL checks a function's body when it is created. */
function callersLast(files: readonly SqlFile[]): SqlFile[] {
  const sorted = new Set<SqlFile>()
  const seen = new Set<SqlFile>()
  const add = (file: SqlFile): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const other of files) if (file.sql.includes(`svc.${other.name}(`)) add(other)
    sorted.add(file)
  }
  for (const file of files) add(file)
  return [...sorted]
}
