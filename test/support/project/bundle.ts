import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { apart } from '../../../scripts/program.mjs'

const projectFolder = path.join(import.meta.dirname, '..', '..', '..')

/**
 * Joins the modules of a program and of its packages in a few files, for tests that start it many times: finding and
 * linking them takes half of each start. The names depend on the contents, so that later runs find the compiled code.
 */
export async function bundleProgram(entry: string, name: string): Promise<string> {
  const bundle = await rolldown({
    input: path.join(projectFolder, entry),
    platform: 'node',
    external: (id) => apart.test(id),
    plugins: [{ name: 'keep places', transform: { filter: { id: /\.ts$/ }, handler: keepPlaces } }],
    logLevel: 'silent',
  })
  const dir = path.join(projectFolder, 'node_modules', '.cache', name)
  const names = { entryFileNames: '[hash].mjs', chunkFileNames: '[hash].mjs' }
  const { output } = await bundle.write({ dir, format: 'esm', ...names })
  await bundle.close()
  return path.join(dir, output[0].fileName)
}

/** Lets a module of ours find its files from another place. */
function keepPlaces(code: string, file: string) {
  if (file.includes('node_modules')) return undefined
  const placed = code
    .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
  return { code: placed, moduleType: 'ts' as const }
}
