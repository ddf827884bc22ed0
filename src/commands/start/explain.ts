/** Explains a failed start or command to an operator: what is wrong where, and what to do. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall, path: file, address, port, severity } = error as Error & Facts
  if (error instanceof AggregateError && error.errors.length > 0) return explainFailure(error.errors[0])
  if (severity !== undefined) return explainServer(String(code), error.message)
  if (syscall === 'connect' || syscall === 'getaddrinfo') {
    const place = file ?? address ?? hostnameOf(error)
    const where = [place, port].filter((part) => part !== undefined).join(':')
    return (
      `No database answers at ${where || 'its address'} (${code}). ` +
      'Start PostgreSQL there, or correct DATABASE_URL; without DATABASE_URL a sandbox runs a database of its own.'
    )
  }
  const remedy = remedies[code ?? '']
  if (remedy === undefined || syscall === undefined) return error.message
  return remedy(file ?? 'a file or folder of Svc')
}

/** Says which file a process cannot read, and why. The error of reading a folder does not name it. */
export function explainUnreadable(error: Error, name: string, file: string): Error {
  const why =
    (error as Facts).code === 'ENOENT'
      ? `${file} does not exist. Put the file there, or correct the setting.`
      : explainFailure(Object.assign(error, { path: file }))
  return new Error(`Svc cannot read ${name}. ${why}`, { cause: error })
}

type Facts = {
  code?: string
  syscall?: string
  path?: string
  address?: string
  port?: number
  severity?: string
}

function hostnameOf(error: Error): string | undefined {
  return (error as { hostname?: string }).hostname
}

const remedies: Readonly<Record<string, (file: string) => string>> = {
  EACCES: describeRights,
  EPERM: describeRights,
  EROFS: (file) => `${file} is on a read-only file system. Mount it with the right to write.`,
  ENOSPC: (file) => `The disk that holds ${file} is full. Free some space, then start Svc again; it keeps all data.`,
  EDQUOT: (file) => `The disk quota for ${file} is used up. Free some space, then start Svc again; it keeps all data.`,
  EIO: (file) => `The disk cannot read or write ${file}. Check the disk, and restore the file from a backup.`,
  ENOTDIR: (file) => `A part of ${file} is a file where Svc needs a folder. Move that file away.`,
  EEXIST: (file) => `${file} is a file where Svc needs a folder. Move that file away.`,
  EISDIR: (file) => `${file} is a folder where Svc needs a file. Name a file, or move that folder away.`,
  ENOENT: (file) => `${file} does not exist and cannot be created there. Create it, or name another place.`,
  ELOOP: (file) => `${file} is a link that leads to itself. Remove the link.`,
  EMFILE: () => 'This process may open too few files. Raise its limit (ulimit -n), then start Svc again.',
}

function describeRights(file: string): string {
  const user = process.getuid ? `user id ${process.getuid()}, as which Svc runs,` : 'The user as which Svc runs'
  return `${user.replace(/^u/, 'U')} may not use ${file}. Run Svc as its owner, or change its owner or permissions.`
}

/** Explains an error of PostgreSQL while Svc connects: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function explainServer(code: string, message: string): string {
  if (code.startsWith('28'))
    return `The database refuses this login (${code}). Check the user and password of DATABASE_URL.`
  if (code === '3D000') return 'The database that DATABASE_URL names does not exist. Create it, then run "svc migrate".'
  if (code === '53100') return 'The disk of the database is full. Free some space there; the database keeps all data.'
  if (code === '53300') return 'The database has no free connection. Raise its max_connections, or end other clients.'
  if (code === '57P03') return 'The database is starting up or shutting down. Try again in a moment.'
  if (code === '42501')
    return `The role of the database URL lacks a right (${message}). "svc migrate" as the owner grants it.`
  if (code.startsWith('XX'))
    return `The database reports damaged data (${code}). Stop Svc, keep a copy of the data, and restore a backup.`
  return message
}
