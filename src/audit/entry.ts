/** An act in the audit log, as an organization reads it. */
export type Entry = {
  organizationId: string
  auditId: string
  /** The time with its microseconds, by which entries are ordered. */
  at: string
  actor: string
  action: string
  subjectId: string
  sourceAddress: string | null
  details: Readonly<Record<string, unknown>>
}

/** The entries of one actor, of one act, without some acts, or of a period: from a moment on, until before another. */
export type EntryFilter = { actor?: string; action?: string; without?: readonly string[]; from?: Date; to?: Date }
