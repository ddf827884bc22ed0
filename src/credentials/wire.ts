import Type from 'typebox'
import { exampleApiKey } from '../http/examples/organizations.ts'
import { type EventPayload, oneOf, pageOf, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { scopes } from '../lib/caller.ts'
import type { EventType } from '../lib/event-types.ts'
import type { ApiKey } from './api-key.ts'

const Scope = oneOf(scopes)

const AllowedIps = Type.Array(Type.String({ maxLength: 64, examples: ['192.0.2.0/24'] }), {
  minItems: 1,
  maxItems: 100,
  description:
    'Addresses and ranges from which the key may be used. Without it, from any address, or those of the key that ' +
    'created it. Those that the creating key lacks are left out',
})

const apiKeyFields = {
  apiKeyId: Uuid,
  name: Type.String({ examples: ['Checkout server'] }),
  scopes: Type.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
  allowedIps: Type.Optional(AllowedIps),
  lastUsedAt: Type.Optional(Timestamp),
  parentApiKeyId: Type.Optional({
    ...Uuid,
    description: 'The key that created this one, or that this one succeeds. Absent for a key of the operator',
  }),
  isReviewer: Type.Optional(
    Type.Boolean({ description: "True for a key that the operator marked as a reviewer's: it may clear matches" }),
  ),
  rolledAt: Type.Optional({ ...Timestamp, description: 'When a successor was created; the key works until expiresAt' }),
}

export const CreateApiKeyBody = requestBody('CreateApiKey', {
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Checkout server'] }),
  scopes: Type.Array(Scope, { minItems: 1, maxItems: 100 }),
  expiresAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Without it, the key expires with yours, or never. A later one than that of your key is shortened',
      examples: ['2030-01-01T00:00:00.000Z'],
    }),
  ),
  allowedIps: Type.Optional(AllowedIps),
})

export const RollApiKeyBody = requestBody('RollApiKey', {
  overlap: Type.String({
    maxLength: 40,
    description:
      'How long both keys work, as an ISO 8601 duration of at most 30 days. PT0S ends the key at once; a key that ' +
      'rolls itself works for ten minutes',
    examples: ['PT24H'],
  }),
})

export const RevokeApiKeyQuery = Type.Object(
  {
    cascade: Type.Optional(
      Type.Boolean({
        description: 'Also revokes every key that this key created, rolled or was rolled to, and theirs',
      }),
    ),
  },
  { additionalProperties: false },
)

export const ApiKeyAnswer = resource('ApiKey', apiKeyFields, exampleApiKey)

export const RevokedApiKeyAnswer = resource('RevokedApiKey', {
  ...apiKeyFields,
  revokedApiKeyIds: Type.Array(Uuid, {
    description: 'Every key that this request has revoked: with `cascade` also those that the key has led to',
  }),
})

export const CreatedApiKeyAnswer = resource('CreatedApiKey', {
  ...apiKeyFields,
  apiKey: Type.Optional(
    Type.String({
      description: 'The key itself. Shown in this answer only, not in the answer to a repeated request',
      examples: ['svc_test_0R7sxkq1Q0m3nXw2r8mJb0qfUpWm3o2vYJrYl0o9sXc'],
    }),
  ),
})

export const RolledApiKeyAnswer = resource('RolledApiKey', {
  ...CreatedApiKeyAnswer.properties,
  predecessorEndsAt: Type.Optional({ ...Timestamp, description: 'When the rolled key ends' }),
})

/** The payloads of this capability's events. */
export const apiKeyEvents = {
  'api_key.created': { schema: ApiKeyAnswer, example: exampleApiKey },
  'api_key.new_address': {
    schema: resource('ApiKeyAddresses', {
      ...apiKeyFields,
      addresses: Type.Array(Type.String({ examples: ['192.0.2.7'] }), {
        description: 'The addresses that the key was never used from before; of IPv6 the network',
      }),
    }),
    example: { ...exampleApiKey, addresses: ['192.0.2.7'] },
  },
} satisfies Partial<Record<EventType, EventPayload>>

export const ApiKeyPage = pageOf('ApiKeyPage', 'apiKeys', ApiKeyAnswer)

export function presentApiKey(key: ApiKey) {
  const { expiresAt, allowedIps, lastUsedAt, parentApiKeyId, rolledAt } = key
  return {
    apiKeyId: key.apiKeyId,
    name: key.name,
    scopes: key.scopes,
    createdAt: key.createdAt.toISOString(),
    ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
    ...(allowedIps ? { allowedIps } : {}),
    ...(lastUsedAt ? { lastUsedAt: lastUsedAt.toISOString() } : {}),
    ...(parentApiKeyId ? { parentApiKeyId } : {}),
    ...(key.isReviewer ? { isReviewer: true } : {}),
    ...(rolledAt ? { rolledAt: rolledAt.toISOString() } : {}),
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
