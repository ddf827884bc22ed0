import { expect, test } from 'vitest'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { prompt } from '../../support/runner/patience.ts'
import { runSvc } from '../../support/runner/process.ts'

/** Keys on the command line of the operator, beside a running service. */
const api = await startApi({ SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_RATE_LIMIT_SANDBOX: '0' })
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const status = async (apiKey: string, more = {}) => (await api.get('/organizations', { apiKey, ...more })).status

test('a key can be created with scopes, an end and addresses', async () => {
  const rights = ['--scopes', 'organizations:read,api_keys:read', '--expires', 'P90D', '--ips', '192.0.2.0/24,::1']
  const created = await runSvc(api, ['keys', 'create', 'Narrow', '--organization', own, ...rights])
  expect(created).toMatchObject({ code: 0, output: expect.stringMatching(/^svc_test_\S+\n$/) })
  const apiKey = created.output.trim()
  expect([await status(apiKey, from('192.0.2.9')), await status(apiKey, from('198.51.100.1'))]).toEqual([200, 401])
  const { apiKeys } = (await api.get('/api-keys', { apiKey, ...from('192.0.2.9') })).body
  const shown = apiKeys.find(({ name }) => name === 'Narrow')
  expect(shown).toMatchObject({
    scopes: ['organizations:read', 'api_keys:read'],
    allowedIps: ['192.0.2.0/24', '::1'],
    expiresAt: expect.any(String),
  })
  expect(Math.abs(Date.parse(shown?.expiresAt ?? '') - Date.now() - 90 * 86_400_000)).toBeLessThan(600_000)
})

test('a key has some scopes only when the operator asks for them', async () => {
  const scopesOf = async (...flags: string[]) => {
    const apiKey = (await runSvc(api, ['keys', 'create', 'Usual', '--organization', own, ...flags])).output.trim()
    return first((await api.get('/api-keys?pageSize=1', { apiKey })).body.apiKeys).scopes
  }
  const [usual, all] = [await scopesOf(), await scopesOf('--scopes', 'all')]
  expect(all.filter((scope) => !usual.includes(scope))).toEqual(['policies:write', 'approvals:write', 'api_keys:admin'])
})

test.each([
  [['--scopes', 'everything'], 2, 'There is no scope "everything"'],
  [['--expires', 'soon'], 2, '--expires must be'],
  [['--expires', '2100-02-30'], 2, '--expires must be'],
  [['--expires', '2100-06-31T12:00:00Z'], 2, '--expires must be'],
  [['--expires', '2020-01-01'], 1, 'expiresAt must be in the future'],
  [['--ips', 'office'], 2, '--ips must be'],
  [['--ips', '192.0.2.1', '--ips', '192.0.2.2'], 2, '--ips is given twice'],
  [['--cascade'], 2, 'is no valid command'],
  [['--organization', platformOrganizationId, '--scopes', 'customers:read'], 1, 'cannot have customers:read'],
])('%o creates no key', async (flags, code, told) => {
  const refused = await runSvc(api, ['keys', 'create', 'Refused', ...flags])
  expect([refused.code, refused.output]).toEqual([code, expect.stringContaining(told)])
  expect((await runSvc(api, ['keys', 'list'])).output).not.toContain('Refused')
})

test('keys are listed, of one organization or of all, and revoked with what they have led to', async () => {
  const { organizationId } = await api.app.organizations.create({
    name: 'Other',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const other = await api.app.credentials.createFullKey('Theirs', organizationId)
  const scopes = ['organizations:read', 'api_keys:write']
  const parent = await createKey(api, { name: 'Parent', scopes })
  const child = await createKey(api, { name: 'Child', scopes }, parent)
  const all = (await runSvc(api, ['keys', 'list'])).output
  for (const { apiKeyId } of [other, parent, child]) expect(all).toContain(apiKeyId)
  expect(all).toContain(`created by ${parent.apiKeyId}`)
  expect(all).not.toContain(child.apiKey)
  const theirs = (await runSvc(api, ['keys', 'list', '--organization', organizationId])).output
  expect([theirs.includes(other.apiKeyId), theirs.includes(parent.apiKeyId)]).toEqual([true, false])

  for (const { apiKey } of [other, parent, child]) expect(await status(apiKey)).toBe(200)
  expect((await runSvc(api, ['keys', 'revoke', other.apiKeyId])).code).toBe(0)
  await expect.poll(() => status(other.apiKey), prompt).toBe(401)
  expect((await runSvc(api, ['keys', 'revoke', other.apiKeyId])).code).toBe(1)
  for (const { apiKey } of [parent, child]) expect(await status(apiKey)).toBe(200)
  expect((await runSvc(api, ['keys', 'revoke', parent.apiKeyId, '--cascade'])).code).toBe(0)
  for (const { apiKey } of [parent, child]) await expect.poll(() => status(apiKey), prompt).toBe(401)
})

test('a name that an organization chose shows no line of its own and moves no cursor', async () => {
  const name = `x\n${own}  Leaked key, revoke at once \u001b[1A\u202e`
  const { apiKeyId } = await createKey(api, { name, scopes: ['organizations:read'] })
  const shown = `"x\\n${own}  Leaked key, revoke at once \\u001b[1A\\u{202e}"`
  expect((await runSvc(api, ['keys', 'list'])).output).toContain(`${apiKeyId}  ${shown}\n`)
  const { output } = await runSvc(api, ['keys', 'revoke', apiKeyId])
  expect(output).toContain(`Key ${apiKeyId} ${shown} of organization ${own} is revoked.\n`)
})

test('a leaked key is revoked by its text, which no error repeats, and keys that it has led to are counted', async () => {
  const leaked = await createKey(api, { name: 'Leaked', scopes: ['organizations:read', 'api_keys:write'] })
  const child = await createKey(api, { name: 'Child', scopes: ['organizations:read'] }, leaked)
  const typed = await runSvc(api, ['keys', 'revoke', leaked.apiKey])
  expect([typed.code, typed.output.includes(leaked.apiKey)]).toEqual([2, false])
  const alone = await runSvc(api, ['keys', 'revoke', '-'], {}, `${leaked.apiKey}\n`)
  expect([alone.code, alone.output]).toEqual([0, expect.stringContaining('1 keys that it has led to still work')])
  await expect.poll(() => status(leaked.apiKey)).toBe(401)
  const whole = await runSvc(api, ['keys', 'revoke', '-', '--cascade'], {}, leaked.apiKey)
  expect([whole.code, whole.output]).toEqual([0, expect.stringContaining(`Key ${child.apiKeyId}, which`)])
  await expect.poll(() => status(child.apiKey)).toBe(401)
  expect((await runSvc(api, ['keys', 'revoke', '-'], {}, 'svc_test_unknown')).code).toBe(1)
})

test('the audit log names the operator of a command', async () => {
  const run = await runSvc(api, ['keys', 'create', 'Signed', '--organization', own], { SVC_OPERATOR: 'ada' })
  expect(run.code).toBe(0)
  const { entries } = (await api.get('/audit?act=api_key.created')).body
  expect(first(entries).actor).toBe('operator')
})

test('a leaked signing key ends at once: tokens of it are refused, and its successor signs', async () => {
  const tokenOf = async () => (await api.post('/auth/token')).body.access_token
  const before = await tokenOf()
  const leaked = first((await api.get('/.well-known/jwks.json')).body.keys).kid
  // A new key alone leaves the tokens of the former one valid.
  expect((await runSvc(api, ['keys', 'rotate'])).code).toBe(0)
  expect(await status(before)).toBe(200)
  expect((await runSvc(api, ['keys', 'rotate', '--revoke-now'])).code).toBe(0)
  await expect.poll(() => status(before), prompt).toBe(401)
  const { keys } = (await api.get('/.well-known/jwks.json')).body
  expect(keys).toHaveLength(1)
  expect(keys.map(({ kid }) => kid)).not.toContain(leaked)
  await eventually(async () => expect(await status(await tokenOf())).toBe(200))
  expect(await status(api.apiKey)).toBe(200)
})
