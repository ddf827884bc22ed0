// Plain JavaScript for Node 20: this runs before anything is installed, on the Node that the machine has.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const projectFolder = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const packages = path.join(projectFolder, 'node_modules')
const stampFile = path.join(packages, '.svc-install.json')
const oldestNode = [24, 0]

/** Installs the packages of the lock file unless they are installed. Works with npm's `--ignore-scripts`. */
export async function ensureInstalled({ forDevelopment }) {
  const wanted = wantedPackages()
  const installed = readStamp()
  if (installed.wanted === wanted && (installed.forDevelopment || !forDevelopment)) return
  // Keep development packages that a developer installed.
  const everything = forDevelopment || installed.forDevelopment === true || existsSync(path.join(packages, 'vitest'))
  console.error(
    `Installing the packages of Svc${everything ? ' for development' : ''}. The first time takes about a minute.`,
  )
  const what = everything ? '--include=dev' : '--omit=dev'
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', what]
  // The output of npm is not part of the output of the requested command.
  const code = await run(...npm(), args, { output: process.stderr })
  if (code !== 0) {
    console.error(
      '\nThe install did not finish. Check the network and the messages above, then run the same command again.',
    )
    process.exit(code)
  }
  await installSkipped(args)
  writeFileSync(stampFile, JSON.stringify({ wanted: wantedPackages(), forDevelopment: everything }))
}

/**
 * Installs the native packages that npm skipped, with the Node that the first pass has brought: under an older Node, npm
 * leaves out each optional package that asks for a newer one, and says nothing.
 */
async function installSkipped(args) {
  if (findSkipped().length === 0) return
  const node = findNode()
  const [, before] = npm()
  const environment = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` }
  const [command, first] = before.length > 0 ? [node, before] : ['npm', []]
  const code = await run(command, first, args, { output: process.stderr, environment })
  const skipped = findSkipped()
  if (code === 0 && skipped.length === 0) return
  console.error(
    `\nnpm did not install ${skipped.join(', ')}. Run the same command again; without them, local chains do not start.`,
  )
  process.exit(code || 1)
}

/** Lists packages for this machine that the lock file has and npm left out because they ask for a newer Node. */
function findSkipped() {
  const { packages: locked = {} } = JSON.parse(readFileSync(path.join(projectFolder, 'package-lock.json'), 'utf8'))
  const libc = process.report?.getReport?.().header.glibcVersionRuntime ? 'glibc' : 'musl'
  const isForUs = ({ optional, os, cpu, engines, libc: wanted }) =>
    optional &&
    os?.includes(process.platform) &&
    cpu?.includes(process.arch) &&
    engines?.node !== undefined &&
    (wanted === undefined || process.platform !== 'linux' || wanted.includes(libc))
  return Object.entries(locked)
    .filter(([place, facts]) => place.startsWith('node_modules/@nomicfoundation/') && isForUs(facts))
    .map(([place]) => place)
    .filter((place) => !existsSync(path.join(projectFolder, place)))
}

/** Finds the Node of the installed packages, or uses the machine's own if it is new enough. */
export function findNode() {
  const ours = path.join(packages, `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(ours)) return ours
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return process.execPath
  console.error(
    `Svc runs on Node ${oldestNode[0]}. No package provides it for ${process.platform}-${process.arch}, and this is ` +
      `Node ${process.versions.node}. Install Node ${oldestNode[0]} or newer and try again.`,
  )
  process.exit(1)
}

/**
 * Runs a program to its end. With `byChannel` the program stops when the channel to this process closes: after Ctrl-C,
 * a signal to this process, or its sudden end. A signal that the terminal sends to both processes then counts once.
 */
export function run(command, before, args, { byChannel = false, output = 'inherit', environment = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, [...before, ...args], {
      cwd: projectFolder,
      env: environment,
      stdio: ['inherit', output, 'inherit', ...(byChannel ? ['ipc'] : [])],
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => (byChannel ? child.connected && child.disconnect() : child.kill(signal)))
    }
    // When npm alone is killed, this process gets a new parent. It then stops as after Ctrl-C.
    const parent = process.ppid
    const isNpms = process.env.npm_lifecycle_event !== undefined
    setInterval(() => isNpms && process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 500).unref()
    child.on('error', (error) => {
      console.error(`${command} did not start: ${error.message}`)
      resolve(1)
    })
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 1)))
  })
}

function wantedPackages() {
  const hash = createHash('sha256')
  for (const name of ['package.json', 'package-lock.json']) {
    const file = path.join(projectFolder, name)
    if (existsSync(file)) hash.update(readFileSync(file))
  }
  return hash.digest('hex')
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return {}
  }
}

/** Returns the npm that runs this process, as a command and its first arguments. */
export function npm() {
  const cli = process.env.npm_execpath
  return cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []]
}
