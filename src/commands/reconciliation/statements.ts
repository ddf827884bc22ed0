import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { Refusal } from '../../lib/refusal.ts'
import { UsageError } from '../../lib/settings.ts'
import { withApp } from '../tools.ts'

const options = { date: { type: 'string' }, format: { type: 'string' }, output: { type: 'string' } } as const
const formats = new Map([
  ['csv', 'CSV'],
  ['camt053', 'CAMT053'],
] as const)

/** Finds the command that exports a statement of the ledger; undefined when the arguments make no command. */
export function findStatementCommand(
  args: string[],
): ((config: Config, log: Logger, out: Writable) => Promise<number>) | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const [verb, account, ...rest] = positionals
  const { date, output } = values
  if (verb !== 'export' || account === undefined || rest.length > 0) return undefined
  if (date === undefined) throw new UsageError('--date is missing.')
  const format = formats.get(values.format as 'csv')
  if (!format) throw new UsageError('--format must be csv or camt053.')
  return (config, log, out) =>
    withApp(config, log, async ({ statementExports }) => {
      const statement = await statementExports.exportByCommand(account, date, format).catch(explain(account))
      if (output === undefined) await pipeline(statement, out, { end: false })
      else await writeFile(statement, output).catch(explainFile)
      return 0
    })
}

function explain(account: string) {
  return (error: unknown): never => {
    if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error
    throw new Error(`There is no bank account "${account}" to export. "svc treasury accounts" lists ours.`)
  }
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EEXIST: 'a file with this name exists already',
  EACCES: 'Svc may not write there',
  EPERM: 'Svc may not write there',
  EROFS: 'Svc may not write there',
  ENOSPC: 'no space is left there',
}

function explainFile(error: unknown): never {
  const problem = fileProblems[(error as { code?: string }).code ?? '']
  throw problem === undefined ? error : new Error(`--output: ${problem}.`)
}

/** Writes a file under its name when it is whole: a statement that breaks off leaves none. It replaces no other file. */
async function writeFile(
  statement: Awaited<ReturnType<App['statementExports']['exportByCommand']>>,
  path: string,
): Promise<void> {
  const part = `${path}.${process.pid}.part`
  const file = createWriteStream(part, { flags: 'wx', mode: 0o600 })
  await once(file, 'open')
  try {
    await pipeline(statement, file)
    await link(part, path)
  } finally {
    await rm(part)
  }
}
