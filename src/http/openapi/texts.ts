import type { RefusalCode } from '../../lib/refusal.ts'
import { apiVersions } from '../versions.ts'

/** Descriptions of the tags, for integrators who look for an operation. */
export const tagDescriptions: Record<string, string> = {
  Organizations: 'Your own organization and its child organizations.',
  'API keys': 'Credentials of your programs. Each has a name, scopes and optionally an expiry.',
  Tokens: 'Short-lived tokens created from an API key, for programs that should not send the key itself.',
  Customers: 'The people and businesses that you serve, and the data that they submit for verification.',
  'Verification provider': 'Callbacks of the verification provider, in deployments that have one.',
  Reviews: 'Decisions for reviewers: doubtful submissions and watch-list matches.',
  'Payment accounts':
    'The bank accounts and wallets that send and receive the money of a customer: external ones and service ones.',
  Transactions: 'Transfers for customers, and their progress.',
  Deposits: 'Incoming money: its purpose, its current state, and deposits that need a decision.',
  Disbursements: 'Money that is kept for a customer, such as returned funds, and its payout by an operator.',
  'Bank files': 'The files that leave for banks and come from them, and why one is in quarantine.',
  'Automation rules': 'Automatic transfers: their triggers, amounts and runs.',
  Quotes: 'The exact price of a transfer, guaranteed for five minutes.',
  Ledger: 'Balances and double-entry postings of all money.',
  Events: 'Every change of a resource, in order, with the resource at that time.',
  Webhooks: 'Your endpoints that receive events, and the deliveries to them.',
  'Sandbox bank': 'The bank of the sandbox, which exchanges files with Svc as real banks do.',
  'Sandbox inbox': 'A webhook receiver that shows each request and whether its signature is valid.',
  Sandbox: 'Sandbox operations that control time, banks and chains, so that tests need not wait.',
  Service: 'Health, metrics, version and changelog of the service.',
}

/** Example messages of the refusals. */
export const exampleMessages: Record<RefusalCode, string> = {
  BAD_REQUEST: `must be one of ${apiVersions.join(', ')}`,
  PATCH_NOT_ALLOWED: 'Data can be submitted only in CREATED and NEEDS_ADDITIONAL_INFORMATION',
  UNAUTHORIZED: 'Send a valid credential: Authorization: Bearer <API key or token>',
  FORBIDDEN: 'This credential lacks the scope customers:write',
  SANDBOX_ONLY: 'This operation exists only in the sandbox',
  CUSTOMER_NOT_ACTIVE: 'The customer is UNDER_REVIEW, and must be ACTIVE',
  PAYMENT_METHOD_NOT_AVAILABLE: 'The customer may not use ACH',
  NOT_FOUND: 'No resource has this id or path',
  METHOD_NOT_ALLOWED: 'PUT is not allowed here; use a method of the allow header',
  CONFLICT: 'The resource is in a state that does not allow this',
  DUPLICATE_PAYMENT_ACCOUNT: 'This customer already has this payment account',
  PAYMENT_ACCOUNT_IN_USE: 'The account has a balance',
  GONE: 'This inbox is set to answer with this status',
  CUSTOMER_ERASED: 'The customer was erased, with all documents',
  IDEMPOTENCY_REQUEST_IN_PROGRESS: 'A request with this x-idempotency-key is still running',
  IDEMPOTENCY_KEY_REUSED: 'This x-idempotency-key was used for a different request',
  AMOUNT_BELOW_MINIMUM: 'source.sourceAmount must be at least 0.10 USDC on BASE',
  AMOUNT_ABOVE_MAXIMUM: 'source.sourceAmount must be at most 1000000.00 USD on ACH',
  QUOTE_EXPIRED: 'The quote was valid for five minutes; create a new one',
  QUOTE_ALREADY_USED: 'This quote already has a transaction',
  TRANSACTION_NOT_CANCELLABLE: 'A transaction can be cancelled until its money is on the way',
  INSUFFICIENT_BALANCE: 'The source account has less than this available',
  UNSUPPORTED_ROUTE: 'USD does not move by SEPA',
  RATE_LIMITED: 'The limit is 600 requests per minute; try again after 1 s',
  PAYLOAD_TOO_LARGE: 'The body must have at most 104857600 bytes',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json in UTF-8, uncompressed',
  INTERNAL_ERROR: 'The service failed to process the request; quote the requestId in a support request',
  SERVICE_UNAVAILABLE: 'The database is temporarily unavailable; try again',
}
