import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'

/**
 * Measures what `npm start` costs a developer: the time of a first and of a second start, the memory of all processes
 * (proportional set size, so that shared pages count once), and the use of a core while no request arrives. Linux only.
 */
const { values } = parseArgs({ options: { idle: { type: 'string', default: '60' } } })
const idleSeconds = Number(values.idle)
const limits = { warmStartSeconds: 4, memoryMb: 700, idlePercent: 2 }
const program = path.join(import.meta.dirname, '..', 'scripts', 'svc.mjs')
// Linux counts processor time in hundredths of a second.
const ticksPerSecond = 100

const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-footprint-'))
try {
  const cold = await start()
  console.log(`first start   ${cold.seconds.toFixed(2)} s`)
  await cold.stop()
  const warm = await start()
  const spent = (await readCpu(warm.pid)).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond
  console.log(`second start  ${warm.seconds.toFixed(2)} s, at most ${limits.warmStartSeconds} s (${spent} s of a core)`)
  // Not idleness yet: scanners look often at networks that were in use a minute ago, and V8 compacts what the start left.
  await setTimeout(90_000)
  const before = await readCpu(warm.pid)
  await setTimeout(idleSeconds * 1_000)
  const after = await readCpu(warm.pid)
  const idlePercent = report(before, after)
  const memoryMb = await reportMemory(warm.pid)
  await warm.stop()
  const isWithin =
    warm.seconds <= limits.warmStartSeconds && memoryMb <= limits.memoryMb && idlePercent < limits.idlePercent
  if (!isWithin) process.exitCode = 1
  console.log(isWithin ? 'within the limits' : 'NOT within the limits')
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function start() {
  const began = performance.now()
  const child = spawn(process.execPath, [program, 'dev'], {
    env: {
      ...process.env,
      SVC_DATA_DIR: folder,
      PORT: '0',
      SVC_SANDBOX_CHAINS_PORT: '0',
      SVC_SANDBOX_SOLANA_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let text = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (part: Buffer) => {
      text += part
      if (text.includes('Svc is running')) resolve()
    })
    void ended.then(() => reject(new Error(`svc dev ended:\n${text}`)))
  })
  return {
    pid: child.pid ?? 0,
    seconds: (performance.now() - began) / 1_000,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

type Process = { pid: number; parent: number; name: string; ticks: number }

/** The process and all its descendants, with the processor time that each has used. */
async function readCpu(root: number): Promise<Process[]> {
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

async function readProcess(pid: number): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const name = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, 3).join(' ')
  return { pid, parent: Number(fields[1]), name: shorten(name), ticks: Number(fields[11]) + Number(fields[12]) }
}

function shorten(command: string): string {
  return command.replace(/\S*\//g, '').slice(0, 60).trim()
}

function report(before: readonly Process[], after: readonly Process[]): number {
  const percentOf = (ticks: number) => (100 * ticks) / ticksPerSecond / idleSeconds
  let total = 0
  for (const { pid, name, ticks } of after) {
    const used = ticks - (before.find((each) => each.pid === pid)?.ticks ?? 0)
    total += used
    if (used > 0) console.log(`  ${percentOf(used).toFixed(2).padStart(6)} %   ${name}`)
  }
  console.log(`idle          ${percentOf(total).toFixed(2)} % of a core, less than ${limits.idlePercent} %`)
  return percentOf(total)
}

async function reportMemory(root: number): Promise<number> {
  let total = 0
  const byName = new Map<string, { count: number; megabytes: number }>()
  for (const { pid, name } of await readCpu(root)) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    const megabytes = Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1_024
    const short = name.replace(/ .*(?:postgres:.*)?$/, (rest) => (name.startsWith('postgres') ? '' : rest))
    const { count, megabytes: sum } = byName.get(short) ?? { count: 0, megabytes: 0 }
    byName.set(short, { count: count + 1, megabytes: sum + megabytes })
    total += megabytes
  }
  for (const [name, { count, megabytes }] of byName) {
    console.log(`  ${megabytes.toFixed(0).padStart(4)} MB    ${name}${count > 1 ? ` (${count})` : ''}`)
  }
  console.log(`memory        ${total.toFixed(0)} MB, at most ${limits.memoryMb} MB`)
  return total
}
