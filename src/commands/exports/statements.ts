import type { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { Refusal } from '../../lib/refusal.ts'
import { UsageError } from '../../lib/settings.ts'
import { withApp } from '../tools.ts'
import { writeExport } from './output-file.ts'

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
      await writeExport(statement, output, out)
      return 0
    })
}

function explain(account: string) {
  return (error: unknown): never => {
    if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error
    throw new Error(`There is no bank account "${account}" to export. "svc treasury accounts" lists ours.`)
  }
}
