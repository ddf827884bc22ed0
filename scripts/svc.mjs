#!/usr/bin/env node
// The svc command: brings the packages and the right Node, then hands over to src/main.ts.
import { ensureInstalled, findNode, run } from './install.mjs'

await ensureInstalled({ forDevelopment: false })
process.exit(await run(findNode(), ['src/main.ts'], process.argv.slice(2), { byChannel: true }))
