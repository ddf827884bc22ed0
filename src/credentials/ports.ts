import type { Tx } from '../db/database.ts'

/** The automation rules that keys answer for. Called in the database transaction that changes a key. */
export type RulesOfKeys = {
  pauseRulesOf(tx: Tx, organizationId: string, apiKeyIds: readonly string[], actor: string): Promise<void>
  followSuccessor(
    tx: Tx,
    from: { organizationId: string; apiKeyId: string },
    to: { apiKeyId: string; expiresAt: Date | null },
  ): Promise<void>
}

/** The webhooks that keys answer for. Called in the database transaction that changes a key. */
export type WebhooksOfKeys = {
  endWebhooksOf(tx: Tx, organizationId: string, apiKeyIds: readonly string[], actor: string): Promise<void>
  followSuccessor(
    tx: Tx,
    from: { organizationId: string; apiKeyId: string },
    to: { apiKeyId: string; expiresAt: Date | null },
  ): Promise<void>
}
