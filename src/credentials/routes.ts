import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { pageQuery, Uuid } from '../http/wire.ts'
import type { Caller } from '../lib/caller.ts'
import { Refusal } from '../lib/refusal.ts'
import type { TokenService } from '../tokens/service.ts'
import type { CredentialService } from './service.ts'
import * as wire from './wire.ts'

export function apiKeyRoutes(credentials: CredentialService): Route[] {
  const tag = 'API keys'
  return [
    route({
      method: 'POST',
      path: '/api-keys',
      access: 'api_keys:write',
      tag,
      summary: 'Create an API key',
      description:
        'Only this answer holds the key itself. A key can have no scope that yours lacks, ends no later than yours, ' +
        'and works from no address from which yours does not. A token cannot create keys.',
      body: wire.CreateApiKeyBody,
      refusals: ['CONFLICT'],
      answer: { status: 201, description: 'The key, shown once', schema: wire.CreatedApiKeyAnswer },
      secrets: ['apiKey'],
      handle: ({ caller, readBody, once }) =>
        once(async (tx) => {
          const created = await credentials.createApiKey(tx, caller, readBody())
          return { ...wire.presentApiKey(created), apiKey: created.apiKey }
        }),
    }),
    route({
      method: 'GET',
      path: '/api-keys',
      access: 'api_keys:read',
      tag,
      summary: 'List API keys',
      description: 'Newest first, without the keys themselves. Revoked keys are not listed.',
      query: Type.Object(pageQuery, { additionalProperties: false }),
      answer: { status: 200, description: 'One page', schema: wire.ApiKeyPage },
      handle: async ({ caller, query }) => {
        const { items, nextPageToken } = await credentials.listApiKeys(caller, query)
        return { apiKeys: items.map(wire.presentApiKey), nextPageToken }
      },
    }),
    route({
      method: 'DELETE',
      path: '/api-keys/{apiKeyId}',
      access: 'api_keys:write',
      tag,
      summary: 'Revoke an API key',
      description:
        'A key that your own could not have created, with its scopes, expiry and addresses, needs the scope ' +
        '`api_keys:admin`, and so does one that it has led to, with `cascade`. A key that was revoked before gets the ' +
        'same answer; with `cascade`, `revokedApiKeyIds` then has only the keys that it has led to.',
      params: Type.Object({ apiKeyId: Uuid }),
      query: wire.RevokeApiKeyQuery,
      answer: { status: 200, description: 'The key that no longer works', schema: wire.RevokedApiKeyAnswer },
      handle: async ({ caller, params, query }) => {
        const { key, revokedApiKeyIds } = await credentials.revokeApiKey(
          caller,
          params.apiKeyId,
          query.cascade ?? false,
        )
        return { ...wire.presentApiKey(key), revokedApiKeyIds }
      },
    }),
    route({
      method: 'POST',
      path: '/api-keys/{apiKeyId}/roll',
      access: 'api_keys:write',
      tag,
      summary: 'Roll an API key',
      description:
        'Creates a successor with the same name, scopes, expiry and addresses. Both keys work until the overlap ends. ' +
        'Only this answer holds the new key itself. A key can roll only keys that have no more rights than its own, ' +
        'itself included; a token cannot. If you lose the answer, roll the key once more with the same key and another ' +
        'idempotency key: the successor that was never used is replaced.',
      params: Type.Object({ apiKeyId: Uuid }),
      body: wire.RollApiKeyBody,
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The successor, shown once', schema: wire.RolledApiKeyAnswer },
      secrets: ['apiKey'],
      handle: ({ caller, params, readBody, once }) =>
        once(async (tx) => {
          const created = await credentials.rollApiKey(tx, caller, params.apiKeyId, readBody)
          const predecessorEndsAt = created.predecessorEndsAt.toISOString()
          return { ...wire.presentApiKey(created), apiKey: created.apiKey, predecessorEndsAt }
        }),
    }),
  ]
}

function isReadable(inspectBody: () => { ok: boolean }): boolean {
  try {
    return inspectBody().ok
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

export type TokenRoutesOptions = {
  credentials: CredentialService
  tokens: TokenService
  /** Refuses a bad credential with 401, or an address that guesses with 429. */
  authenticate(credential: string, address: string): Promise<Caller>
}

export function tokenRoutes({ credentials, tokens, authenticate }: TokenRoutesOptions): Route[] {
  const tag = 'Tokens'
  return [
    route({
      method: 'POST',
      path: '/auth/token',
      access: 'client credentials',
      tag,
      summary: 'Create an access token from an API key',
      description:
        'Send the API key as bearer, or as OAuth 2.0 client credentials: HTTP Basic, form or JSON, with the id of the ' +
        'key as client_id and the key as client_secret. A token is valid for 30 minutes, and no longer than its key.',
      body: wire.TokenRequestBody,
      refusals: ['UNAUTHORIZED', 'FORBIDDEN', 'BAD_REQUEST'],
      answer: { status: 200, description: 'A bearer token', schema: wire.TokenAnswer },
      handle: async ({ caller, inspectBody, readBody, address, claimedClientId }) => {
        // A bad body without a credential counts as a failed authentication.
        if (caller.apiKeyId === '' && !isReadable(inspectBody)) await authenticate('', address)
        const { client_id, client_secret, scope } = readBody()
        const owner = caller.apiKeyId === '' ? await authenticate(client_secret ?? '', address) : caller
        const claimed = client_id ?? claimedClientId
        const isOther = owner.isToken || (claimed !== undefined && claimed !== owner.apiKeyId)
        return credentials.issueToken(isOther ? await authenticate('', address) : owner, scope)
      },
    }),
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      access: 'public',
      tag,
      summary: 'Read the public keys that verify tokens',
      answer: { status: 200, description: 'A JSON Web Key Set', schema: wire.Jwks },
      handle: async () => tokens.jwks(),
    }),
  ]
}
