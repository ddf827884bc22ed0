import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from '../admission/address.ts'
import { UnreadableBody } from '../bodies/read-body.ts'
import type { Page, PageAnswer, PageRequest, Respond } from './page.ts'

declare module 'fastify' {
  interface FastifyRequest {
    respond: Respond | undefined
  }
}

const defaultBytes = 64 * 1024

/** Adds the pages that the service serves to browsers. */
export function addPages(server: FastifyInstance, pages: readonly Page[]): void {
  server.decorateRequest('respond', undefined)
  for (const page of pages) {
    server.route({
      method: page.method,
      url: page.path,
      config: { access: 'public', pageBytes: page.maxBytes ?? defaultBytes },
      // The server's own hook has checked the transport by now. The body is read afterwards.
      onRequest: async (request) => {
        const admitted = await page.admit(readRequest(request))
        const isFor = typeof admitted !== 'function'
        request.respond = isFor ? admitted.respond : admitted
        request.organizationOfPage = isFor ? admitted.organizationId : undefined
      },
      handler: async (request, reply) => send(reply, await request.respond!(bodyOf(request))),
    })
  }
}

function readRequest(request: FastifyRequest): PageRequest {
  const host = request.headers.host ?? ''
  return {
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string>,
    headers: request.headers,
    cookies: readCookies(request.headers.cookie ?? ''),
    address: addressOf(request),
    isSecure: request.protocol === 'https',
    origin: `${request.protocol}://${host}`,
  }
}

/** Reads a cookie header (RFC 6265, section 4.2). Of cookies with one name, the first counts. */
function readCookies(header: string): Map<string, string> {
  const pairs = header.split(';').map((pair) => pair.trim().split('=', 2) as [string, string?])
  return new Map(pairs.reverse().flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}

function bodyOf({ body }: FastifyRequest): Buffer {
  if (body instanceof UnreadableBody) throw body.refusal
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

function send(reply: FastifyReply, { status, headers = {}, body = '' }: PageAnswer): FastifyReply {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value)
  reply.code(status)
  if (!(body instanceof Readable) || reply.request.method !== 'HEAD') return reply.send(body)
  body.destroy() // a HEAD request gets no body, and the stream would never end
  return reply.send('')
}
