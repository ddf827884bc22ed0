import { type Route, route } from '../http/route.ts'
import type { WrittenRule } from './policy.ts'
import type { PolicyPreviewService } from './preview-service.ts'
import type { PolicyService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Policies'
const answer = { status: 200, description: 'The policy', schema: wire.PolicyAnswer } as const

export function policyRoutes(policies: PolicyService, previews: PolicyPreviewService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/policies',
      access: 'policies:read',
      tag,
      summary: 'Read the policy for money that leaves',
      query: wire.PolicyQuery,
      refusals: ['NOT_FOUND'],
      answer,
      handle: async ({ caller, query }) => {
        return wire.presentPolicy(await policies.read(caller, query.organizationId))
      },
    }),
    route({
      method: 'PUT',
      path: '/policies',
      access: 'policies:write',
      tag,
      summary: 'Replace the policy for money that leaves',
      description:
        'Applies to every payment that is asked for afterwards. A rule that keeps its ruleId, kind and per keeps what ' +
        'it has counted; a new rule counts from now on.',
      query: wire.PolicyQuery,
      body: wire.PolicyBody,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer,
      handle: async ({ caller, query, readBody }) => {
        const { rules, version } = readBody()
        const change = { rules: rules as WrittenRule[], ...(version === undefined ? {} : { version }) }
        return wire.presentPolicy(await policies.replace(caller, query.organizationId, change))
      },
    }),
    route({
      method: 'POST',
      path: '/policies/preview',
      access: 'policies:read',
      tag,
      summary: 'Preview what the policy does to a payment',
      description:
        'Answers with the rules that apply to the payment, and changes nothing. A payment to a service wallet does not ' +
        'leave: no rule applies to it.',
      body: wire.PreviewBody,
      refusals: ['NOT_FOUND'],
      answer: { status: 200, description: 'What would happen', schema: wire.PreviewAnswer },
      handle: ({ caller, readBody, once }) =>
        once(
          async (_tx, preview: Awaited<ReturnType<PolicyPreviewService['preview']>>) => preview,
          () => previews.preview(caller, readBody()),
        ),
    }),
  ]
}
