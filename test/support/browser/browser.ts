import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeEach } from 'vitest'
import { chooseBrowser, type Machine, remedy } from './browser-choice.ts'
import { findInstalledBrowser, installChromium, privateFolder } from './installed-browser.ts'

/** The part of a browser that tests use. */
export type TestBrowser = Pick<Browser, 'newPage' | 'newContext'>

/**
 * Starts a real headless browser for this test file, and closes it when the file ends. Where the machine can have none,
 * the tests of the file are skipped, and the closing lines of the run give the reason.
 */
export async function startBrowser(): Promise<TestBrowser> {
  const found = await findBrowser(await lookAtMachine())
  if ('why' in found) return skipTests(found.why)
  const { executablePath, env } = found
  const browser = await chromium.launch({ executablePath, args: flags, env: { ...process.env, ...env } })
  afterAll(() => browser.close())
  return browser
}

function skipTests(why: string): TestBrowser {
  beforeEach((context) => context.skip(why))
  const refuse = () => Promise.reject(new Error(why))
  return { newPage: refuse, newContext: refuse }
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
  // A site that is neither https nor the own machine: browsers keep no secure cookies for it.
  '--host-resolver-rules=MAP insecure.test 127.0.0.1',
]

type Found = { executablePath: string; env: Record<string, string> }

async function lookAtMachine(): Promise<Machine> {
  return {
    platform: `${process.platform}-${process.arch}`,
    named: process.env.CHROME_PATH,
    hasPackage: process.platform === 'linux' && process.arch === 'x64' && findPinned() !== undefined,
    installed: await findInstalledBrowser(process.env.PATH ?? ''),
    system: existsSync(releaseFile) ? /^ID="?(\w+)/m.exec(readFileSync(releaseFile, 'utf8'))?.[1] : undefined,
    isRoot: process.getuid?.() === 0,
  }
}

const releaseFile = '/etc/os-release'

async function findBrowser(machine: Machine): Promise<Found | { why: string }> {
  const choice = chooseBrowser(machine)
  switch (choice.use) {
    case 'path':
      return { executablePath: choice.executablePath, env: {} }
    case 'package':
      return pinnedBrowser()
    case 'apt':
      return aptBrowser(choice.why)
    case 'none':
      return { why: choice.why }
  }
}

async function aptBrowser(why: string): Promise<Found | { why: string }> {
  console.log(`Installing Chromium with apt-get: ${why}.`)
  try {
    await installChromium()
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    const lastLine = (stderr || message).trim().split('\n').at(-1)
    return { why: `${why}, and apt-get could not install one (${lastLine}). ${remedy}` }
  }
  const executablePath = await findInstalledBrowser(process.env.PATH ?? '')
  return executablePath ? { executablePath, env: {} } : { why: `${why}, and the one from apt-get does not start` }
}

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
  const shelf = await privateFolder()
  const { version } = JSON.parse(readFileSync(findPinned() ?? '', 'utf8')) as { version: string }
  const folder = path.join(shelf, `${version}-with-fonts`)
  if (existsSync(folder)) return folder
  const unpacking = await mkdtemp(path.join(shelf, 'unpacking-'))
  // The package unpacks into the temporary folder, and its libraries only when it detects a certain cloud.
  const env = { ...process.env, TMPDIR: unpacking, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  const args = ['--input-type=module', '--eval', script]
  await promisify(execFile)(process.execPath, args, { env, cwd: import.meta.dirname })
  await writeFile(path.join(unpacking, 'fonts', 'fonts.conf'), fontSettings(folder))
  // Two files may do this at the same time: the first to finish wins, and both are complete.
  await rename(unpacking, folder).catch(() => rm(unpacking, { recursive: true }))
  return folder
}

/**
 * The package's own settings name its fonts at a fixed place, where they are not. Without any font, text has no size and
 * the browser ends itself.
 */
function fontSettings(folder: string): string {
  const fonts = path.join(folder, 'fonts')
  return `<fontconfig><dir>${fonts}</dir><cachedir>${path.join(fonts, 'cache')}</cachedir></fontconfig>\n`
}

/** The pinned package's package.json, or undefined when it is not installed. */
function findPinned(): string | undefined {
  try {
    return findPackageJSON('@sparticuz/chromium', import.meta.url)
  } catch {
    return undefined
  }
}
