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
import { addressOf, sourceOf } from './admission/address.ts'
import { type AdmitOptions, admit, admitBody, admitWithoutRoute, isSlowBody } from './admission/admit.ts'
import { answerError } from './answer-errors.ts'
import type { Pace } from './bodies/arrival.ts'
import { BodyBudget } from './bodies/body-budget.ts'
import { readBodyOrRefusal } from './bodies/read-body.ts'
import { readSignedBody } from './bodies/signed-body.ts'
import { createHandler, type HandlerOptions } from './handle.ts'
import { createRequestLog, type Logger } from './log.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Route } from './route.ts'
import { newestApiVersion } from './versions.ts'

export type ServerOptions = AdmitOptions &
  HandlerOptions & {
    tls: { certificateFile: string; keyFile: string } | undefined
    trustedProxies: readonly string[]
    bodyBytesInFlight: number
    leastUploadBytesPerSecond: number
    log: Logger
    metrics: HttpMetrics
    /** True while this process stops: each connection then closes after its current answer. */
    isDraining(): boolean
  }

declare module 'fastify' {
  interface FastifyRequest {
    releaseBody: (() => void) | undefined
    /** The organization of a page's visitor, for whom the body counts. */
    organizationOfPage: string | undefined
  }
}

/** Answers are for programs: browsers must not guess their type, frame them or cache them. */
const safetyHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const acceptedRequestId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

export async function buildServer(options: ServerOptions, routes: readonly Route[]): Promise<FastifyInstance> {
  const app = createFastify(options)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('authenticateAgain', undefined)
  app.decorateRequest('findCaller', undefined)
  app.decorateRequest('claimedClientId', undefined)
  app.decorateRequest('releaseBody', undefined)
  app.decorateRequest('unannouncedBytes', 0)
  app.decorateRequest('organizationOfPage', undefined)
  replaceBodyParsers(app, options)
  const commonHeaders = {
    ...safetyHeaders,
    'x-api-version': newestApiVersion,
    ...(options.environment === 'production' ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header('x-request-id', request.id)
    countAnswers(request.raw.socket, 1)
    let admitted: ReturnType<typeof admit>
    try {
      admitted = admit(request, reply, options, routes)
    } catch (refusal) {
      return done(refusal as Error)
    }
    if (admitted) admitted.then(() => done(), done)
    else done()
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (!isSlowBody(request, reply) && !request.unannouncedBytes) return done()
    admitBody(request, reply, options).then(() => done(), done)
  })
  // Without a promise: the floor of every request.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (options.isDraining()) reply.header('connection', 'close')
    done()
  })
  const requestLog = createRequestLog(options.log)
  app.addHook('onResponse', (request, reply, done) => {
    countAnswers(request.raw.socket, -1)
    request.releaseBody?.()
    // The headers of a stream or a slow answer were sent before the stop, without a word about the connection. Ends it
    // after what is still on its way.
    if (options.isDraining()) request.raw.socket.end()
    const route = request.routeOptions.url ?? 'none'
    options.metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1_000)
    // Logs the pattern of the route, never the address: addresses can hold tokens and personal data.
    requestLog({
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      organizationId: request.caller?.organizationId,
      apiKeyId: request.caller?.apiKeyId,
      // Without a key the address may be a customer's, who opened a form in a browser: that is personal data.
      sourceAddress: request.caller && addressOf(request),
    })
    done()
  })
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(() => {
    throw notFound() // not reached, because admit() refuses first; the framework requires a handler
  })
  for (const each of routes) addRoute(app, each, options)
  return app
}

function createFastify(options: ServerOptions): FastifyInstance {
  const settings: FastifyServerOptions = {
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    // A logger of its own for each request would cost as much as a log line; faults name their request themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: (message) => {
      const given = message.headers['x-request-id']
      return typeof given === 'string' && acceptedRequestId.test(given) ? given : newId()
    },
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: Number.MAX_SAFE_INTEGER, // read-body.ts enforces the limit, also for bodies of unknown length
    requestTimeout: 300_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: (error, request, reply) =>
      refuseAddress(error, request as FastifyRequest, reply as FastifyReply, options),
    clientErrorHandler: refuseInvalidHttp,
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
      access: route.access,
      sandboxOnly: route.sandboxOnly,
      ...(route.reviewerAccess ? { reviewerAccess: route.reviewerAccess } : {}),
      ...(route.probe ? { probe: route.probe } : {}),
      ...(route.work ? { work: route.work } : {}),
      ...(route.isKnown ? { isKnown: route.isKnown } : {}),
    },
    handler: createHandler(route, options),
  })
}

/** Long enough that a weak mobile network, which pauses for seconds, is not taken for a stalled upload. */
const paceWindowMs = 10_000

function replaceBodyParsers(app: FastifyInstance, options: ServerOptions): void {
  const budget = new BodyBudget(options.bodyBytesInFlight)
  const pace: Pace = { bytesPerSecond: options.leastUploadBytesPerSecond, windowMs: paceWindowMs }
  options.metrics.addProcessGauge(
    'svc_http_body_bytes_in_flight',
    'Bytes of large request bodies currently in memory',
    () => budget.used,
  )
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { access, pageBytes } = request.routeOptions.config
    if (access === 'signature') return readSignedBody(request.raw, pace)
    const { value, bytes, release } = await readBodyOrRefusal(request.raw, budget, {
      owner: request.caller?.organizationId ?? request.organizationOfPage ?? sourceOf(addressOf(request)),
      pace,
      acceptsForm: access === 'client credentials',
      acceptsAnyBytes: access === 'secret address' || pageBytes !== undefined,
      isAuthenticated: request.caller !== undefined,
      ...(pageBytes === undefined ? {} : { maxBytes: pageBytes }),
    })
    // onResponse does not run when the caller disconnects, so the end of the socket releases the body too.
    request.raw.socket.once('close', release)
    request.releaseBody = () => {
      request.raw.socket.off('close', release)
      release()
    }
    if (request.headers['content-length'] === undefined) request.unannouncedBytes = bytes
    return value
  })
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = answerError(error, request.id, request.log)
  // The framework would close the connection while the caller still sends, and the caller would not read the answer.
  reply.removeHeader('connection')
  reply
    .code(answer.statusCode)
    .headers({ 'x-request-id': request.id, ...answer.headers })
    .send(answer.body)
}

/**
 * Refuses an address that cannot be decoded. A caller without a valid credential gets 401, as for every unknown path.
 */
function refuseAddress(error: unknown, request: FastifyRequest, reply: FastifyReply, options: ServerOptions): void {
  reply.headers({ ...safetyHeaders, 'x-api-version': newestApiVersion })
  admitWithoutRoute(request, options).then(
    (headers) => sendError(error, request, reply.headers(headers)),
    (refusal: unknown) => sendError(refusal, request, reply),
  )
}

/** Answers bytes that are not HTTP, which reach no route, with the common error body. */
function refuseInvalidHttp(error: Error & { code?: string }, socket: Socket): void {
  // While a request on this socket is being answered, the client would take a 400 for its answer.
  if (countAnswers(socket, 0) > 0) return void socket.destroy()
  if (!socket.writable || socket.destroyed) return
  const requestId = newId()
  const message = invalidHttpMessages[error.code ?? ''] ?? 'The request is not valid HTTP'
  const body = JSON.stringify({ error: 'BAD_REQUEST', message, statusCode: 400, requestId })
  const head = `content-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\nconnection: close`
  socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

const answers = Symbol('answers')
type CountedSocket = Socket & { [answers]?: number }

/** Counts the requests on a socket that are being answered: a client may send the next before the answer to the first. */
function countAnswers(socket: CountedSocket, change: number): number {
  const count = (socket[answers] ?? 0) + change
  socket[answers] = count
  return count
}

const invalidHttpMessages: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive; send it faster',
  HPE_HEADER_OVERFLOW: 'The headers are too large; send fewer or shorter ones',
}
