import { isDeepStrictEqual } from 'node:util'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import { bumpRevision } from '../db/revisions.ts'
import { isWithin, parseIpRange } from '../lib/addresses/ip-range.ts'
import type { Caller } from '../lib/caller.ts'
import { newId, platformOrganizationId } from '../lib/ids.ts'
import type { PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { contrastOf, leastContrast } from './contrast.ts'
import { isPlainAddress } from './logo-address.ts'
import {
  decidesReviews,
  type Environment,
  type Organization,
  type OrganizationChange,
  type OrganizationTerms,
  type Tier,
} from './organization.ts'
import * as store from './store.ts'

export type OrganizationService = ReturnType<typeof createOrganizationService>
export type OrganizationDeps = {
  database: Database
  pages: Pages
  audit: Audit
  environment: Environment
  /** Who acts on the command line. */
  actor: string
  /** Continues the work that waited for the end of a suspension. */
  onResumed(tx: Tx, organizationIds: readonly string[]): Promise<void>
}

export function createOrganizationService(deps: OrganizationDeps) {
  return {
    ...createCallerOperations(deps),
    ...createOperatorOperations(deps),
    ...createPlatformOperations(deps),
  }
}

/** Operations of an API caller on the organizations it acts for. */
function createCallerOperations({ database, pages, audit }: OrganizationDeps) {
  return {
    list: (caller: Caller, request: PageRequest) =>
      pages.read(
        { list: 'organizations', filters: { for: caller.organizationId } },
        request,
        (slice) => store.listOrganizations(database, caller.organizationIds, slice),
        (organization) => organization.organizationId,
      ),

    read: async (caller: Caller, organizationId: string): Promise<Organization> => {
      const id = requireOwn(caller, organizationId)
      return (await store.findOrganization(database, id)) ?? refuse()
    },

    /** Tells what the organization of a hosted form has set about its pages. */
    readLook: async (organizationId: string): Promise<Pick<Organization, 'branding' | 'allowedOrigins'>> =>
      (await store.findOrganization(database, organizationId)) ?? refuse(),

    /** Changes an organization. The caller's own must keep the address that the request came from. */
    change: (
      caller: Caller,
      organizationId: string,
      change: OrganizationChange,
      address: string,
    ): Promise<Organization> =>
      database.inTx(async (tx) => {
        requireReadable(change.branding?.primaryColor)
        requireLogo(change.branding?.logoUrl)
        const id = requireOwn(caller, organizationId)
        if (change.allowedIps) requireAdmin(caller)
        requireRanges(change.allowedIps ?? [], id === caller.organizationId ? address : undefined)
        const { allowedOrigins } = change
        const unique = allowedOrigins ? { allowedOrigins: [...new Set(allowedOrigins)] } : {}
        const before = (await store.lockOrganization(tx, id)) ?? refuse()
        const changed = (await store.changeOrganization(tx, id, { ...change, ...unique })) ?? refuse()
        await audit.append(tx, {
          organizationId: id,
          actor: `api_key:${caller.apiKeyId}`,
          action: 'organization.changed',
          subjectId: id,
          details: { fields: Object.keys(change), changes: describeChanges(before, changed) },
        })
        if (!isDeepStrictEqual(before.allowedIps, changed.allowedIps)) await bumpRevision(tx, 'credentials')
        return changed
      }),
  }
}

const recorded = ['tier', 'limits', 'allowedIps', 'allowedOrigins', 'decidesReviews'] as const

/** Describes the old and the new values of what changed. Name and branding may be about people. */
function describeChanges(before: Organization, after: Organization): object {
  const changed = recorded.filter((name) => !isDeepStrictEqual(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]))
}

/** The list of addresses can lock out every other credential, as only the revocation of their keys can. */
function requireAdmin({ scopes, isToken }: Caller): void {
  if (scopes.has('api_keys:admin') && !isToken) return
  throw new Refusal('FORBIDDEN', 'Changing allowedIps needs an API key, no token, with the scope api_keys:admin')
}

/** Operations of the operator on the command line. */
function createOperatorOperations(deps: OrganizationDeps) {
  const { database, audit, actor } = deps
  return {
    /** Creates an organization. A child has no children of its own, so a parent reads all it acts for in one step. */
    create: (wanted: { name: string; tier: Tier; parentOrganizationId: string | null }): Promise<Organization> =>
      database.inTx(async (tx) => {
        const { parentOrganizationId } = wanted
        if (parentOrganizationId === platformOrganizationId)
          throw new Error('The organization of the platform has no children. Choose another parent.')
        // The lock waits for a suspension of the parent, and keeps it from starting.
        const parent = parentOrganizationId ? await store.lockOrganization(tx, parentOrganizationId) : undefined
        if (parentOrganizationId && !parent) throw new Error(`There is no organization ${parentOrganizationId}.`)
        if (parent?.suspendedAt) throw new Error(`Organization ${parentOrganizationId} is suspended. Resume it first.`)
        if (parent?.parentOrganizationId)
          throw new Error(`Organization ${parentOrganizationId} is a child itself. Choose a parent that is no child.`)
        const organization = await store.insertOrganization(tx, { ...wanted, organizationId: newId() })
        const { organizationId } = organization
        const act = { actor, action: 'organization.created', subjectId: organizationId }
        await audit.append(tx, { organizationId, ...act, details: { tier: wanted.tier } })
        await bumpRevision(tx, 'credentials') // the parent's credentials now act for the child too
        return organization
      }),

    exists: async (organizationId: string): Promise<boolean> =>
      (await store.findOrganization(database, organizationId)) !== undefined,

    /** Creates the first organization of a new deployment, or returns the existing one. */
    ensureFirst: async (tx: Tx): Promise<string> => {
      await store.lockFirstStart(tx)
      const existing = await store.findFirstOrganization(tx)
      if (existing) return existing.organizationId
      const first = {
        organizationId: newId(),
        parentOrganizationId: null,
        name: 'My organization',
        tier: 'BUILDER' as const,
      }
      const { organizationId } = await store.insertOrganization(tx, first)
      const act = { actor, action: 'organization.created', subjectId: organizationId }
      await audit.append(tx, { organizationId, ...act })
      return organizationId
    },

    /** Creates the organization of the platform, so that it can have keys. It has no customers. */
    ensurePlatform: async (tx: Tx): Promise<void> => {
      await store.lockFirstStart(tx)
      const organizationId = platformOrganizationId
      if (await store.findOrganization(tx, organizationId)) return
      await store.insertOrganization(tx, {
        organizationId,
        parentOrganizationId: null,
        name: 'Platform',
        tier: 'BUILDER',
      })
      const act = { actor, action: 'organization.created', subjectId: organizationId }
      await audit.append(tx, { organizationId, ...act })
    },
  }
}

/** Operations of the operator above the organizations: their suspension, and what the platform decides for them. */
function createPlatformOperations(deps: OrganizationDeps) {
  const { database, audit, actor, environment } = deps
  return {
    /** Sets the tier, and limits that differ from the defaults. */
    setTerms: (organizationId: string, terms: OrganizationTerms): Promise<Organization> =>
      database.inTx(async (tx) => {
        const before = (await store.lockOrganization(tx, organizationId)) ?? refuse()
        const changed = (await store.setTerms(tx, organizationId, terms)) ?? refuse()
        const act = { actor, action: 'organization.terms_set', subjectId: organizationId }
        await audit.append(tx, {
          organizationId,
          ...act,
          details: { ...terms, changes: describeChanges(before, changed) },
        })
        await bumpRevision(tx, 'credentials')
        return changed
      }),

    /**
     * Suspends an organization and its children: within a second no credential of them is accepted, no rule fires, no
     * form opens, and money that arrives is held. Money in flight finishes. False when it was suspended before.
     */
    suspend: (organizationId: string, reason: string): Promise<boolean> =>
      changeSuspension(deps, organizationId, { reason, action: 'organization.suspended' }, store.suspendWithChildren),

    /** Resumes an organization and the children that were suspended with it. False when it was not suspended. */
    resume: (organizationId: string, reason: string): Promise<boolean> =>
      changeSuspension(deps, organizationId, { reason, action: 'organization.resumed' }, store.resumeWithChildren),

    isSuspended: async (organizationId: string, within: Queryable = database): Promise<boolean> =>
      (await store.findOrganization(within, organizationId))?.suspendedAt != null,

    /** Tells whether keys of the organization decide its reviews. In production the platform does, unless it says so. */
    decidesReviews: async (organizationId: string, within: Queryable = database): Promise<boolean> => {
      const found = await store.findOrganization(within, organizationId)
      return found !== undefined && decidesReviews(found, environment)
    },

    /** Lists the organizations that the platform decides for. */
    listIds: (): Promise<string[]> => store.listOrganizationIds(database),
  }
}

async function changeSuspension(
  { database, audit, actor, onResumed }: OrganizationDeps,
  organizationId: string,
  { action, reason }: { action: string; reason: string },
  change: (tx: Tx, organizationId: string) => Promise<Organization[]>,
): Promise<boolean> {
  if (organizationId === platformOrganizationId)
    throw new Error('The organization of the platform cannot be suspended.')
  return database.inTx(async (tx) => {
    // Waits for a child that is just being created: the change below sees it.
    const found = await store.lockOrganization(tx, organizationId)
    const parent = found?.parentOrganizationId
      ? await store.findOrganization(tx, found.parentOrganizationId)
      : undefined
    if (action === 'organization.resumed' && parent?.suspendedAt)
      throw new Error(`The parent organization ${parent.organizationId} is suspended. Resume it instead.`)
    const changed = await change(tx, organizationId)
    for (const { organizationId: subjectId } of changed)
      await audit.append(tx, {
        organizationId: subjectId,
        actor,
        action,
        subjectId,
        details: { reason },
      })
    const changedIds = changed.map((each) => each.organizationId)
    if (action === 'organization.resumed') await onResumed(tx, changedIds)
    await bumpRevision(tx, 'credentials')
    return changedIds.includes(organizationId.toLowerCase())
  })
}

/** Buttons of the hosted forms have white text on the colour, and their links have the colour on white. */
function requireReadable(color: string | undefined): void {
  const contrast = color === undefined ? leastContrast : contrastOf(color, '#ffffff')
  if (contrast >= leastContrast) return
  const has = (Math.floor(contrast * 10) / 10).toFixed(1)
  const message = `must have a contrast of at least ${leastContrast}:1 with white, and has ${has}:1; choose a darker color`
  throw badField('branding.primaryColor', message)
}

/** Refuses an address that no browser could load, or whose host does not belong into the policy of a page. */
function requireLogo(logoUrl: string | undefined): void {
  if (logoUrl === undefined || isPlainAddress(logoUrl)) return
  throw badField('branding.logoUrl', 'must name a host of letters, digits, dots and hyphens, and a valid port')
}

/** Refuses texts that are no ranges, and a list that would lock the caller out. */
function requireRanges(texts: readonly string[], address: string | undefined): void {
  const ranges = texts.map(parseIpRange)
  const badAt = ranges.indexOf(undefined)
  if (badAt >= 0) throw badField(`allowedIps[${badAt}]`, 'must be an address or a range such as 192.0.2.0/24')
  const own = address === undefined ? undefined : parseIpRange(address)
  if (!own || ranges.length === 0 || ranges.some((range) => range && isWithin(own, range))) return
  throw badField('allowedIps', 'must contain the address of this request: it would lock you out')
}

function requireOwn(caller: Caller, organizationId: string): string {
  const id = organizationId.toLowerCase()
  return caller.organizationIds.includes(id) ? id : refuse()
}

function refuse(): never {
  throw notFound()
}
