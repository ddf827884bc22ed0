// Fetches the generators of API clients that the tests run, apart from the packages of Svc.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { npm, projectFolder, run } from './install.mjs'

const declared = path.join(projectFolder, 'test', 'clients')
const shelf = path.join(projectFolder, 'node_modules', '.cache', 'client-generators')
const files = ['package.json', 'package-lock.json']

/** Returns the folder with the generators. Downloads them the first time; later runs need no network. */
export async function fetchClientGenerators() {
  const hash = createHash('sha256')
  for (const name of files) hash.update(readFileSync(path.join(declared, name)))
  const folder = path.join(shelf, hash.digest('hex').slice(0, 16))
  if (existsSync(folder)) return folder

  console.error('Fetching the generators of API clients from npm. The download has about 40 MB.')
  // Renamed when complete: an interrupted download is never used.
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  for (const name of files) copyFileSync(path.join(declared, name), path.join(unfinished, name))
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
  const code = await run(...npm(), ['ci', ...quiet, '--prefix', unfinished], { output: process.stderr })
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new Error('npm could not install the generators of API clients. Check the network, then try again.')
  }
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another run has just fetched the same versions.
    if (!existsSync(folder)) throw error
  }
  return folder
}
