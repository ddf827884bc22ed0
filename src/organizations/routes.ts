import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { pageQuery, Uuid } from '../http/wire.ts'
import { type Organization, type Quota, readQuotas } from './organization.ts'
import type { OrganizationService } from './service.ts'
import * as wire from './wire.ts'

export function organizationRoutes(
  organizations: OrganizationService,
  environment: 'sandbox' | 'production',
  defaultLimits: wire.DefaultLimits,
  quotas: readonly Quota[],
): Route[] {
  const present = async (shown: readonly Organization[]) => {
    const quotasOf = await readQuotas(
      quotas,
      shown.map(({ organizationId }) => organizationId),
    )
    return shown.map((each) =>
      wire.presentOrganization(each, { environment, defaultLimits, quotas: quotasOf(each.organizationId) }),
    )
  }
  const presentOne = async (organization: Organization) => (await present([organization]))[0] as wire.OrganizationView
  return [
    route({
      method: 'GET',
      path: '/organizations',
      access: 'organizations:read',
      tag: 'Organizations',
      summary: 'List the organizations you act for',
      description: 'Your own and its children, newest first, each with its limits and what it uses of its quotas.',
      query: Type.Object(pageQuery, { additionalProperties: false }),
      answer: { status: 200, description: 'One page', schema: wire.OrganizationPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await organizations.list(caller, query)
        return { organizations: await present(items), nextPageToken }
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
      handle: async ({ caller, params }) => presentOne(await organizations.read(caller, params.organizationId)),
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
        return presentOne(changed)
      },
    }),
  ]
}
