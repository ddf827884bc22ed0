import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EEXIST: 'a file with this name exists already',
  EACCES: 'Svc may not write there',
  EPERM: 'Svc may not write there',
  EROFS: 'Svc may not write there',
  ENOSPC: 'no space is left there',
}

/** Writes an export to the file of --output, or else to the standard output. */
export async function writeExport(content: Readable, file: string | undefined, out: Writable): Promise<void> {
  if (file === undefined) await pipeline(content, out, { end: false })
  else await writeFile(content, file).catch(explain)
}

function explain(error: unknown): never {
  const problem = fileProblems[(error as { code?: string }).code ?? '']
  throw problem === undefined ? error : new Error(`--output: ${problem}.`)
}

/** Writes a file under its name when it is whole: an export that breaks off leaves none. It replaces no other file. */
async function writeFile(content: Readable, path: string): Promise<void> {
  const part = `${path}.${process.pid}.part`
  const file = createWriteStream(part, { flags: 'wx', mode: 0o600 })
  await once(file, 'open')
  try {
    await pipeline(content, file)
    await link(part, path)
  } finally {
    await rm(part)
  }
}
