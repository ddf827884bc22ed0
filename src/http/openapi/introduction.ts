import { newestApiVersion } from '../versions.ts'

export type Guide = { name: string; title: string; file: string; about: string }

/** The guides, in the order of a first integration. Each is a page of docs/, which /docs/guides shows. */
export const guides: readonly Guide[] = [
  { name: 'quickstart', title: 'Quickstart', file: 'quickstart.md', about: 'try the whole API with curl' },
  { name: 'verification', title: 'Verification', file: 'verification.md', about: 'how customers are approved' },
  { name: 'accounts', title: 'Payment accounts', file: 'payment-accounts.md', about: 'bank accounts and wallets' },
  { name: 'money', title: 'Money', file: 'transactions.md', about: 'from an accepted quote to delivered funds' },
  { name: 'rules', title: 'Automation rules', file: 'automation-rules.md', about: 'payments that start by themselves' },
  { name: 'webhooks', title: 'Webhooks', file: 'webhooks.md', about: 'receive events and check their signatures' },
  { name: 'events', title: 'Events', file: 'events.md', about: 'every event type with its payload' },
  { name: 'errors', title: 'Errors', file: 'errors.md', about: 'what each refusal means, and what to do' },
  { name: 'going-live', title: 'Going live', file: 'going-live.md', about: 'from the sandbox to production' },
]

/** The first page of the document. */
export const introduction = [
  'Moves value between bank rails and crypto networks for the end customers of an integrator.',
  'New here? Start with the [quickstart](/docs/guides/quickstart). The [guides](/docs/guides) explain the rest, and the ' +
    '[event catalog](/docs/guides/events#event-catalog) shows what each event carries.',
  'Amounts are decimal strings. Times are ISO 8601 in UTC. Ids are opaque strings.',
  `Every answer carries \`x-request-id\`; \`x-api-version\` is optional and defaults to ${newestApiVersion}.`,
].join('\n\n')

/** The guides as tags without operations: a reader such as /docs lists them in its sidebar, above the operations. */
export const guideTags = guides.map(({ name, title, about }) => ({
  name: `Guide: ${title}`,
  'x-displayName': title,
  description: `${about.charAt(0).toUpperCase()}${about.slice(1)}. [Read the guide](/docs/guides/${name}).`,
}))
