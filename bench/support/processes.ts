import { readdir, readFile } from 'node:fs/promises'

/** A process of Linux with the processor time that it has used. */
export type Process = { pid: number; parent: number; name: string; seconds: number }

// Linux counts processor time in hundredths of a second.
const ticksPerSecond = 100

/** The process and all its descendants. */
export async function readFamily(root: number): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const all = (await Promise.all(pids.map(readProcess))).filter((each) => each !== undefined)
  const family = new Set([root])
  // A child can have a lower number than its parent, so one pass is not enough.
  for (let size = 0; size < family.size; ) {
    size = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  return all.filter(({ pid }) => family.has(pid))
}

/** The memory of a process in megabytes: its proportional set size, in which shared pages count once. */
export async function readMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1_024
}

async function readProcess(pid: number): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').join(' ')
  const seconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  return { pid, parent: Number(fields[1]), name: shorten(command), seconds }
}

/** Shortens a command line to the names of its files; every process of PostgreSQL is "postgres". */
function shorten(command: string): string {
  if (/(^|\/)postgres(:| |$)/.test(command.slice(0, 200))) return 'postgres'
  const words = command.split(' ').filter((word) => !word.startsWith('--') && word !== '')
  return words
    .slice(1, 5)
    .map((word) => word.replace(/.*\//, ''))
    .join(' ')
}
