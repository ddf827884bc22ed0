import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasErrorCode } from './files.ts'
import { socketPort } from './place.ts'

/** Names, on the server's command line, the Svc process that started it. PostgreSQL ignores the setting. */
export const ownerSetting = 'svc.owner'

const fastShutdownMs = 60_000
const immediateShutdownMs = 15_000

/** Ends the server that a killed Svc left behind, and removes lock files whose process id was reused. */
export async function endOrphan(
  dataFolder: string,
  socketFolder: string,
  log: (message: string) => void,
): Promise<void> {
  const lockFiles = [join(dataFolder, 'postmaster.pid'), join(socketFolder, `.s.PGSQL.${socketPort}.lock`)]
  const pid = await pidIn(join(dataFolder, 'postmaster.pid'))
  const orphan = pid === null ? null : await findServer(pid, dataFolder)
  if (pid !== null && orphan !== null) {
    // An orphan has another parent. A server whose owner still lives must not be ended.
    if (orphan.parent === orphan.owner) {
      throw new Error(`The database in ${dataFolder} is in use by another Svc process (pid ${orphan.owner}).`)
    }
    log(`ending the database server (pid ${pid}) that an earlier Svc process left running`)
    await endServer(pid, dataFolder)
  }
  // When another process reuses the id, PostgreSQL would trust the lock file and refuse to start.
  for (const lockFile of lockFiles) {
    const locker = await pidIn(lockFile)
    if (locker !== null && isAlive(locker)) await rm(lockFile, { force: true })
  }
}

async function endServer(pid: number, dataFolder: string): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', fastShutdownMs],
    ['SIGQUIT', immediateShutdownMs],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!hasErrorCode(error, 'ESRCH')) throw error
    }
    const deadline = Date.now() + timeoutMs
    while (Date.now() < deadline) {
      if ((await findServer(pid, dataFolder)) === null) return
      await sleep(20)
    }
  }
  throw new Error(
    `The database server that an earlier Svc process left behind (pid ${pid}) does not end. End it, then start Svc.`,
  )
}

/** Finds the server of this data folder; null when the process id belongs to another process or to none. */
async function findServer(pid: number, dataFolder: string): Promise<{ parent: number; owner: number } | null> {
  const found = process.platform === 'linux' ? await lookInProc(pid) : await lookWithPs(pid)
  if (found === null || !found.command.includes(`/postgres -D ${dataFolder} -c `)) return null
  const owner = new RegExp(`${ownerSetting}=(\\d+)`).exec(found.command)?.[1]
  return { parent: found.parent, owner: Number(owner ?? Number.NaN) }
}

/** Reads the command line, which every user may read for every process, in containers too. */
async function lookInProc(pid: number): Promise<{ command: string; parent: number } | null> {
  try {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    const status = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The program's name is in brackets and may hold any character; state and parent follow it.
    const [, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return { command, parent: Number(parent) }
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ESRCH', 'EACCES')) return null
    throw error
  }
}

async function lookWithPs(pid: number): Promise<{ command: string; parent: number } | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'ppid=', '-o', 'command=', '-p', String(pid)])
    const [, parent, command] = /^\s*(\d+)\s+(.*)$/.exec(stdout.trimEnd()) ?? []
    return command === undefined ? null : { command, parent: Number(parent) }
  } catch {
    return null
  }
}

async function pidIn(lockFile: string): Promise<number | null> {
  try {
    const pid = Number.parseInt(await readFile(lockFile, 'utf8'), 10)
    return pid > 1 ? pid : null
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasErrorCode(error, 'EPERM')
  }
}
