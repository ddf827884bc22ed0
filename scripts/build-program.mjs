// Joins src/main.ts and the packages that it uses in a few files: node scripts/build-program.mjs <folder>
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { projectFolder } from './install.mjs'
import { apart } from './program.mjs'

const [folder = ''] = process.argv.slice(2)
const shelf = path.dirname(folder)
const keptForMs = 30 * 24 * 3_600_000
const sources = path.join(projectFolder, 'src') + path.sep

const bundle = await rolldown({
  input: { main: path.join(projectFolder, 'src', 'main.ts') },
  platform: 'node',
  external: (id) => apart.test(id),
  plugins: [{ name: 'keep places', transform: { filter: { id: /\.ts$/ }, handler: keepPlaces } }],
  logLevel: 'silent',
})
const building = mkdtempSync(path.join(shelf, 'building-'))
const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' }
const { output } = await bundle.write({ dir: building, format: 'esm', comments: false, ...names })
for (const { type, fileName, code } of output)
  if (type === 'chunk') writeFileSync(path.join(building, fileName), escapeWide(code))
await bundle.close()

// Tells which modules each file holds, and which files it loads before it runs.
const files = output.map(({ fileName, moduleIds = [], imports = [] }) => [
  fileName,
  { imports, modules: moduleIds.map((id) => path.relative(projectFolder, id)) },
])
writeFileSync(path.join(building, 'modules.json'), JSON.stringify(Object.fromEntries(files)))

// Another user may run the service.
chmodSync(building, 0o755)

// Two processes may build at once: the folder of one is as good as that of the other.
try {
  renameSync(building, folder)
} catch (error) {
  rmSync(building, { recursive: true, force: true })
  if (!existsSync(path.join(folder, 'main.mjs'))) throw error
}
for (const name of readdirSync(shelf)) {
  const old = path.join(shelf, name)
  if (Date.now() - statSync(old).mtimeMs > keptForMs) rmSync(old, { recursive: true, force: true })
}

/** Lets a module find its files from another place. The program that child processes run is the joined one. */
function keepPlaces(code, file) {
  if (!file.startsWith(sources)) return undefined
  const isProgram = file === path.join(sources, 'commands', 'processes', 'program.ts')
  const placed = isProgram
    ? `export const program = import.meta.dirname + '/main.mjs'`
    : code
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
  return { code: placed, moduleType: 'ts' }
}

/**
 * Writes each character beyond ASCII as an escape. One of them would make V8 keep two bytes for every character of a file.
 * Leaves a file alone in which a template with a tag might tell the difference, or a backslash comes before.
 */
function escapeWide(code) {
  if (/\\[^\0-\x7f]|\braw`[^`]*[^\0-\x7f]/.test(code)) return code
  return code.replaceAll(/[^\0-\x7f]/g, (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
