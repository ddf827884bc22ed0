import type { Rate } from '../../lib/money.ts'
import type { OutboundHttp } from '../outbound-http.ts'

/** Fetches what a source publishes, or throws. */
export type FetchText = () => Promise<string>

const mostBytes = 262_144

/** A text over HTTP from an address that the operator chose. Anything but a whole 200 is a failure. */
export function fetchFrom(http: OutboundHttp, url: string): FetchText {
  return async () => {
    const answer = await http.send({
      ...{ url, method: 'GET', headers: { accept: '*/*', 'user-agent': 'svc' } },
      ...{ policy: { kind: 'operator' }, timeoutMs: 5_000, maxAnswerBytes: mostBytes },
    })
    if (!answer.ok) throw new Error(`no answer: ${answer.kind}`)
    if (answer.status !== 200 || answer.truncated) {
      throw new Error(answer.truncated ? 'the answer is too long' : `the answer is ${answer.status}`)
    }
    return answer.body.toString()
  }
}

export function sum(a: Rate, b: Rate): Rate {
  const scale = Math.max(a.scale, b.scale)
  const units = a.units * 10n ** BigInt(scale - a.scale) + b.units * 10n ** BigInt(scale - b.scale)
  return { units, scale }
}

export function half(rate: Rate): Rate {
  return { units: rate.units * 5n, scale: rate.scale + 1 }
}
