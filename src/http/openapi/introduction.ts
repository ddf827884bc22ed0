import { newestApiVersion } from '../versions.ts'

/** The guides, in the order of a first integration: path, heading, and what each is about. */
const guides = [
  ['quickstart', 'Quickstart', 'Try the whole API with curl: a customer, accounts, a quote, a payment.'],
  ['verification', 'Verification', 'How customers are approved, and what to do about verification issues.'],
  ['money', 'Money', 'From an accepted quote to delivered funds, with refunds, returns and late money.'],
  ['webhooks', 'Webhooks', 'Receive [events](/docs/guides/events#event-catalog), check signatures, and retry.'],
  ['rules', 'Rules', 'Payments that start by themselves: on a schedule, or at a balance.'],
  ['errors', 'Errors', 'What each refusal means, and what to do.'],
  ['going-live', 'Going live', 'From the sandbox to production.'],
] as const

/** The first page of the document. */
export const introduction = [
  'Moves value between bank rails and crypto networks for the end customers of an integrator.',
  'Amounts are decimal strings. Times are ISO 8601 in UTC. Ids are opaque strings.',
  `Every answer carries \`x-request-id\`; \`x-api-version\` is optional and defaults to ${newestApiVersion}.`,
].join('\n\n')

/** The guides as tags without operations: a reader such as /docs lists them in its sidebar, above the operations. */
export const guideTags = guides.map(([path, title, about]) => ({
  name: `Guide: ${title}`,
  'x-displayName': title,
  description: `${about} [Read the guide](/docs/guides/${path}).`,
}))
