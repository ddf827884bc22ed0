// Runs Vite over web/forms and compresses the result: node scripts/build-web.mjs <hash of the sources>
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { projectFolder } from './install.mjs'
import { pointerFile } from './web.mjs'

const [hash = 'unnamed'] = process.argv.slice(2)
const shelf = path.dirname(pointerFile)
mkdirSync(shelf, { recursive: true })
const building = mkdtempSync(path.join(shelf, 'building-'))

/** The script of each kind of page. Each is one file, and needs none but the texts of its language before its first page. */
const scripts = { app: 'app.tsx', bank: 'bank/app.tsx', pay: 'pay/pay.ts' }

for (const [name, source] of Object.entries(scripts)) await buildScript(name, source)

function buildScript(name, source) {
  return build({
    configFile: false,
    root: path.join(projectFolder, 'web', 'forms'),
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: building,
      emptyOutDir: false,
      target: 'es2022',
      // The policy of the pages knows no inline styles, scripts or preloads.
      assetsInlineLimit: 0,
      modulePreload: false,
      cssCodeSplit: false,
      chunkSizeWarningLimit: 3_000,
      rollupOptions: {
        input: path.join(projectFolder, 'web', 'forms', source),
        output: {
          entryFileNames: `${name}-[hash].js`,
          chunkFileNames: '[name]-[hash].js',
          assetFileNames: '[name]-[hash][extname]',
        },
      },
    },
  })
}

// The licence of the decoder of HEIC pictures goes with its file, as the LGPL asks; those of the other packages beside it.
const licences = {
  'libheif-licence.txt': ['libheif-js/libheif-wasm/LICENSE'],
  'licences.txt': [
    'preact/LICENSE',
    'uqr/LICENSE',
    'pdfjs-dist/LICENSE',
    'pdfjs-dist/cmaps/LICENSE',
    'pdfjs-dist/standard_fonts/LICENSE_FOXIT',
    'pdfjs-dist/standard_fonts/LICENSE_LIBERATION',
    'pdfjs-dist/wasm/LICENSE_JBIG2',
    'pdfjs-dist/wasm/LICENSE_PDFJS_JBIG2',
    'pdfjs-dist/wasm/LICENSE_OPENJPEG',
    'pdfjs-dist/wasm/LICENSE_PDFJS_OPENJPEG',
    'pdfjs-dist/wasm/LICENSE_QCMS',
    'pdfjs-dist/wasm/LICENSE_PDFJS_QCMS',
  ],
}
for (const [name, files] of Object.entries(licences)) {
  const texts = files.map(
    (file) => `${file}\n\n${readFileSync(path.join(projectFolder, 'node_modules', file), 'utf8')}`,
  )
  writeFileSync(path.join(building, name), texts.join('\n\n'))
}

// Another user may run the service.
chmodSync(building, 0o755)

const names = readdirSync(building)
const entries = {
  ...Object.fromEntries(
    Object.keys(scripts).map((each) => [
      `${each}.js`,
      names.find((name) => new RegExp(`^${each}-.*\\.js$`).test(name)),
    ]),
  ),
  'app.css': names.find((name) => name.endsWith('.css')),
  ...languages(),
}
for (const name of names) compress(path.join(building, name))

// Two processes may build at once: the folder of one is as good as that of the other.
const folder = `forms-${hash}`
const target = path.join(shelf, folder)
try {
  renameSync(building, target)
} catch {
  rmSync(building, { recursive: true, force: true })
}
const pointer = path.join(shelf, `pointer-${process.pid}.json`)
writeFileSync(pointer, JSON.stringify({ hash, folder, entries }))
renameSync(pointer, pointerFile)

/** The texts of each language, such as `es.js`: a page asks for its own ones together with the script. */
function languages() {
  const found = names.map((name) => [/^([a-z]{2})-[\w-]+\.js$/.exec(name)?.[1], name])
  return Object.fromEntries(found.filter(([language]) => language).map(([language, name]) => [`${language}.js`, name]))
}

/** Writes the compressed forms beside a file. The large ones are loaded rarely, so they are compressed less. */
function compress(file) {
  const bytes = readFileSync(file)
  if (bytes.length < 500 || /\.(?:bcmap|pfb)$/.test(file)) return
  const quality = bytes.length > 500_000 ? 5 : 11
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
