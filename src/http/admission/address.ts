import { isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The client's IP address in one spelling, regardless of the socket's family and of how a proxy writes it. */
export function addressOf(request: FastifyRequest): string {
  const { ip } = request
  const known = spellings.get(ip)
  if (known !== undefined) return known
  const reported = normalize(ip)
  if (!isIP(reported)) return normalize(request.socket.remoteAddress ?? '')
  if (spellings.size >= mostSpellings) spellings.clear()
  spellings.set(ip, reported)
  return reported
}

/** The spellings of addresses that came last: each request asks for its own several times. */
const spellings = new Map<string, string>()
const mostSpellings = 10_000

function normalize(text: string): string {
  const withoutPort = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return /^::ffff:([\d.]+)$/i.exec(withoutPort)?.[1] ?? withoutPort
}

/** Groups IPv6 addresses by /64: the holder of one address usually controls the whole network. */
export function sourceOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
