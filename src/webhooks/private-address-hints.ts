import type { Webhook } from './webhook.ts'

export type HintedWebhook = Pick<Webhook, 'organizationId' | 'webhookId' | 'url'>
type Hint = { organizationId: string; webhookId: string; host: string }

const hourMs = 3_600_000
/** Bounds the log and the memory: a tenant chooses the names, and what they resolve to. */
const mostAnHour = 100

/**
 * Hints to the operator that the name of a receiver resolves to a private or reserved address: a mistake in a name
 * server, or a tenant who looks for services inside the network. One hint a webhook and hour, and 100 an hour in all.
 * Names the host alone: with many receivers the path is the secret.
 */
export function createPrivateAddressHints(nowMs: () => number, write: (hint: Hint) => void) {
  const hinted = new Set<string>()
  let endsAtMs = Number.NEGATIVE_INFINITY
  return ({ organizationId, webhookId, url }: HintedWebhook): void => {
    if (nowMs() >= endsAtMs) {
      hinted.clear()
      endsAtMs = nowMs() + hourMs
    }
    if (hinted.has(webhookId) || hinted.size >= mostAnHour) return
    hinted.add(webhookId)
    write({ organizationId, webhookId, host: new URL(url).host })
  }
}
