import { type Route, route } from '../http/route.ts'
import { CreateRuleBody, PreviewRuleBody, ReplaceRuleBody } from './request-wire.ts'
import type { PreviewService } from './runs/preview-service.ts'
import { PreviewAnswer } from './runs/preview-wire.ts'
import type { RuleService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Automation rules'
const params = wire.RuleParams
const one = '/automation-rules/{ruleId}'
const oneRule = { status: 200, description: 'The rule', schema: wire.RuleAnswer } as const

export function automationRuleRoutes(rules: RuleService, previews: PreviewService): Route[] {
  return [
    route({
      ...({ method: 'POST', path: '/automation-rules', access: 'automation_rules:write', tag } as const),
      summary: 'Move money by itself',
      description:
        'From a service wallet of a customer, on a schedule or when its balance is enough. The customer need not be ' +
        'ACTIVE yet: until then the rule skips. Every run is a quote and a transaction like any other.',
      body: CreateRuleBody,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: oneRule,
      handle: ({ caller, inspectBody, once }) => once((tx) => rules.create(tx, caller, inspectBody())),
    }),
    route({
      ...({ method: 'GET', path: '/automation-rules', access: 'automation_rules:read', tag } as const),
      summary: 'List automation rules',
      description: 'Newest first: all that match, or a page of them when pageSize is given.',
      query: wire.RuleQuery,
      answer: { status: 200, description: 'The rules', schema: wire.RulePage },
      handle: async ({ caller, query: { customerId, sourcePaymentAccountId, ...page } }) => {
        const filter = {
          ...(customerId === undefined ? {} : { customerId }),
          ...(sourcePaymentAccountId === undefined ? {} : { sourcePaymentAccountId }),
        }
        const { items, nextPageToken } = await rules.list(caller, filter, page)
        return { automationRules: items, nextPageToken }
      },
    }),
    route({
      ...({ method: 'POST', path: '/automation-rules/preview', access: 'automation_rules:read', tag } as const),
      summary: 'See what a rule would do',
      description:
        'Takes what POST /automation-rules takes, and stores nothing: when it fires, in words and as instants, what each ' +
        'time would move if nothing but the rules of this wallet took from it, and what is doubtful about it.',
      body: PreviewRuleBody,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: { status: 200, description: 'What it would do', schema: PreviewAnswer },
      handle: ({ caller, inspectBody, once }) =>
        once(
          async (_transaction, shown: Awaited<ReturnType<PreviewService['preview']>>) => shown,
          () => previews.preview(caller, inspectBody()),
        ),
    }),
    route({
      ...({ method: 'GET', path: one, access: 'automation_rules:read', tag, params } as const),
      summary: 'Read one automation rule',
      answer: oneRule,
      handle: ({ caller, params: { ruleId } }) => rules.read(caller, ruleId),
    }),
    route({
      ...({ method: 'PUT', path: one, access: 'automation_rules:write', tag, params } as const),
      summary: 'Change where the money goes, how much it is, or your fee',
      description:
        'Send the whole rule, as it was read if you like. Everything else must stay as it is. A run that has not made its ' +
        'transaction yet is on the new terms.',
      body: ReplaceRuleBody,
      refusals: ['CONFLICT'],
      answer: oneRule,
      handle: ({ caller, params: { ruleId }, inspectBody }) => rules.replace(caller, ruleId, inspectBody),
    }),
    route({
      ...({ method: 'DELETE', path: one, access: 'automation_rules:write', tag, params } as const),
      summary: 'Delete an automation rule',
      description: 'It fires no more. Its runs stay readable.',
      answer: { ...oneRule, description: 'The rule that is gone' },
      handle: ({ caller, params: { ruleId } }) => rules.delete(caller, ruleId),
    }),
    ...movingRoutes(rules),
  ]
}

function movingRoutes(rules: RuleService): Route[] {
  return [
    route({
      ...({ method: 'POST', path: `${one}/pause`, access: 'automation_rules:write', tag, params } as const),
      summary: 'Stop a rule for a while',
      description: 'Asking again is harmless.',
      answer: oneRule,
      handle: ({ caller, params: { ruleId }, once }) => once((tx) => rules.pause(tx, caller, ruleId)),
    }),
    route({
      ...({ method: 'POST', path: `${one}/resume`, access: 'automation_rules:write', tag, params } as const),
      summary: 'Let a rule go on',
      description:
        'From now on: what its schedule named meanwhile is not made up for. A balance that is enough fires it at once. ' +
        'Refused when one of its accounts was deleted meanwhile.',
      refusals: ['CONFLICT'],
      answer: oneRule,
      handle: ({ caller, params: { ruleId }, once }) => once((tx) => rules.resume(tx, caller, ruleId)),
    }),
    route({
      ...({ method: 'GET', path: `${one}/runs`, access: 'automation_rules:read', tag, params } as const),
      summary: 'List what a rule did',
      description: 'Newest first, also of a rule that was deleted.',
      query: wire.RunQuery,
      answer: { status: 200, description: 'One page', schema: wire.RunPage },
      handle: async ({ caller, params: { ruleId }, query: { status, ...page } }) => {
        const { items, nextPageToken } = await rules.listRuns(caller, ruleId, status, page)
        return { runs: items, nextPageToken }
      },
    }),
  ]
}
