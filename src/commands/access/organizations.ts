import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { type OrganizationLimits, type OrganizationTerms, type Tier, tiers } from '../../organizations/organization.ts'
import { quoteLifetimeSeconds } from '../../quotes/quote.ts'
import { type Print, readArguments, requireOrganization, withApp } from '../tools.ts'
import { readIps } from './keys.ts'

type Run = (config: Config, log: Logger, print: Print) => Promise<number>

const text = { type: 'string' } as const
const options = {
  parent: text,
  tier: text,
  'requests-per-minute': text,
  'guarantee-per-transaction': text,
  'guarantee-per-organization': text,
  'guarantee-window': text,
  ips: text,
  'own-reviews': text,
  reason: text,
}

/** Finds the command about organizations; undefined when the arguments make no command. */
export function findOrganizationCommand(args: string[]): Run | undefined {
  const { positionals, values } = readArguments(args, options)
  const [verb, subject = '', ...rest] = positionals
  if (verb === 'suspend' || verb === 'resume') return findSuspension(verb, subject, rest, values)
  const terms = readTerms(values)
  if (values.reason !== undefined) return undefined
  if (rest.length > 0 || subject.trim() === '' || !terms) return undefined
  const { tier = 'BUILDER', ...others } = terms
  if (verb === 'create' && Object.keys(others).length === 0) {
    const wanted = { name: subject, tier, parentOrganizationId: values.parent ?? null }
    return (config, log, print) => withApp(config, log, (app) => create(app, print, wanted))
  }
  if (verb !== 'set' || values.parent !== undefined || Object.keys(terms).length === 0) return undefined
  return (config, log, print) => withApp(config, log, (app) => set(app, print, subject, terms))
}

function findSuspension(
  verb: 'suspend' | 'resume',
  organizationId: string,
  rest: readonly string[],
  { reason = '', ...others }: TermTexts,
): Run | undefined {
  if (rest.length > 0 || reason.trim() === '' || Object.keys(others).length > 0) return undefined
  return (config, log, print) =>
    withApp(config, log, async (app) => {
      await requireOrganization(app, organizationId)
      const isChanged = await app.organizations[verb](organizationId, reason)
      if (!isChanged)
        throw new Error(`The organization is ${verb === 'suspend' ? 'suspended already' : 'not suspended'}.`)
      print(verb === 'suspend' ? suspended : 'Resumed. Every process accepts its credentials within a second.')
      return 0
    })
}

const suspended =
  'Suspended, with its children. Within a second no process accepts their credentials. Transactions that exist finish.'

type NewOrganization = { name: string; tier: Tier; parentOrganizationId: string | null }

/** Creates an organization and prints its id. `svc keys create --organization` creates its keys. */
async function create(app: App, print: Print, wanted: NewOrganization): Promise<number> {
  if (wanted.parentOrganizationId !== null) await requireOrganization(app, wanted.parentOrganizationId)
  print((await app.organizations.create(wanted)).organizationId)
  return 0
}

/** Sets terms of an organization. Every process applies them within a second. */
async function set(app: App, print: Print, organizationId: string, terms: OrganizationTerms): Promise<number> {
  await requireOrganization(app, organizationId)
  const { tier, limits, allowedIps } = await app.organizations.setTerms(organizationId, terms)
  const isOwn = await app.organizations.decidesReviews(organizationId)
  const changed = Object.entries(limits).map(([name, value]) => `${name} ${value}`)
  print(`tier ${tier}, limits: ${changed.join(', ') || 'the defaults'}, addresses: ${allowedIps.join(', ') || 'any'}`)
  print(`reviews are decided by ${isOwn ? 'the organization and the platform' : 'the platform alone'}`)
  return 0
}

type TermTexts = Partial<Record<keyof typeof options, string>>

/** Reads the terms on the command line; undefined if one is invalid. */
function readTerms(values: TermTexts): OrganizationTerms | undefined {
  const limits = readLimits(values)
  const tier = tiers.find((each) => each === values.tier)
  const ownReviews = values['own-reviews']
  if (!limits || (values.tier !== undefined && !tier) || !/^(yes|no)$/.test(ownReviews ?? 'no')) return undefined
  return {
    ...(tier ? { tier } : {}),
    ...limits,
    ...(ownReviews === undefined ? {} : { decidesReviews: ownReviews === 'yes' }),
    ...(values.ips === undefined ? {} : { allowedIps: values.ips === 'any' ? [] : readIps(values.ips) }),
  }
}

function readLimits(values: TermTexts): OrganizationLimits | undefined {
  const perMinute = values['requests-per-minute']
  const perTransaction = values['guarantee-per-transaction']
  const perOrganization = values['guarantee-per-organization']
  const seconds = values['guarantee-window']
  const areAmounts = [perTransaction, perOrganization].every((each) => /^\d{1,12}(\.\d{1,2})?$/.test(each ?? '0'))
  const isWindow = /^\d{1,8}$/.test(seconds ?? '0') && Number(seconds ?? quoteLifetimeSeconds) >= quoteLifetimeSeconds
  if (!/^\d{1,8}$/.test(perMinute ?? '0') || !areAmounts || !isWindow) return undefined
  return {
    ...(perMinute === undefined ? {} : { requestsPerMinute: Number(perMinute) }),
    ...(perTransaction === undefined ? {} : { guaranteedUSDAmountPerTransaction: perTransaction }),
    ...(perOrganization === undefined ? {} : { guaranteedUSDAmountPerOrganization: perOrganization }),
    ...(seconds === undefined ? {} : { guaranteeWindowSeconds: Number(seconds) }),
  }
}
