#!/usr/bin/env node
// The svc command: installs the packages and Node if needed, then runs src/main.ts.
import { fileURLToPath } from 'node:url'
import { ensureInstalled, findNode, run } from './install.mjs'
import { findProgram } from './program.mjs'
import { ensureBuilt } from './web.mjs'

// glibc keeps a heap for each thread; with many threads that decode pictures it would keep far too much memory.
process.env.MALLOC_ARENA_MAX ??= '2'

// Node lets the space of young objects grow to 128 MB on a machine with much memory; a quarter of it costs little time. V8
// lets old objects grow to four times of what lives before it collects them; twice is enough.
const memory = process.env.NODE_OPTIONS?.includes('semi-space')
  ? []
  : ['--max-semi-space-size=16', '--heap-growing-percent=100']

// Compiling takes half of a start; Node keeps the result here for the next one, where it may write.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

await ensureInstalled({ forDevelopment: false })
// Only these roles serve pages; an image or a package runs `version` while it is built.
if (['dev', 'serve', 'version'].includes(process.argv[2] ?? '')) {
  // The API works without its pages, which then say that they are not available.
  await ensureBuilt().catch((error) => console.error(`The hosted forms are not available: ${error.message}`))
}
// A role starts often; a command of an operator uses what is built.
const program = await findProgram({
  mayBuild: ['dev', 'serve', 'worker', 'signer', 'version'].includes(process.argv[2] ?? ''),
})
process.exit(await run(findNode(), [...memory, program], process.argv.slice(2), { byChannel: true }))
