import type { Route } from '../route.ts'

type Operation = Pick<Route, 'method' | 'path'>

/** Names that the grammar below would write otherwise than a person. */
const names: Readonly<Record<string, string>> = {
  'POST /auth/token': 'createToken',
  'GET /.well-known/jwks.json': 'listTokenKeys',
  'GET /customer/{customerId}': 'getCustomerById',
  'DELETE /api-keys/{apiKeyId}': 'revokeApiKey',
  'POST /deposits/{depositId}/recall': 'answerDepositRecall',
  'GET /events/stream': 'streamEvents',
  'POST /events/{eventId}/replay': 'replayEvent',
  'POST /events/replay': 'replayEvents',
  'POST /webhooks/{webhookId}/rotate-secret': 'rotateWebhookSecret',
  'POST /verification/callbacks': 'receiveVerificationCallback',
  'GET /reviews/{customerId}/documents/{n}': 'getReviewDocument',
  'POST /automation-rules/preview': 'previewAutomationRule',
  'POST /policies/preview': 'previewPolicy',
  'GET /audit': 'listAuditEntries',
  'GET /ledger/check': 'checkLedger',
  'GET /developer-fees': 'getDeveloperFees',
  'PUT /developer-fees/receiver': 'setDeveloperFeeReceiver',
  'POST /developer-fees/payouts': 'payOutDeveloperFees',
  'GET /exchange-rates': 'getExchangeRate',
  'GET /quotes/{quoteId}/explain': 'explainQuote',
  'GET /customers/{customerId}/returned-funds': 'getReturnedFunds',
  'GET /reconciliation': 'getReconciliation',
  'GET /reconciliation/statement.csv': 'getStatementAsCsv',
  'GET /reconciliation/statement.xml': 'getStatementAsXml',
  'POST /sandbox/clock': 'moveSandboxClock',
  'POST /sandbox/customers/{customerId}/verification': 'decideSandboxVerification',
  'GET /sandbox/inbox': 'listSandboxInboxes',
  'POST /sandbox/receive/{inboxToken}': 'sendToSandboxInbox',
  'POST /sandbox/payment-accounts/{paymentAccountId}/deposits': 'sendSandboxDeposit',
  'POST /sandbox/bank/deposits': 'sendSandboxBankDeposit',
  'POST /sandbox/bank/returns': 'returnBySandboxBank',
  'POST /sandbox/bank/recalls': 'recallBySandboxBank',
  'POST /sandbox/bank/statements': 'writeSandboxBankStatement',
  'POST /sandbox/chains/{network}/mine': 'mineSandboxBlocks',
  'POST /sandbox/chains/{network}/fees': 'setSandboxChainFees',
  'POST /sandbox/chains/{network}/fault': 'causeSandboxChainFault',
  'POST /sandbox/chains/{network}/faucet': 'askSandboxFaucet',
  'GET /livez': 'getLiveness',
  'GET /metrics': 'getMetrics',
  'GET /readyz': 'getReadiness',
  'GET /openapi.json': 'getOpenapiDocument',
}

/**
 * Names an operation as its callers would: listTransactions, createCustomer, resolveDeposit. A noun is the last
 * collection of the path, a verb its last word: `POST /deposits/{depositId}/resolve`. Ids are part of generated clients:
 * a name never changes once released.
 */
export function operationId({ method, path }: Operation): string {
  const known = names[`${method} ${path}`]
  if (known) return known
  const isSandbox = path.startsWith('/sandbox/')
  const parts = path.split('/').filter((part) => part !== '' && part !== 'sandbox')
  const nameOf = (words: string) => (isSandbox ? 'Sandbox' : '') + words
  const last = parts.at(-1) ?? ''
  const owner = singular(pascal(parts.findLast((_, at) => parts[at + 1]?.startsWith('{')) ?? ''))
  if (last.startsWith('{')) return verbs[method] + nameOf(owner)
  if (method === 'GET' && isPlural(last)) return `list${nameOf(nested(owner, pascal(last)))}`
  if (method === 'GET') return `get${nameOf(owner + pascal(last))}`
  if (isPlural(last) || owner === '') return verbs[method] + nameOf(singular(pascal(last)))
  // /customers/{customerId}/verification-link/revoke acts on a part of the customer.
  const part = parts.at(-2)?.startsWith('{') ? '' : pascal(parts.at(-2) ?? '')
  return camel(actions[last] ?? last) + nameOf(owner + part)
}

const verbs: Record<Route['method'], string> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
}

/** Last words that are nouns where a name has a verb. */
const actions: Readonly<Record<string, string>> = { decision: 'decide', reorg: 'reorganize' }

/** Collections whose name alone does not tell whose they are. */
const needOwner = new Set(['Entries', 'Balances', 'LedgerEntries', 'Runs', 'Deliveries', 'Requests'])

function nested(owner: string, collection: string): string {
  return needOwner.has(collection) ? owner + collection : collection
}

function isPlural(word: string): boolean {
  return word.endsWith('s') && !word.endsWith('ss')
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return isPlural(word) ? word.slice(0, -1) : word
}

function pascal(words: string): string {
  return words
    .split(/[-_.]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function camel(words: string): string {
  const name = pascal(words)
  return name.charAt(0).toLowerCase() + name.slice(1)
}
