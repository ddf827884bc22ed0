import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, isPlatform, type Scope } from '../../lib/caller.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import type { Access, Route } from '../route.ts'
import { apiVersions } from '../versions.ts'
import { addressOf } from './address.ts'
import type { Authenticator } from './authenticate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** Authenticates the request again: its credential may have been revoked meanwhile. */
    authenticateAgain: (() => Promise<Caller>) | undefined
    findCaller: (() => Promise<Caller | undefined>) | undefined
    claimedClientId: string | undefined
  }
  interface FastifyContextConfig {
    access?: Access
    reviewerAccess?: Scope
    isKnown?: Route['isKnown']
    sandboxOnly?: boolean
    probe?: Route['probe']
    /** The longest body of a page for browsers. */
    pageBytes?: number
  }
}

export type AdmitOptions = {
  environment: 'sandbox' | 'production'
  metricsAllowedAddresses: readonly string[]
  authenticate: Authenticator
  /** Returns the rate-limit headers; throws when the limit is reached. */
  limitRate(caller: Caller): Promise<Record<string, string>>
  /** Throws when an address has used up its requests without a credential. */
  limitPublic(address: string): void
}

/**
 * Decides whether a request is admitted, before its body is read. The order of refusals: transport, credential, rate
 * limit, path, scope, environment, version.
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AdmitOptions,
  routes: readonly Route[],
): Promise<void> {
  const { access, reviewerAccess, isKnown, sandboxOnly, probe, pageBytes } = request.routeOptions.config
  if (!probe) requireTransport(request, options)
  const isHidden = probe === 'metrics' && !mayReadMetrics(request, options)
  // The handler checks a signature, because it has the body.
  const isOpen = (access === 'public' && !isHidden) || access === 'signature'
  // Hosted forms have a limit of their own.
  if (access === 'public' && !probe && pageBytes === undefined) options.limitPublic(addressOf(request))
  // Client credentials may be in the body: without the header the handler checks them.
  const isDeferred = access === 'client credentials' && request.headers.authorization === undefined
  const isSecret = access === 'secret address'
  // An unknown secret address counts as a bad credential, even if the request has a valid one.
  if (isSecret && !(await isKnown?.(request.params as Record<string, string>)))
    await options.authenticate('', addressOf(request))
  if (request.is404 || !(isOpen || isDeferred || isSecret)) {
    const { credential, clientId } = credentialOf(request, access === 'client credentials')
    request.claimedClientId = clientId
    const address = addressOf(request)
    const authenticate = () => options.authenticate(credential, address)
    request.caller = await authenticate()
    request.authenticateAgain = authenticate
    request.findCaller = () => authenticate().catch(undefinedIfRefused)
    reply.headers(await options.limitRate(request.caller))
  }
  if (isHidden) throw notFound()
  if (request.is404) throw wrongPath(request, routes)
  const scope = access?.includes(':') ? (access as Scope) : undefined
  if (scope && !request.caller?.scopes.has(scope) && !isReviewing(request.caller, reviewerAccess)) {
    throw new Refusal('FORBIDDEN', `This credential lacks the scope ${scope}`)
  }
  if (sandboxOnly && options.environment !== 'sandbox') {
    throw new Refusal('SANDBOX_ONLY', 'This operation exists only in the sandbox')
  }
  takeVersion(request, reply)
}

/** A body that takes longer than this to arrive may be that of a caller who was revoked or suspended meanwhile. */
const promptBodyMs = 1_000

/** Authenticates the caller of a slow body again, from the cache unless something has changed. */
export async function admitSlowBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.authenticateAgain && reply.elapsedTime > promptBodyMs) request.caller = await request.authenticateAgain()
}

/** Tells whether a reviewer or the platform reaches a route that others reach with another scope. */
function isReviewing(caller: Caller | undefined, scope: Scope | undefined): boolean {
  return scope !== undefined && caller?.scopes.has(scope) === true && (caller.isReviewer || isPlatform(caller))
}

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}

function takeVersion(request: FastifyRequest, reply: FastifyReply): void {
  const version = request.headers['x-api-version']
  if (version === undefined) return
  if (!apiVersions.includes(version as (typeof apiVersions)[number])) {
    throw badField('x-api-version', `must be one of ${apiVersions.join(', ')}`)
  }
  reply.header('x-api-version', version)
}

function mayReadMetrics(request: FastifyRequest, options: AdmitOptions): boolean {
  return options.environment === 'sandbox' || options.metricsAllowedAddresses.includes(addressOf(request))
}

/** Admits a request that matches no route: the same checks in the same order. */
export async function admitWithoutRoute(
  request: FastifyRequest,
  options: AdmitOptions,
): Promise<Record<string, string>> {
  requireTransport(request, options)
  return options.limitRate(await options.authenticate(bearerOf(request), addressOf(request)))
}

function requireTransport(request: FastifyRequest, { environment }: AdmitOptions): void {
  if (environment === 'production' && request.protocol !== 'https')
    throw new Refusal('FORBIDDEN', 'Use HTTPS: this service does not answer plain HTTP')
}

function bearerOf(request: FastifyRequest): string {
  return /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
}

/** The bearer credential; on routes that accept client credentials also HTTP Basic (RFC 6749, section 2.3.1). */
function credentialOf(
  request: FastifyRequest,
  acceptsBasic: boolean,
): { credential: string; clientId: string | undefined } {
  const header = request.headers.authorization ?? ''
  const basic = acceptsBasic ? /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header)?.[1] : undefined
  if (basic === undefined) return { credential: bearerOf(request), clientId: undefined }
  const [clientId = '', ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return { credential: secret.join(':'), clientId }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}

function wrongPath(request: FastifyRequest, routes: readonly Route[]): Refusal {
  const path = request.url.split('?', 1)[0] ?? ''
  const here = routes.filter((each) => patternOf(each.path).test(path))
  if (here.length === 0) return notFound()
  const allowed = [...new Set(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
  return new Refusal('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use a method of the allow header`, {
    headers: { allow: allowed.join(', ') },
  })
}
