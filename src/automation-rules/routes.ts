import { answerRows } from '../http/bodies/json-rows.ts'
import { type Route, route } from '../http/route.ts'
import { CreateRuleBody, PreviewRuleBody, ReplaceRuleBody } from './request-wire.ts'
import type { PreviewService } from './runs/preview-service.ts'
import { PreviewAnswer } from './runs/preview-wire.ts'
import type { RuleService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Automation rules'
const params = wire.RuleParams
const rulePath = '/automation-rules/{ruleId}'
const ruleAnswer = { status: 200, description: 'The rule', schema: wire.RuleAnswer } as const

export function automationRuleRoutes(rules: RuleService, previews: PreviewService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/automation-rules',
      access: 'automation_rules:write',
      tag,
      summary: 'Create an automation rule',
      description:
        'The rule moves money from a service wallet of a customer, on a schedule or when the balance reaches a ' +
        'threshold. The customer need not be ACTIVE yet: until then the rule skips its runs. Each run creates a quote ' +
        'and a transaction like any other.',
      body: CreateRuleBody,
      refusals: ['NOT_FOUND', 'CONFLICT', 'EXTERNAL_ID_ALREADY_USED'],
      echoes: ['metadata'],
      answer: ruleAnswer,
      handle: ({ caller, inspectBody, once }) => once((tx) => rules.create(tx, caller, inspectBody())),
    }),
    route({
      method: 'GET',
      path: '/automation-rules',
      access: 'automation_rules:read',
      work: { unitsOfAll: 10, isFiltered: true },
      tag,
      summary: 'List automation rules',
      description: 'Newest first: all rules that match, or one page of them if you send pageSize.',
      query: wire.RuleQuery,
      answer: { status: 200, description: 'The rules', schema: wire.RulePage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        if (pageSize === undefined && !pageToken)
          return answerRows('automationRules', rules.listAll(caller, filter), { nextPageToken: '' })
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await rules.list(caller, filter, page)
        return { automationRules: items, nextPageToken }
      },
    }),
    route({
      method: 'POST',
      path: '/automation-rules/preview',
      access: 'automation_rules:read',
      work: { units: 5 },
      tag,
      summary: 'Preview an automation rule',
      description:
        'Takes the body of POST /automation-rules and stores nothing. The answer describes when the rule fires ' +
        'and how much each run would move if only the rules of this wallet took money from it, and warns of problems.',
      body: PreviewRuleBody,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: { status: 200, description: 'The preview', schema: PreviewAnswer },
      handle: ({ caller, inspectBody, once }) =>
        once(
          async (_tx, preview: Awaited<ReturnType<PreviewService['preview']>>) => preview,
          () => previews.preview(caller, inspectBody()),
        ),
    }),
    route({
      method: 'GET',
      path: rulePath,
      access: 'automation_rules:read',
      tag,
      params,
      summary: 'Read one automation rule',
      answer: ruleAnswer,
      handle: ({ caller, params: { ruleId } }) => rules.read(caller, ruleId),
    }),
    route({
      method: 'PUT',
      path: rulePath,
      access: 'automation_rules:write',
      tag,
      params,
      summary: 'Change the destination, amount or developer fee of a rule',
      description:
        'Send the whole rule, for example as you read it. The other fields must stay the same. A run that has not ' +
        'created its transaction yet follows the new terms.',
      body: ReplaceRuleBody,
      refusals: ['CONFLICT', 'EXTERNAL_ID_ALREADY_USED'],
      answer: ruleAnswer,
      handle: ({ caller, params: { ruleId }, inspectBody }) => rules.replace(caller, ruleId, inspectBody),
    }),
    route({
      method: 'DELETE',
      path: rulePath,
      access: 'automation_rules:write',
      tag,
      params,
      summary: 'Delete an automation rule',
      description: 'The rule stops firing. It and its runs stay readable by its id.',
      answer: { ...ruleAnswer, description: 'The deleted rule' },
      handle: ({ caller, params: { ruleId } }) => rules.delete(caller, ruleId),
    }),
    ...movingRoutes(rules),
  ]
}

function movingRoutes(rules: RuleService): Route[] {
  return [
    route({
      method: 'POST',
      path: `${rulePath}/pause`,
      access: 'automation_rules:write',
      tag,
      params,
      summary: 'Pause an automation rule',
      description: 'Pausing a PAUSED rule changes nothing.',
      answer: ruleAnswer,
      handle: ({ caller, params: { ruleId }, once }) => once((tx) => rules.pause(tx, caller, ruleId)),
    }),
    route({
      method: 'POST',
      path: `${rulePath}/resume`,
      access: 'automation_rules:write',
      tag,
      params,
      summary: 'Resume an automation rule',
      description:
        'The rule does not catch up on runs missed during the pause. A balance at the threshold fires the rule at once. The ' +
        'request is refused if one of the accounts was deleted during the pause.',
      refusals: ['CONFLICT'],
      answer: ruleAnswer,
      handle: ({ caller, params: { ruleId }, once }) => once((tx) => rules.resume(tx, caller, ruleId)),
    }),
    route({
      method: 'GET',
      path: `${rulePath}/runs`,
      access: 'automation_rules:read',
      tag,
      params,
      summary: 'List the runs of a rule',
      description: 'Newest first, also for a deleted rule.',
      query: wire.RunQuery,
      answer: { status: 200, description: 'One page', schema: wire.RunPage },
      handle: async ({ caller, params: { ruleId }, query: { status, ...page } }) => {
        const { items, nextPageToken } = await rules.listRuns(caller, ruleId, status, page)
        return { runs: items, nextPageToken }
      },
    }),
  ]
}
