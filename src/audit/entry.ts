import type { AuditRow } from '../db/audit/mac.ts'

/** An act in the audit log, as an organization reads it. */
export type Entry = Omit<AuditRow, 'details'> & { details: Readonly<Record<string, unknown>> }

/** The entries of one actor, of one act, without one act, or of a period: from a moment on, until before another. */
export type EntryFilter = { actor?: string; action?: string; without?: string; from?: Date; to?: Date }
