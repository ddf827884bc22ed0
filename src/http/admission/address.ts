import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Where a request comes from: one spelling for each address, whatever listens and whatever a proxy writes. */
export function addressOf(request: FastifyRequest): string {
  const told = plain(request.ip)
  return isIP(told) ? told : plain(request.socket.remoteAddress ?? '')
}

function plain(text: string): string {
  const withoutPort = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return /^::ffff:([\d.]+)$/i.exec(withoutPort)?.[1] ?? withoutPort
}
