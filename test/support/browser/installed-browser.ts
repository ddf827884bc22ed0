import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const minuteMs = 60_000

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const usualPlaces = [
  ...['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap((folder) => names.map((name) => path.join(folder, name))),
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Finds the machine's own Chromium or Chrome: first on the given PATH, then where systems usually put it. */
export async function findInstalledBrowser(searchPath: string): Promise<string | undefined> {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  const onPath = folders.flatMap((folder) => names.map((name) => path.join(folder, name)))
  for (const candidate of new Set([...onPath, ...usualPlaces])) {
    if (existsSync(candidate) && (await answersVersion(candidate))) return candidate
  }
  return undefined
}

/** Ubuntu has a file of this name that only tells to install the snap. */
async function answersVersion(candidate: string): Promise<boolean> {
  const answer = await run(candidate, ['--version'], { timeout: minuteMs }).catch(() => undefined)
  return /\bChrom(?:e|ium)\b.*\d/.test(answer?.stdout ?? '')
}

/** Installs Debian's Chromium. Test files run in parallel: a second one waits for the first, and skips the install. */
export async function installChromium(): Promise<void> {
  const lock = path.join(await privateFolder(), 'apt.lock')
  const wait = '-o DPkg::Lock::Timeout=300'
  const install = `apt-get update && apt-get install --yes --no-install-recommends ${wait} chromium`
  const script = `command -v chromium || { ${install}; }`
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('flock', [lock, 'sh', '-c', script], { env, timeout: 15 * minuteMs, maxBuffer: 2 ** 26 })
}

/** A folder under the temporary one that is ours alone: a file that another user put there is never run. */
export async function privateFolder(): Promise<string> {
  const { uid } = os.userInfo()
  const folder = path.join(os.tmpdir(), `svc-browser-${uid}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await stat(folder)).uid !== uid) throw new Error(`${folder} belongs to another user`)
  return folder
}
