import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { afterAll } from 'vitest'

/** A real headless browser for this test file, closed when the file ends. */
export async function startBrowser(): Promise<Browser> {
  const { executablePath, env } = await findBrowser()
  const browser = await chromium.launch({ executablePath, args: flags, env: { ...process.env, ...env } })
  afterAll(() => browser.close())
  return browser
}

const flags = [
  // The browser shows our own pages only, and neither root nor most containers can have its sandbox.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

type Found = { executablePath: string; env: Record<string, string> }

/** The pinned one where it exists, so that everybody sees the same; elsewhere the machine's own. */
async function findBrowser(): Promise<Found> {
  const named = process.env.CHROME_PATH
  if (named) return { executablePath: named, env: {} }
  if (process.platform === 'linux' && process.arch === 'x64') return pinnedBrowser()
  const installed = installedBrowsers.find(existsSync)
  if (installed) return { executablePath: installed, env: {} }
  throw new Error('No package brings a browser for this machine. Install Chrome or Chromium, or set CHROME_PATH.')
}

const installedBrowsers = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
]

/** Brings its own libraries and fonts: nothing of the machine's desktop is needed. */
async function pinnedBrowser(): Promise<Found> {
  const folder = await unpackOnce()
  return {
    executablePath: path.join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: path.join(folder, 'fonts') },
  }
}

/** Unpacking takes two seconds, so it is kept for the next file and the next run, for each user apart. */
async function unpackOnce(): Promise<string> {
  const shelf = path.join(os.tmpdir(), `svc-browser-${os.userInfo().uid}`)
  await mkdir(shelf, { recursive: true, mode: 0o700 })
  // The temporary folder is everybody's: what somebody else put there is not run.
  if ((await stat(shelf)).uid !== os.userInfo().uid) throw new Error(`${shelf} belongs to somebody else`)
  const folder = path.join(shelf, pinnedVersion())
  if (existsSync(folder)) return folder
  const unpacking = await mkdtemp(path.join(shelf, 'unpacking-'))
  // The package unpacks into the temporary folder, its libraries only when it believes to be in a certain cloud.
  const env = { ...process.env, TMPDIR: unpacking, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  const args = ['--input-type=module', '--eval', script]
  await promisify(execFile)(process.execPath, args, { env, cwd: import.meta.dirname })
  // Two files may do this at the same time: the first to finish wins, and both are complete.
  await rename(unpacking, folder).catch(() => rm(unpacking, { recursive: true }))
  return folder
}

function pinnedVersion(): string {
  const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'))
  const text = readFileSync(path.join(path.dirname(entry), '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
