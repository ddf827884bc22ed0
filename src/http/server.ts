import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { answerError } from './answer-errors.ts'
import { makeHandler } from './handle.ts'
import type { Logger } from './log.ts'
import type { HttpMetrics } from './metrics.ts'
import { BodyBudget, readBody } from './read-body.ts'
import type { Access, Route } from './route.ts'
import { apiVersions, newestApiVersion } from './versions.ts'

export type ServerOptions = {
  environment: 'sandbox' | 'production'
  tls: { certificateFile: string; keyFile: string } | undefined
  trustedProxies: readonly string[]
  metricsAllowedAddresses: readonly string[]
  bodyBytesInFlight: number
  /** Refuses answers that their own schema does not allow; on in tests. */
  checkAnswers?: boolean
  log: Logger
  metrics: HttpMetrics
  /** Whether this process is stopping: then each connection ends with the answer it is waiting for. */
  isDraining(): boolean
  /** Who a bearer credential belongs to, or undefined. */
  authenticate(credential: string): Promise<Caller | undefined>
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    giveBodyBack: (() => void) | undefined
  }
  interface FastifyContextConfig {
    access?: Access
    sandboxOnly?: boolean
    probe?: Route['probe']
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
  app.decorateRequest('giveBodyBack', undefined)
  readBodiesOurselves(app, new BodyBudget(options.bodyBytesInFlight), options.metrics)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...safetyHeaders, 'x-request-id': request.id, 'x-api-version': newestApiVersion })
    if (options.environment === 'production') reply.header('strict-transport-security', 'max-age=31536000')
    await admit(request, reply, options, routes)
  })
  app.addHook('onSend', async (_request, reply) => {
    if (options.isDraining()) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => {
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
    logController: new LogController({ disableRequestLogging: true }),
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
    frameworkErrors: (error, request, reply) => sendError(error, request as FastifyRequest, reply as FastifyReply),
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
    config: { access: route.access, sandboxOnly: route.sandboxOnly, ...(route.probe ? { probe: route.probe } : {}) },
    handler: makeHandler(route, { checkAnswers: options.checkAnswers ?? false }),
  })
}

/** The order of refusals before anything of a body is read: transport, credential, path, scope, environment, version. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServerOptions,
  routes: readonly Route[],
): Promise<void> {
  const { access, sandboxOnly, probe } = request.routeOptions.config
  if (options.environment === 'production' && request.protocol !== 'https' && !probe) {
    throw new Refusal('FORBIDDEN', 'Only HTTPS is answered here')
  }
  const isOpen = access === 'public' && (probe !== 'metrics' || mayReadMetrics(request, options))
  if (request.is404 || !isOpen) {
    request.caller = await options.authenticate(bearerOf(request)).then((caller) => caller ?? refuseCredential())
  }
  if (request.is404) throw wrongPath(request, routes)
  if (access && access !== 'public' && !request.caller?.scopes.has(access)) {
    throw new Refusal('FORBIDDEN', `This credential lacks the scope ${access}`)
  }
  if (sandboxOnly && options.environment !== 'sandbox') {
    throw new Refusal('SANDBOX_ONLY', 'This operation exists in the sandbox only')
  }
  const version = request.headers['x-api-version']
  if (version !== undefined) {
    if (!apiVersions.includes(version as (typeof apiVersions)[number])) {
      throw badField('x-api-version', `must be one of ${apiVersions.join(', ')}`)
    }
    reply.header('x-api-version', version)
  }
}

function mayReadMetrics(request: FastifyRequest, options: ServerOptions): boolean {
  return options.environment === 'sandbox' || options.metricsAllowedAddresses.includes(request.ip)
}

function bearerOf(request: FastifyRequest): string {
  const match = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? ''
}

/** One answer for every bad credential, so that it tells nothing about which part was wrong. */
function refuseCredential(): never {
  throw new Refusal('UNAUTHORIZED', 'A valid credential is needed: Authorization: Bearer <key or token>', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function wrongPath(request: FastifyRequest, routes: readonly Route[]): Refusal {
  const path = request.url.split('?', 1)[0] ?? ''
  const here = routes.filter((each) => new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
  if (here.length === 0) return notFound()
  const allowed = [...new Set(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
  return new Refusal('METHOD_NOT_ALLOWED', `${request.method} is not possible here`, {
    headers: { allow: allowed.join(', ') },
  })
}

function readBodiesOurselves(app: FastifyInstance, budget: BodyBudget, metrics: HttpMetrics): void {
  metrics.watchBodies(() => budget.used)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { value, giveBack } = await readBody(request.raw, budget)
    // A caller who hangs up never reaches onResponse, so the socket's own end counts.
    request.raw.socket.once('close', giveBack)
    request.giveBodyBack = () => {
      request.raw.socket.off('close', giveBack)
      giveBack()
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

/** Bytes that are not HTTP never reach a route; they still get the common error body. */
function refuseGarbage(_error: Error, socket: Socket): void {
  if (!socket.writable || socket.destroyed) return
  const requestId = newId()
  const body = JSON.stringify({
    error: 'BAD_REQUEST',
    message: 'The request is not valid HTTP',
    statusCode: 400,
    requestId,
  })
  const head = `content-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\nconnection: close`
  socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
