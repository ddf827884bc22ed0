import { createHmac } from 'node:crypto'
import { badField } from '../../lib/refusal.ts'
import type { WebhookDeps } from '../deps.ts'
import type { Webhook } from '../webhook.ts'

/** Refuses an address that Svc can never call. */
export function requireAddress({ outbound }: Pick<WebhookDeps, 'outbound'>, url: string): void {
  const reason = outbound.whyNot(url)
  if (reason !== undefined) throw badField('url', reason)
}

type AddressKey = Pick<WebhookDeps, 'addressKey'>

/**
 * Describes an address in the audit log, which is kept for ever: by its origin, and by a keyed hash that tells one address
 * from another. With many receivers the path or the query is the secret.
 */
export function describeAddress({ addressKey }: AddressKey, url: string): { origin: string; hash: string } {
  const hash = createHmac('sha256', addressKey).update(url).digest('hex').slice(0, 16)
  return { origin: new URL(url).origin, hash }
}

/** Describes where events go and which: the old and the new values. The description may be about a person. */
export function describeChanges(deps: AddressKey, before: Pick<Webhook, 'url' | 'events'>, after: Webhook): object {
  const isSame = JSON.stringify(before.events) === JSON.stringify(after.events)
  return {
    ...(before.url === after.url
      ? {}
      : { url: { from: describeAddress(deps, before.url), to: describeAddress(deps, after.url) } }),
    ...(isSame ? {} : { events: { from: before.events, to: after.events } }),
  }
}
