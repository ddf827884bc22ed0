import { text } from 'node:stream/consumers'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { ApiKey } from '../../credentials/api-key.ts'
import { mostListed, type OperatorKey } from '../../credentials/operator.ts'
import type { Logger } from '../../http/log.ts'
import { parseIpRange } from '../../lib/addresses/ip-range.ts'
import { platformScope, type Scope, scopes } from '../../lib/caller.ts'
import { addDuration, parseDuration } from '../../lib/duration.ts'
import { isUuid, platformOrganizationId } from '../../lib/ids.ts'
import { UsageError } from '../../lib/settings.ts'
import { type Print, readArguments, requireOrganization, withApp } from '../tools.ts'

type Run = (config: Config, log: Logger, print: Print) => Promise<number>

const word = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
const options = {
  organization: word,
  scopes: word,
  expires: word,
  ips: word,
  cascade: flag,
  'revoke-now': flag,
  reviewer: flag,
}

/** The options that each verb takes. */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  create: ['organization', 'scopes', 'expires', 'ips', 'reviewer'],
  list: ['organization'],
  revoke: ['cascade'],
  rotate: ['revoke-now'],
}

/** Finds the command about keys; undefined when the arguments make no command. */
export function findKeyCommand(args: string[]): Run | undefined {
  const { positionals, values } = readArguments(args, options)
  const [verb = '', subject, ...rest] = positionals
  const given = Object.entries(values).flatMap(([name, value]) => (value === false ? [] : [name]))
  if (rest.length > 0 || !given.every((name) => optionsOf[verb]?.includes(name))) return undefined
  if (verb === 'create' && subject?.trim() !== '') {
    const key = readKey({ name: subject ?? 'Created on the command line', ...values })
    return (config, log, print) => withApp(config, log, (app) => create(app, print, key))
  }
  if (verb === 'list' && subject === undefined)
    return (config, log, print) => withApp(config, log, (app) => list(app, print, values.organization))
  if (verb === 'revoke' && subject !== undefined && (isUuid(subject) || subject === '-'))
    return (config, log, print) => withApp(config, log, (app) => revoke(app, print, subject, values.cascade))
  if (verb !== 'rotate' || subject !== undefined) return undefined
  return (config, log, print) => withApp(config, log, (app) => rotate(app, print, values['revoke-now']))
}

type KeyTexts = Partial<Record<'organization' | 'scopes' | 'expires' | 'ips', string>> & {
  name: string
  reviewer: boolean
}

function readKey({ name, organization, scopes: scopeTexts, expires, ips, reviewer }: KeyTexts): OperatorKey {
  return {
    name,
    isReviewer: reviewer,
    ...(organization === undefined ? {} : { organizationId: organization }),
    ...(scopeTexts === undefined ? {} : { scopes: readScopes(scopeTexts) }),
    ...(expires === undefined ? {} : { expiresAt: readEnd(expires) }),
    ...(ips === undefined ? {} : { allowedIps: readIps(ips) }),
  }
}

/** Reads scopes; "all" means every scope of an organization, also those that a key has only where it is asked for. */
function readScopes(given: string): Scope[] {
  if (given === 'all') return scopes.filter((scope) => scope !== platformScope)
  return given.split(',').map(readScope)
}

function readScope(given: string): Scope {
  const scope = scopes.find((each) => each === given)
  if (!scope) throw new UsageError(`There is no scope "${given}". These exist: ${scopes.join(', ')}.`)
  return scope
}

/** Reads a time, or a duration from now on. */
function readEnd(given: string): string {
  const duration = parseDuration(given)
  if (duration.ok) return addDuration(new Date(), duration).toISOString()
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(given) ? new Date(given) : undefined
  // JavaScript takes 30 February for 2 March: the key would end later than written.
  if (!at || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(given.slice(0, 10)))
    throw new UsageError('--expires must be a time such as 2030-01-01T00:00:00Z, or a duration such as P90D.')
  return at.toISOString()
}

export function readIps(given: string): string[] {
  const texts = given.split(',')
  const bad = texts.find((each) => !parseIpRange(each))
  if (bad === undefined) return texts
  throw new UsageError(`--ips must be addresses and ranges such as 192.0.2.7,198.51.100.0/24; "${bad}" is none.`)
}

/** Creates a key and prints it. The database stores its hash only. */
async function create(app: App, print: Print, key: OperatorKey): Promise<number> {
  const { organizationId } = key
  if (organizationId !== undefined && organizationId !== platformOrganizationId)
    await requireOrganization(app, organizationId)
  print((await app.credentials.createOperatorKey(key)).apiKey)
  return 0
}

async function list(app: App, print: Print, organizationId: string | undefined): Promise<number> {
  if (organizationId !== undefined) await requireOrganization(app, organizationId)
  const keys = await app.credentials.listKeys(organizationId)
  for (const key of keys) print(describe(key))
  if (keys.length === 0) print('There are no keys.')
  if (keys.length === mostListed) print(`Only ${mostListed} keys are shown. Name an --organization to see its keys.`)
  return 0
}

function describe({ organizationId, apiKeyId, name, scopes: given, ...key }: ApiKey): string {
  const facts = [
    `organization ${organizationId}`,
    key.parentApiKeyId ? `created by ${key.parentApiKeyId}` : 'created on the command line',
    key.expiresAt ? `expires ${key.expiresAt.toISOString()}` : 'never expires',
    key.lastUsedAt ? `last used ${key.lastUsedAt.toISOString()}` : 'never used',
    ...(key.allowedIps ? [`from ${key.allowedIps.join(' ')}`] : []),
    ...(key.rolledAt ? ['rolled'] : []),
    ...(key.isReviewer ? ["a reviewer's"] : []),
  ]
  return `${apiKeyId}  ${quote(name)}\n  ${facts.join(', ')}\n  ${given.join(' ')}`
}

/** Quotes a name that an organization chose: it must not look like another line, nor move the cursor. */
function quote(name: string): string {
  const spell = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  return JSON.stringify(name).replace(/\p{C}|[\u2028\u2029]/gu, spell)
}

async function revoke(app: App, print: Print, subject: string, isCascade: boolean): Promise<number> {
  const apiKeyId = subject === '-' ? await findByText(app) : subject
  const { key, revokedApiKeyIds, stillLive } = await app.credentials.revokeKey(apiKeyId, isCascade)
  print(`Key ${apiKeyId} ${quote(key.name)} of organization ${key.organizationId} is revoked.`)
  for (const id of revokedApiKeyIds) if (id !== apiKeyId) print(`Key ${id}, which it has led to, is revoked.`)
  print('Every process refuses them within a second.')
  if (stillLive > 0) print(`${stillLive} keys that it has led to still work: --cascade revokes them.`)
  return 0
}

/** Finds a key whose text the operator has from a log or a scanner. Arguments would show it in the list of processes. */
async function findByText(app: App): Promise<string> {
  const apiKeyId = await app.credentials.findKeyId((await text(process.stdin)).trim())
  if (apiKeyId === undefined) throw new Error('The text on the standard input is no key of this deployment.')
  return apiKeyId
}

/** Rotates the signing key of tokens. Issued tokens stay valid until they expire, unless the earlier keys end now. */
async function rotate(app: App, print: Print, endsEarlier: boolean): Promise<number> {
  if (endsEarlier) await app.tokens.revokeAndRotate()
  else await app.tokens.rotate()
  const told = endsEarlier
    ? 'The new key signs tokens now. Every earlier token is refused within a second: programs request a new one.'
    : 'The new key signs tokens within seconds. Tokens of the old key expire within 35 minutes.'
  print(told)
  return 0
}
