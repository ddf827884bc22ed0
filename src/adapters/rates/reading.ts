import { parseRate, type Rate } from '../../lib/money.ts'
import type { OutboundHttp } from '../outbound-http.ts'

/** A document of a source, with its validators (RFC 9110, section 8.8). */
export type Fetched = { text: string; etag?: string; lastModified?: string }

/** Fetches the document of a source, or throws. Returns the known document while the source has no newer one. */
export type FetchText = (known?: Fetched) => Promise<Fetched>

const mostBytes = 262_144

/** Fetches a text from an address of the operator. Fails unless the answer is a whole 200, or 304 to a condition. */
export function fetchFrom(http: OutboundHttp, url: string): FetchText {
  return async (known) => {
    const conditions = {
      ...(known?.etag ? { 'if-none-match': known.etag } : {}),
      ...(known?.lastModified ? { 'if-modified-since': known.lastModified } : {}),
    }
    const answer = await http.send({
      url,
      method: 'GET',
      headers: { accept: '*/*', 'user-agent': 'svc', ...conditions },
      policy: { kind: 'operator' },
      timeoutMs: 5_000,
      maxAnswerBytes: mostBytes,
    })
    if (!answer.ok) throw new Error(`no answer: ${answer.kind}`)
    if (known && answer.status === 304 && Object.keys(conditions).length > 0) return known
    if (answer.status !== 200 || answer.truncated) {
      throw new Error(answer.truncated ? 'the answer is too long' : `the answer is ${answer.status}`)
    }
    const { etag, 'last-modified': lastModified } = answer.headers
    return { text: answer.body.toString(), ...(etag ? { etag } : {}), ...(lastModified ? { lastModified } : {}) }
  }
}

/** Reads a price between a millionth and a million. Any other value is no currency price and could not be a divisor. */
export function readPrice(text: unknown): Rate | undefined {
  const parsed = parseRate(text)
  if (!parsed.ok) return undefined
  const { units, scale } = parsed.rate
  const isPrice = units * million >= 10n ** BigInt(scale) && units <= million * 10n ** BigInt(scale)
  return isPrice ? parsed.rate : undefined
}

const million = 1_000_000n

export function sum(a: Rate, b: Rate): Rate {
  const scale = Math.max(a.scale, b.scale)
  const units = a.units * 10n ** BigInt(scale - a.scale) + b.units * 10n ** BigInt(scale - b.scale)
  return { units, scale }
}

export function half(rate: Rate): Rate {
  return { units: rate.units * 5n, scale: rate.scale + 1 }
}
