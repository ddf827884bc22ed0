import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findProgram } from '../scripts/program.mjs'

const [program, again] = await Promise.all([findProgram({ mayBuild: true }), findProgram({ mayBuild: true })])
const folder = path.dirname(program)

test('two processes that join the modules at once end with the same program', async () => {
  expect(path.basename(program)).toBe('main.mjs')
  expect(again).toBe(program)
  expect(await findProgram({ mayBuild: false })).toBe(program)
  expect((await readdir(path.dirname(folder))).filter((name) => name.startsWith('building-'))).toEqual([])
})

test('a process that answers requests loads no code of the signer', async () => {
  const text = await readFile(path.join(folder, 'modules.json'), 'utf8')
  const files = JSON.parse(text) as Record<string, { imports: string[]; modules: string[] }>
  const loaded = new Set([Object.keys(files).find((name) => name.startsWith('serve-')) ?? ''])
  for (const name of loaded) for (const next of files[name]?.imports ?? []) loaded.add(next)
  const modules = [...loaded].flatMap((name) => files[name]?.modules ?? [])
  expect(modules).toContain('src/app.ts')
  expect(modules.filter((name) => name.startsWith('src/signer/'))).toEqual([])
})
