import type { settingsOf } from '../settings.ts'

export type QuotaSettings = {
  /** How many automation rules an organization can have. */
  mostRules: number
  /** How many bytes of files an organization can have. */
  mostFileBytes: number
  /** How many sandbox inboxes an organization can have. */
  mostInboxes: number
}

/** Reads how much of something an organization can have. Production has no inboxes, and does not know their setting. */
export function readQuotas(
  environment: 'sandbox' | 'production',
  { integer }: Pick<ReturnType<typeof settingsOf>, 'integer'>,
): QuotaSettings {
  const isSandbox = environment === 'sandbox'
  return {
    mostRules: integer('SVC_RULES_PER_ORGANIZATION', 1_000, 1, 1_000_000),
    mostFileBytes: integer('SVC_FILE_BYTES_PER_ORGANIZATION', 100_000_000_000, 1, 1_000_000_000_000_000),
    mostInboxes: isSandbox ? integer('SVC_SANDBOX_INBOXES_PER_ORGANIZATION', 10, 1, 1_000) : 0,
  }
}
