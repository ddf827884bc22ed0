import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { pageQuery, Uuid } from '../http/wire.ts'
import type { OrganizationService } from './service.ts'
import * as wire from './wire.ts'

export function organizationRoutes(organizations: OrganizationService, environment: 'sandbox' | 'production'): Route[] {
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
    route({
      method: 'PATCH',
      path: '/organizations/{organizationId}',
      access: 'organizations:write',
      tag: 'Organizations',
      summary: 'Change name, branding, allowed origins or allowed addresses',
      description:
        'Every process applies allowed addresses within a second. Changing them needs an API key with the scope ' +
        '`api_keys:admin`, too. The operator of the service sets tier and limits.',
      params: Type.Object({ organizationId: Uuid }),
      body: wire.ChangeOrganizationBody,
      answer: { status: 200, description: 'The organization as it is now', schema: wire.OrganizationAnswer },
      handle: async ({ caller, params, readBody, address }) => {
        await organizations.read(caller, params.organizationId)
        const changed = await organizations.change(caller, params.organizationId, readBody(), address)
        return wire.presentOrganization(changed, environment)
      },
    }),
  ]
}
