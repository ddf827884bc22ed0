import type { Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { notFound } from '../lib/refusal.ts'
import { findWebhook } from './store.ts'
import type { Webhook } from './webhook.ts'

/** Finds a webhook of the caller that is not deleted; 404 without one. */
export async function findOwn(database: Queryable, caller: Caller, webhookId: string): Promise<Webhook> {
  return (await findWebhook(database, caller.organizationIds, webhookId)) ?? refuse()
}

export function refuse(): never {
  throw notFound()
}
