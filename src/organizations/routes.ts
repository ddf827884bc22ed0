import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { pageQuery, Uuid } from '../http/wire.ts'
import type { Environment } from './api-key.ts'
import type { OrganizationService } from './service.ts'
import * as wire from './wire.ts'

export function organizationRoutes(organizations: OrganizationService, environment: Environment): Route[] {
  return [
    route({
      method: 'GET',
      path: '/organizations',
      access: 'organizations:read',
      tag: 'Organizations',
      summary: 'List the organizations you act for',
      description: 'Your own and its children, newest first.',
      query: Type.Object(pageQuery, { additionalProperties: false }),
      answer: { status: 200, description: 'One page', schema: wire.OrganizationPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await organizations.list(caller, query)
        return { organizations: items.map((item) => wire.presentOrganization(item, environment)), nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/organizations/{organizationId}',
      access: 'organizations:read',
      tag: 'Organizations',
      summary: 'Read one organization',
      params: Type.Object({ organizationId: Uuid }),
      answer: { status: 200, description: 'The organization', schema: wire.OrganizationAnswer },
      handle: async ({ caller, params }) =>
        wire.presentOrganization(await organizations.read(caller, params.organizationId), environment),
    }),
  ]
}

export function apiKeyRoutes(organizations: OrganizationService): Route[] {
  const tag = 'API keys'
  return [
    route({
      method: 'POST',
      path: '/api-keys',
      access: 'api_keys:write',
      tag,
      summary: 'Create an API key',
      description: 'The key itself is in this answer only. It can have no scope that yours lacks.',
      body: wire.CreateApiKeyBody,
      answer: { status: 201, description: 'The key, shown once', schema: wire.CreatedApiKeyAnswer },
      handle: async ({ caller, readBody }) => {
        const created = await organizations.createApiKey(caller, readBody())
        return { ...wire.presentApiKey(created), apiKey: created.apiKey }
      },
    }),
    route({
      method: 'GET',
      path: '/api-keys',
      access: 'api_keys:read',
      tag,
      summary: 'List API keys',
      description: 'Newest first, without the keys themselves and without revoked ones.',
      query: Type.Object(pageQuery, { additionalProperties: false }),
      answer: { status: 200, description: 'One page', schema: wire.ApiKeyPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await organizations.listApiKeys(caller, query)
        return { apiKeys: items.map(wire.presentApiKey), nextPageToken }
      },
    }),
    route({
      method: 'DELETE',
      path: '/api-keys/{apiKeyId}',
      access: 'api_keys:write',
      tag,
      summary: 'Revoke an API key',
      params: Type.Object({ apiKeyId: Uuid }),
      answer: { status: 200, description: 'The key that no longer works', schema: wire.ApiKeyAnswer },
      handle: async ({ caller, params }) =>
        wire.presentApiKey(await organizations.revokeApiKey(caller, params.apiKeyId)),
    }),
  ]
}
