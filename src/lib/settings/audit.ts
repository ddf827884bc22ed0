import path from 'node:path'
import type { settingsOf } from '../settings.ts'

/** The place outside the database where heads of audit chains are kept. */
export type AuditAnchor = { file: string } | { url: string }

/** Reads where heads of audit chains are anchored: in a file, at an address, or nowhere. */
export function readAuditAnchor(
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
