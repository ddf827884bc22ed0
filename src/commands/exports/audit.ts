import { open } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { ExportRange } from '../../db/audit/export.ts'
import type { Logger } from '../../http/log.ts'
import { isUuid } from '../../lib/ids.ts'
import { UsageError } from '../../lib/settings.ts'
import { withApp } from '../tools.ts'
import { writeExport } from './output-file.ts'

const text = { type: 'string' } as const
const options = { organization: text, from: text, to: text, output: text, anchors: text, export: text }

type Command = (config: Config, log: Logger, out: Writable) => Promise<number>

/** Finds the command that exports or checks the audit log; undefined when the arguments make no command. */
export function findAuditCommand(args: string[]): Command | undefined {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const { anchors, export: exported, output, ...range } = values
  if (positionals.length !== 1) return undefined
  if (positionals[0] === 'export' && (anchors ?? exported) === undefined) {
    const wanted = readRange(range)
    return (config, log, out) => withApp(config, log, (app) => exportLog(app, wanted, output, out))
  }
  if (positionals[0] !== 'check' || output !== undefined || Object.keys(range).length > 0) return undefined
  if (anchors !== undefined && exported !== undefined) return undefined
  const proof: Proof | undefined =
    anchors !== undefined
      ? { option: '--anchors', file: anchors }
      : exported === undefined
        ? undefined
        : { option: '--export', file: exported }
  return (config, log, out) => withApp(config, log, (app) => checkLog(app, proof, out))
}

function readRange({ organization, from, to }: { organization?: string; from?: string; to?: string }): ExportRange {
  if (organization !== undefined && !isUuid(organization)) throw new UsageError('--organization must be an id.')
  return {
    ...(organization === undefined ? {} : { organizationId: organization.toLowerCase() }),
    ...(from === undefined ? {} : { from: readMoment('--from', from) }),
    ...(to === undefined ? {} : { to: readMoment('--to', to) }),
  }
}

function readMoment(option: string, given: string): Date {
  const moment = new Date(given)
  // A day alone begins at midnight UTC; a time without a zone would be that of this machine.
  const hasZone = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(given)
  if (!hasZone || Number.isNaN(moment.getTime()))
    throw new UsageError(`${option} must be a day such as 2026-11-01, or a moment such as 2026-11-01T10:00:00Z.`)
  return moment
}

async function exportLog({ audit, database }: App, range: ExportRange, output: string | undefined, out: Writable) {
  await writeExport(Readable.from(audit.exportLines(database, range)), output, out)
  return 0
}

/** A file of anchored heads, or of an export: that one ends where it was made, so later seals are no sign of a loss. */
type Proof = { option: '--anchors' | '--export'; file: string }

/** Checks the log against itself and, where they are given, against heads that were kept elsewhere. */
async function checkLog({ audit, database }: App, proof: Proof | undefined, out: Writable): Promise<number> {
  const print = (line: string) => void out.write(`${line}\n`)
  const violations = await audit.findViolations(database)
  for (const violation of violations) print(violation)
  if (violations.length === 0) print('The audit log is complete and unaltered.')
  if (proof === undefined) return violations.length > 0 ? 1 : 0
  const file = await open(proof.file).catch(() => {
    throw new Error(`${proof.option}: the file ${proof.file} cannot be read.`)
  })
  const { compared, differences, unproven } = await audit.compareAnchors(database, file.readLines())
  for (const difference of differences) print(difference)
  print(`${compared} anchored heads compared, ${differences.length} differences.`)
  for (const { organizationId, anchored, sealed, isOld } of unproven)
    print(
      `organization ${organizationId}: anchored up to seal ${anchored}, and sealed up to ${sealed}${isOld ? ', more than five minutes ago' : ''}`,
    )
  const isUnproven = unproven.some(({ isOld }) => (isOld && proof.option === '--anchors') || compared === 0)
  if (isUnproven) print('Some chains are not anchored any more: the anchors do not prove their newest seals.')
  return violations.length + differences.length > 0 || isUnproven ? 1 : 0
}
