import type { Outbound } from '../webhooks/ports.ts'
import { checkUrl, type EgressPolicy } from './egress-guard.ts'
import type { OutboundHttp } from './outbound-http.ts'

/** Covers the time from the call to the last byte of the answer. */
const timeoutMs = 15_000
const mostAnswerBytes = 65_536

/** Calls webhook addresses that the egress policy allows. */
export function createWebhookOutbound(http: OutboundHttp, policy: EgressPolicy): Outbound {
  return {
    whyNot: (url) => {
      const checked = checkUrl(url, policy)
      return checked.ok ? undefined : checked.reason
    },
    post: (request) => http.send({ ...request, method: 'POST', policy, timeoutMs, maxAnswerBytes: mostAnswerBytes }),
  }
}
