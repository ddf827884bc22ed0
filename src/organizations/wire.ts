import Type from 'typebox'
import { oneOf, pageOf, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { scopes } from '../lib/caller.ts'
import type { ApiKey, Environment } from './api-key.ts'
import { type Organization, tiers } from './organization.ts'

export const OrganizationAnswer = resource('Organization', {
  organizationId: Uuid,
  parentOrganizationId: Type.Optional(Uuid),
  name: Type.String({ examples: ['My organization'] }),
  tier: oneOf(tiers),
  environment: oneOf(['sandbox', 'production']),
  branding: Type.Object({}),
  limits: Type.Object({}),
  createdAt: Timestamp,
})

export const OrganizationPage = pageOf('OrganizationPage', 'organizations', OrganizationAnswer)

export function presentOrganization(organization: Organization, environment: Environment) {
  const { parentOrganizationId, createdAt, ...rest } = organization
  return {
    ...rest,
    ...(parentOrganizationId === null ? {} : { parentOrganizationId }),
    environment,
    createdAt: createdAt.toISOString(),
  }
}

const Scope = oneOf(scopes)

const apiKeyFields = {
  apiKeyId: Uuid,
  name: Type.String({ examples: ['Checkout server'] }),
  scopes: Type.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
}

export const CreateApiKeyBody = requestBody('CreateApiKey', {
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Checkout server'] }),
  scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
  expiresAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'Never, unless given', examples: ['2030-01-01T00:00:00.000Z'] }),
  ),
})

export const ApiKeyAnswer = resource('ApiKey', apiKeyFields)

export const CreatedApiKeyAnswer = resource('CreatedApiKey', {
  ...apiKeyFields,
  apiKey: Type.String({
    description: 'The key itself, shown in this answer and never again',
    examples: ['svc_test_0R7sxkq1Q0m3nXw2r8mJb0qfUpWm3o2vYJrYl0o9sXc'],
  }),
})

export const ApiKeyPage = pageOf('ApiKeyPage', 'apiKeys', ApiKeyAnswer)

export function presentApiKey({ apiKeyId, name, scopes, createdAt, expiresAt }: ApiKey) {
  return {
    apiKeyId,
    name,
    scopes,
    createdAt: createdAt.toISOString(),
    ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
  }
}
