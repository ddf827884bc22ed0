import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { newId } from '../lib/ids.ts'
import { notFound } from '../lib/refusal.ts'
import { type AdmitOptions, admit, admitStranger } from './admission/admit.ts'
import { answerError } from './answer-errors.ts'
import { BodyBudget, readBodyOrWhyNot } from './bodies/read-body.ts'
import { readSignedBody } from './bodies/signed-body.ts'
import { createHandler, type HandlerOptions } from './handle.ts'
import type { Logger } from './log.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Route } from './route.ts'
import { newestApiVersion } from './versions.ts'

export type ServerOptions = AdmitOptions &
  HandlerOptions & {
    tls: { certificateFile: string; keyFile: string } | undefined
    trustedProxies: readonly string[]
    bodyBytesInFlight: number
    log: Logger
    metrics: HttpMetrics
    /** Whether this process is stopping: then each connection ends with the answer it is waiting for. */
    isDraining(): boolean
  }

declare module 'fastify' {
  interface FastifyRequest {
    giveBodyBack: (() => void) | undefined
  }
}

/** Answers are for programs: no browser may guess their type, show them in a frame or keep them. */
const safetyHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const saneRequestId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

export async function buildServer(options: ServerOptions, routes: readonly Route[]): Promise<FastifyInstance> {
  const app = createFastify(options)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('findCaller', undefined)
  app.decorateRequest('claimedClientId', undefined)
  app.decorateRequest('giveBodyBack', undefined)
  readBodiesOurselves(app, new BodyBudget(options.bodyBytesInFlight), options.metrics)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...safetyHeaders, 'x-request-id': request.id, 'x-api-version': newestApiVersion })
    if (options.environment === 'production') reply.header('strict-transport-security', 'max-age=31536000')
    answering.add(request.raw.socket)
    await admit(request, reply, options, routes)
  })
  app.addHook('onSend', async (_request, reply) => {
    if (options.isDraining()) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => {
    answering.delete(request.raw.socket)
    const route = request.routeOptions.url ?? 'none'
    options.metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1_000)
    // The route's pattern and never the address itself: addresses can hold tokens and personal data.
    options.log.info({
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      organizationId: request.caller?.organizationId,
    })
  })
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(() => {
    throw notFound() // admit() has answered already; this is for the framework's peace
  })
  for (const each of routes) addRoute(app, each, options)
  return app
}

function createFastify(options: ServerOptions): FastifyInstance {
  const settings: FastifyServerOptions = {
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    genReqId: (message) => {
      const given = message.headers['x-request-id']
      return typeof given === 'string' && saneRequestId.test(given) ? given : newId()
    },
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: Number.MAX_SAFE_INTEGER, // read-body.ts keeps the limit, for bodies of unknown length too
    requestTimeout: 300_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: (error, request, reply) =>
      refuseAddress(error, request as FastifyRequest, reply as FastifyReply, options),
    clientErrorHandler: refuseGarbage,
  }
  if (!options.tls) return fastify(settings)
  const { certificateFile, keyFile } = options.tls
  const https = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) }
  return fastify({ ...settings, https } as FastifyServerOptions)
}

function addRoute(app: FastifyInstance, route: Route, options: ServerOptions): void {
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    config: {
      ...{ access: route.access, sandboxOnly: route.sandboxOnly },
      ...(route.probe ? { probe: route.probe } : {}),
      ...(route.isKnown ? { isKnown: route.isKnown } : {}),
    },
    handler: createHandler(route, options),
  })
}

function readBodiesOurselves(app: FastifyInstance, budget: BodyBudget, metrics: HttpMetrics): void {
  metrics.watchBodies(() => budget.used)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { access } = request.routeOptions.config
    if (access === 'signature') return readSignedBody(request.raw)
    const { value, release } = await readBodyOrWhyNot(request.raw, budget, {
      takesForm: access === 'client credentials',
      takesAnything: access === 'secret address',
      isKnown: request.caller !== undefined,
    })
    // A caller who hangs up never reaches onResponse, so the socket's own end counts.
    request.raw.socket.once('close', release)
    request.giveBodyBack = () => {
      request.raw.socket.off('close', release)
      release()
    }
    return value
  })
  app.addHook('onResponse', async (request) => request.giveBodyBack?.())
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = answerError(error, request.id, request.log)
  // The framework would hang up on a caller who is still sending, who would then never read the answer.
  reply.removeHeader('connection')
  reply
    .code(answer.statusCode)
    .headers({ 'x-request-id': request.id, ...answer.headers })
    .send(answer.body)
}

/** An address that cannot even be decoded belongs to no route; a stranger is told nothing about it all the same. */
function refuseAddress(error: unknown, request: FastifyRequest, reply: FastifyReply, options: ServerOptions): void {
  reply.headers({ ...safetyHeaders, 'x-api-version': newestApiVersion })
  admitStranger(request, options).then(
    (headers) => sendError(error, request, reply.headers(headers)),
    (refusal: unknown) => sendError(refusal, request, reply),
  )
}

/** Bytes that are not HTTP never reach a route; they still get the common error body. */
function refuseGarbage(error: Error & { code?: string }, socket: Socket): void {
  // Behind a request that is being answered, a 400 would be taken for that answer.
  if (answering.has(socket)) return void socket.destroy()
  if (!socket.writable || socket.destroyed) return
  const requestId = newId()
  const message = garbageMessages[error.code ?? ''] ?? 'The request is not valid HTTP'
  const body = JSON.stringify({ error: 'BAD_REQUEST', message, statusCode: 400, requestId })
  const head = `content-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\nconnection: close`
  socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

const answering = new WeakSet<Socket>()

const garbageMessages: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive',
  HPE_HEADER_OVERFLOW: 'The headers are too large',
}
