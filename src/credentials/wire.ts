import Type from 'typebox'
import { oneOf, pageOf, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { scopes } from '../lib/caller.ts'
import type { ApiKey } from './api-key.ts'

const Scope = oneOf(scopes)

const AllowedIps = Type.Array(Type.String({ maxLength: 64, examples: ['192.0.2.0/24'] }), {
  minItems: 1,
  maxItems: 100,
  description: 'Addresses and ranges from which the key may be used. Without it, from any address',
})

const apiKeyFields = {
  apiKeyId: Uuid,
  name: Type.String({ examples: ['Checkout server'] }),
  scopes: Type.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
  allowedIps: Type.Optional(AllowedIps),
  lastUsedAt: Type.Optional(Timestamp),
}

export const CreateApiKeyBody = requestBody('CreateApiKey', {
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Checkout server'] }),
  scopes: Type.Array(Scope, { minItems: 1, maxItems: 100 }),
  expiresAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Without it, the key never expires',
      examples: ['2030-01-01T00:00:00.000Z'],
    }),
  ),
  allowedIps: Type.Optional(AllowedIps),
})

export const ApiKeyAnswer = resource('ApiKey', apiKeyFields)

export const CreatedApiKeyAnswer = resource('CreatedApiKey', {
  ...apiKeyFields,
  apiKey: Type.Optional(
    Type.String({
      description: 'The key itself. Shown in this answer only, not in the answer to a repeated request',
      examples: ['svc_test_0R7sxkq1Q0m3nXw2r8mJb0qfUpWm3o2vYJrYl0o9sXc'],
    }),
  ),
})

export const ApiKeyPage = pageOf('ApiKeyPage', 'apiKeys', ApiKeyAnswer)

export function presentApiKey({ apiKeyId, name, scopes, createdAt, expiresAt, allowedIps, lastUsedAt }: ApiKey) {
  return {
    apiKeyId,
    name,
    scopes,
    createdAt: createdAt.toISOString(),
    ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
    ...(allowedIps ? { allowedIps } : {}),
    ...(lastUsedAt ? { lastUsedAt: lastUsedAt.toISOString() } : {}),
  }
}

export const TokenRequestBody = requestBody('TokenRequest', {
  grant_type: Type.Optional(Type.Literal('client_credentials')),
  client_id: Type.Optional(Type.String({ maxLength: 100, description: 'The id of the API key' })),
  client_secret: Type.Optional(Type.String({ maxLength: 200, description: 'The API key itself' })),
  scope: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'The scopes of the token, all of which the key must have. Without it, every scope of the key',
      examples: ['customers:read quotes:write'],
    }),
  ),
})

export const TokenAnswer = resource('Token', {
  access_token: Type.String({
    description: 'Send it as bearer until it expires',
    examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2ln'],
  }),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds', examples: [1800] }),
  scope: Type.String({ examples: ['customers:read quotes:write'] }),
})

export const Jwks = resource('Jwks', {
  keys: Type.Array(
    resource('Jwk', {
      kty: Type.String({ examples: ['OKP'] }),
      crv: Type.String({ examples: ['Ed25519'] }),
      x: Type.String({ examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'] }),
      kid: Type.String({ examples: ['5f0c0f0e-0c2b-4c0e-9d8e-0d8a3f2b7c11'] }),
      use: Type.Literal('sig'),
      alg: Type.Literal('EdDSA'),
    }),
  ),
})
