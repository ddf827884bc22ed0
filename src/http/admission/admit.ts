import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, isPlatform, type Scope } from '../../lib/caller.ts'
import { badField, noSuchPath, notFound, Refusal } from '../../lib/refusal.ts'
import type { Access, Route } from '../route.ts'
import { apiVersions } from '../versions.ts'
import { addressOf } from './address.ts'
import type { Authenticator } from './authenticate.ts'
import { type RouteWork, unitsOf, unitsOfBytes } from './work.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** Authenticates the request again: its credential may have been revoked meanwhile. */
    authenticateAgain: (() => Promise<Caller>) | undefined
    findCaller: (() => Promise<Caller | undefined>) | undefined
    claimedClientId: string | undefined
    /** The length of a body that came in chunks of unknown total. */
    unannouncedBytes: number
  }
  interface FastifyContextConfig {
    access?: Access
    reviewerAccess?: Scope
    isKnown?: Route['isKnown']
    sandboxOnly?: boolean
    probe?: Route['probe']
    work?: RouteWork
    /** The longest body of a page for browsers. */
    pageBytes?: number
  }
}

export type AdmitOptions = {
  environment: 'sandbox' | 'production'
  metricsAllowedAddresses: readonly string[]
  authenticate: Authenticator
  /** Finds the caller of a credential that this process knows to be good; undefined when it has to be looked up. */
  findKnown(credential: string, address: string, connection: object): Caller | undefined
  /** Returns the rate-limit headers; throws when the limit is reached. */
  limitRate(caller: Caller, work?: number): Record<string, string> | Promise<Record<string, string>>
  /** Throws when an address has used up its requests without a credential. */
  limitPublic(address: string): void
}

/**
 * Decides whether a request is admitted, before its body is read. The order of refusals: transport, credential, rate
 * limit, path, scope, environment, version. A known credential within its limit, as nearly all have, takes no promise.
 */
export function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AdmitOptions,
  routes: readonly Route[],
): undefined | Promise<void> {
  const { access, probe, work } = request.routeOptions.config
  if (request.is404 || probe || !access?.includes(':')) return admitAny(request, reply, options, routes)
  requireTransport(request, options)
  const [credential, address] = [bearerOf(request), addressOf(request)]
  const caller = options.findKnown(credential, address, request.raw.socket)
  if (!caller) return admitAny(request, reply, options, routes)
  setCaller(request, caller, () => options.authenticate(credential, address))
  const limited = options.limitRate(caller, unitsOf(request, work ?? noWork))
  if (limited instanceof Promise)
    return limited.then((headers) => requireRights(request, reply.headers(headers), options))
  requireRights(request, reply.headers(limited), options)
  return undefined
}

const noWork: RouteWork = {}

function setCaller(request: FastifyRequest, caller: Caller, authenticate: () => Promise<Caller>): void {
  request.caller = caller
  request.authenticateAgain = authenticate
  request.findCaller = () => authenticate().catch(undefinedIfRefused)
}

async function admitAny(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AdmitOptions,
  routes: readonly Route[],
): Promise<void> {
  const { access, isKnown, probe, pageBytes, work } = request.routeOptions.config
  if (!probe) requireTransport(request, options)
  const isHidden = probe === 'metrics' && !mayReadMetrics(request, options)
  // The handler checks a signature, because it has the body.
  const isOpen = (access === 'public' && !isHidden) || access === 'signature'
  // Hosted forms have a limit of their own.
  const isAnonymous = (access === 'public' && pageBytes === undefined) || access === 'signature'
  if (isAnonymous && !probe) options.limitPublic(addressOf(request))
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
    const caller = await authenticate()
    setCaller(request, caller, authenticate)
    reply.headers(await options.limitRate(caller, unitsOf(request, work ?? noWork)))
  }
  if (isHidden) throw notFound()
  if (request.is404) throw wrongPath(request, routes)
  requireRights(request, reply, options)
}

function requireRights(request: FastifyRequest, reply: FastifyReply, options: AdmitOptions): void {
  // The router takes the end of `/customers/` for an empty id.
  if (Object.values(request.params as object).includes('')) throw noSuchPath()
  const { access, reviewerAccess, sandboxOnly } = request.routeOptions.config
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

export function isSlowBody(request: FastifyRequest, reply: FastifyReply): boolean {
  return request.authenticateAgain !== undefined && reply.elapsedTime > promptBodyMs
}

/**
 * Decides whether a request is still admitted after its body has arrived: authenticates the caller of a slow one again,
 * from the cache unless something has changed, and takes the units of one whose length was not announced. Nothing has
 * happened yet when they are missing.
 */
export async function admitBody(request: FastifyRequest, reply: FastifyReply, options: AdmitOptions): Promise<void> {
  if (isSlowBody(request, reply)) request.caller = await request.authenticateAgain?.()
  const units = unitsOfBytes(request.unannouncedBytes)
  if (request.caller && units > 0) reply.headers(await options.limitRate(request.caller, units))
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
  if (here.length === 0) return noSuchPath()
  const allowed = [...new Set(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
  return new Refusal('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use a method of the allow header`, {
    headers: { allow: allowed.join(', ') },
  })
}
