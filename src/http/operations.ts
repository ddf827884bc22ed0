import Type from 'typebox'
import { unavailable } from '../lib/refusal.ts'
import type { KeptAnswer } from './bodies/kept-answer.ts'
import type { HttpMetrics } from './metrics.ts'
import { type Route, route } from './route.ts'
import { apiVersions, changelog, newestApiVersion } from './versions.ts'
import { oneOf, resource } from './wire.ts'

/**
 * Problems that need an operator while the process serves requests. Codes only, because the probe is
 * public.
 */
export const concerns = [
  'TRANSACTIONS_STUCK',
  'REFUNDS_STUCK',
  'DEPOSITS_STUCK',
  'PAYOUTS_CONTRADICTED',
  'PAYOUTS_HALTED',
  'CHAINS_HALTED',
  'CHAINS_BEHIND',
  'CHAINS_NOT_FINAL',
  'RELAYER_COINS_LOW',
  'TREASURY_LOW',
  'BANK_FOLDERS_UNUSABLE',
  'WATCH_LIST_NOT_CURRENT',
] as const
export type Concern = (typeof concerns)[number]

export type Readiness = {
  /** The reason why this process should get no requests now; undefined when it should. */
  whyNotReady(): Promise<string | undefined>
  findConcerns(): Promise<Concern[]>
}

export type Operations = {
  version: string
  environment: 'sandbox' | 'production'
  metrics: HttpMetrics
  readiness: Readiness
  openapi(): KeptAnswer
}

const tag = 'Service'
const shared = { method: 'GET', access: 'public', tag } as const

/** Operations for operators and their infrastructure, and public facts about the service. */
export function operationRoutes(service: Operations): Route[] {
  return [
    route({
      ...shared,
      path: '/livez',
      probe: 'health',
      summary: 'Check that the process is alive',
      answer: {
        status: 200,
        description: 'The process is alive',
        schema: resource('Alive', { status: Type.Literal('alive') }),
      },
      handle: async () => ({ status: 'alive' }),
    }),
    route({
      ...shared,
      path: '/readyz',
      probe: 'health',
      summary: 'Check that the process can serve requests',
      description: 'Also lists `concerns`: problems that an operator should look at while the process serves requests.',
      answer: { status: 200, description: 'The process can serve requests', schema: Ready },
      handle: async () => {
        const reason = await service.readiness.whyNotReady()
        if (reason) throw unavailable(reason, 1)
        return { status: 'ready', concerns: await service.readiness.findConcerns() }
      },
    }),
    route({
      ...shared,
      path: '/version',
      summary: 'Read the version of the service',
      answer: { status: 200, description: 'Name, version and environment', schema: Version },
      handle: async () => ({
        name: 'svc',
        version: service.version,
        environment: service.environment,
        apiVersion: newestApiVersion,
        apiVersions: [...apiVersions],
      }),
    }),
    route({
      ...shared,
      path: '/changelog',
      summary: 'List the changes of the interface',
      answer: { status: 200, description: 'The changes, newest first', schema: Changelog },
      handle: async () => ({ entries: changelog }),
    }),
    route({
      ...shared,
      path: '/openapi.json',
      summary: 'Read this document',
      answer: {
        status: 200,
        description: 'OpenAPI 3.1',
        schema: Type.Object({}, { title: 'OpenapiDocument' }),
        isKept: true,
      },
      handle: async () => service.openapi(),
    }),
    route({
      ...shared,
      path: '/metrics',
      probe: 'metrics',
      summary: 'Read the metrics for Prometheus',
      description: 'In production, only for allowed addresses.',
      refusals: ['UNAUTHORIZED'],
      answer: {
        status: 200,
        description: 'Prometheus text',
        schema: MetricsText,
        mediaType: 'text/plain; version=0.0.4; charset=utf-8',
      },
      handle: () => service.metrics.render(),
    }),
  ]
}

export const MetricsText = Type.String({ examples: ['svc_http_body_bytes_in_flight 0'] })

export const Ready = resource('Ready', {
  status: Type.Literal('ready'),
  concerns: Type.Array(oneOf(concerns), {
    description: 'Empty when there is no problem; the metrics count the affected resources',
  }),
})

export const Version = resource('Version', {
  name: Type.Literal('svc'),
  version: Type.String({ examples: ['0.1.0'] }),
  environment: oneOf(['sandbox', 'production']),
  apiVersion: Type.String({ examples: [newestApiVersion] }),
  apiVersions: Type.Array(Type.String({ examples: [newestApiVersion] })),
})

export const Changelog = resource('Changelog', {
  entries: Type.Array(
    resource('ChangelogEntry', {
      date: Type.String({ format: 'date', examples: ['2025-11-21'] }),
      effectiveDate: Type.String({ format: 'date', examples: ['2025-11-21'] }),
      label: Type.String({ examples: ['v1.0.0'] }),
      changes: Type.Array(Type.String({ examples: ['verificationIssues is part of the customer update event'] })),
    }),
  ),
})
