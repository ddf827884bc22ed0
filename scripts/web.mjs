// Builds the pages of web/ once per content. Plain JavaScript for Node 20: the launcher calls it before every start.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { findNode, projectFolder, run } from './install.mjs'

const sources = path.join(projectFolder, 'web')
/** The pointer that the service reads: the folder of the built files, and the names of the first ones. */
export const pointerFile = path.join(projectFolder, '.web', 'forms.json')

/** Builds the pages unless this content is built already. A warm start only reads the sources. */
export async function ensureBuilt() {
  if (!existsSync(sources)) return
  const hash = hashSources()
  if (readPointer()?.hash === hash) return
  console.error('Building the pages of the hosted forms. This takes a few seconds, once.')
  const code = await run(findNode(), ['scripts/build-web.mjs'], [hash], { output: process.stderr })
  if (code !== 0) throw new Error('the pages of web/ could not be built; see the messages above')
}

function readPointer() {
  try {
    const pointer = JSON.parse(readFileSync(pointerFile, 'utf8'))
    return existsSync(path.join(path.dirname(pointerFile), pointer.folder)) ? pointer : undefined
  } catch {
    return undefined
  }
}

/** Names the packages and their versions: a new version of Svc, or npm's own order of fields, changes no page. */
function lockedVersions() {
  const { packages = {} } = JSON.parse(readFileSync(path.join(projectFolder, 'package-lock.json'), 'utf8'))
  const listed = Object.entries(packages).filter(([place]) => place !== '')
  return listed
    .map(([place, { version }]) => `${place}@${version}`)
    .sort()
    .join('\n')
}

function hashSources() {
  const hash = createHash('sha256')
  const names = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
  const files = [...names, path.join(projectFolder, 'scripts/build-web.mjs')]
  for (const file of files) hash.update(path.relative(projectFolder, file)).update('\0').update(readFileSync(file))
  hash.update(lockedVersions())
  return hash.digest('hex').slice(0, 16)
}
