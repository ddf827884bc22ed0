import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import { isUuid } from '../../lib/ids.ts'
import { type Print, readArguments, requireOrganization, withApp } from '../tools.ts'

type Run = (config: Config, log: Logger, print: Print) => Promise<number>

const text = { type: 'string' } as const
const options = { organization: text, reason: text }

/** Finds the command about webhooks; undefined when the arguments make no command. */
export function findWebhookCommand(args: string[]): Run | undefined {
  const { positionals, values } = readArguments(args, options)
  const [verb, webhookId, ...rest] = positionals
  const { organization, reason = '' } = values
  if (verb === 'list' && webhookId === undefined && organization !== undefined && values.reason === undefined)
    return (config, log, print) => list(config, log, print, organization)
  const isWhole = webhookId !== undefined && isUuid(webhookId) && rest.length === 0 && reason.trim() !== ''
  if ((verb !== 'disable' && verb !== 'allow') || !isWhole || organization !== undefined) return undefined
  return (config, log, print) =>
    withApp(config, log, async (app) => {
      const { organizationId } = await app.webhookOperator[verb](webhookId.toLowerCase(), reason)
      const told = verb === 'disable' ? 'is disabled: Svc sends nothing more to it' : 'can be enabled by its keys again'
      print(`Webhook ${webhookId} of organization ${organizationId} ${told}.`)
      return 0
    })
}

/** Lists the webhooks of an organization. Of a URL it prints the origin: path and query may be secret. */
function list(config: Config, log: Logger, print: Print, organizationId: string): Promise<number> {
  return withApp(config, log, async (app) => {
    await requireOrganization(app, organizationId)
    const found = await app.webhookOperator.listOf(organizationId)
    for (const { webhookId, url, events, status, disabledReason, makerApiKeyId } of found) {
      const state = disabledReason ? `${status} (${disabledReason})` : status
      const key = makerApiKeyId ? `key ${makerApiKeyId}` : 'without a key'
      print(`${webhookId}  ${state}  ${new URL(url).origin}  ${key}  ${events.join(' ')}`)
    }
    if (found.length === 0) print('There are no webhooks.')
    return 0
  })
}
