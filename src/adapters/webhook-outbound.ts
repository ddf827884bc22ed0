import type { Outbound } from '../webhooks/ports.ts'
import { checkUrl, type EgressPolicy } from './egress-guard.ts'
import type { OutboundHttp } from './outbound-http.ts'

/** From the first byte to the last of the answer. */
const timeoutMs = 15_000
const mostAnswerBytes = 65_536

/** Calls the addresses of webhooks, as far as the policy lets a tenant reach. */
export function createWebhookOutbound(http: OutboundHttp, policy: EgressPolicy): Outbound {
  return {
    whyNot: (url) => {
      const checked = checkUrl(url, policy)
      return checked.ok ? undefined : checked.reason
    },
    post: (request) => http.send({ ...request, method: 'POST', policy, timeoutMs, maxAnswerBytes: mostAnswerBytes }),
  }
}
