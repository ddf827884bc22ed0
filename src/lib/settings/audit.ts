import path from 'node:path'
import type { settingsOf } from '../settings.ts'

/** The place outside the database where heads of audit chains are kept. */
export type AuditAnchor = { file: string } | { url: string }

export type AuditSettings = {
  /** The name of the person who runs a command. */
  operator: string | undefined
  /** The place where heads of audit chains are kept outside the database. */
  auditAnchor: AuditAnchor | undefined
}

/** Reads how the audit log names the person who runs a command, and where the heads of its chains are kept. */
export function readAudit(
  environment: 'sandbox' | 'production',
  settings: ReturnType<typeof settingsOf>,
  cwd: string,
): AuditSettings {
  return { operator: readOperator(settings), auditAnchor: readAuditAnchor(environment, settings, cwd) }
}

/** Reads a short name in one spelling, so that two names are two persons. */
function readOperator({ text, complain }: ReturnType<typeof settingsOf>): string | undefined {
  const name = text('SVC_OPERATOR')
  if (name === undefined || /^[a-z0-9][a-z0-9._-]{0,39}$/.test(name)) return name
  complain('SVC_OPERATOR', 'must be 1 to 40 lower-case letters, digits, dots, hyphens and underscores', 'ada')
  return undefined
}

/** Reads where heads of audit chains are anchored: in a file, at an address, or nowhere. */
function readAuditAnchor(
  environment: 'sandbox' | 'production',
  { text, url, complain }: Pick<ReturnType<typeof settingsOf>, 'text' | 'url' | 'complain'>,
  cwd: string,
): AuditAnchor | undefined {
  const [fileName, urlName] = ['SVC_AUDIT_ANCHOR_FILE', 'SVC_AUDIT_ANCHOR_URL']
  const example = 'https://anchors.example.com/svc'
  const file = text(fileName)
  const address = url(urlName, ['https:', 'http:'], example)
  if (address?.startsWith('http:') && environment === 'production')
    complain(urlName, 'must start with https:// in production', example)
  if (file !== undefined && address !== undefined)
    complain(fileName, `must not be set together with ${urlName}`, '/var/lib/svc-anchors/heads.jsonl')
  if (file !== undefined) return { file: path.resolve(cwd, file) }
  return address === undefined ? undefined : { url: address }
}
