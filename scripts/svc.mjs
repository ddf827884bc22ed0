#!/usr/bin/env node
// The svc command: installs the packages and Node if needed, then runs src/main.ts.
import { ensureInstalled, findNode, run } from './install.mjs'

// glibc keeps a heap for each thread; with many threads that decode pictures it would keep far too much memory.
process.env.MALLOC_ARENA_MAX ??= '2'

await ensureInstalled({ forDevelopment: false })
process.exit(await run(findNode(), ['src/main.ts'], process.argv.slice(2), { byChannel: true }))
