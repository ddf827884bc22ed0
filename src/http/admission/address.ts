import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The client's IP address in one spelling, regardless of the socket's family and of how a proxy writes it. */
export function addressOf(request: FastifyRequest): string {
  const reported = normalize(request.ip)
  return isIP(reported) ? reported : normalize(request.socket.remoteAddress ?? '')
}

function normalize(text: string): string {
  const withoutPort = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return /^::ffff:([\d.]+)$/i.exec(withoutPort)?.[1] ?? withoutPort
}
