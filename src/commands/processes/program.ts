import path from 'node:path'

/** Names the file that child processes run. scripts/build-program.mjs puts the joined program in its place. */
export const program = path.join(import.meta.dirname, '..', '..', 'main.ts')
