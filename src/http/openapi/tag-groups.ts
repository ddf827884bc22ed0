/**
 * The tags in the order in which an integrator meets them, with the operations of operators and of the sandbox apart.
 * Pages that show the document read the groups as `x-tagGroups`.
 */
export const tagGroups: readonly { name: string; tags: readonly string[] }[] = [
  {
    name: 'Payments',
    tags: ['Customers', 'Payment accounts', 'Quotes', 'Transactions', 'Deposits', 'Automation rules'],
  },
  { name: 'Notifications', tags: ['Webhooks', 'Events'] },
  { name: 'Access', tags: ['Organizations', 'API keys', 'Tokens', 'Policies', 'Approvals'] },
  { name: 'Sandbox', tags: ['Sandbox', 'Sandbox bank', 'Sandbox inbox'] },
  {
    name: 'For operators',
    tags: [
      'Reviews',
      'Decisions',
      'Disbursements',
      'Bank files',
      'Reconciliation',
      'Ledger',
      'Audit log',
      'Verification provider',
    ],
  },
  { name: 'Service', tags: ['Service'] },
]

const order = tagGroups.flatMap(({ tags }) => tags)

/** Orders tags, and the routes that carry them. A tag outside the groups comes last. */
export function rankOf(tag: string): number {
  const at = order.indexOf(tag)
  return at < 0 ? order.length : at
}

/** The groups of the tags that the document has. */
export function groupTags(tags: readonly string[]): { name: string; tags: string[] }[] {
  const others = tags.filter((tag) => !order.includes(tag))
  return [...tagGroups, { name: 'More', tags: others }]
    .map(({ name, tags: members }) => ({ name, tags: members.filter((tag) => tags.includes(tag)) }))
    .filter(({ tags: members }) => members.length > 0)
}
