import type { RefusalCode } from '../../lib/refusal.ts'
import { apiVersions } from '../versions.ts'

/** In the words of whoever looks for an operation. */
export const tagDescriptions: Record<string, string> = {
  Organizations: 'Who you are here: your own organization and its children.',
  'API keys': 'The credentials of your programs. Each has a name, scopes and maybe an end.',
  Tokens: 'Short-lived tokens made from an API key, for those who would rather not send the key itself.',
  Customers: 'The people and businesses you serve, and what they submit to be verified.',
  'Verification provider': 'How the provider that verifies customers, where a deployment has one, calls back.',
  Reviews: 'What a person has to decide about customers: submissions in doubt, and hits on a watch list.',
  'Payment accounts':
    'Where the money of a customer comes from and goes to: bank accounts and wallets, theirs and ours.',
  Transactions: 'What was promised to a customer, and how far it is.',
  Deposits: 'Money that came in: what it was for, where it is now, and what a person has to decide about.',
  'Automation rules': 'Money that moves by itself: when, how much, and what came of each time.',
  Quotes: 'What a transfer would cost and bring, to the last unit, guaranteed for five minutes.',
  Ledger: 'Where every unit of money is, and the proof of it.',
  Events: 'What has happened, in order, as it was at that moment.',
  Webhooks: 'Addresses of yours that events are sent to, and what came of sending.',
  'Sandbox inbox': 'A receiver for webhooks that shows what arrived, and whether its signature is right.',
  Sandbox: 'Levers that exist in the sandbox only, so that a test need not wait for the world.',
  Service: 'What the people who run the service ask it, and what anybody may read about it.',
}

/** What an example of each refusal says. */
export const exampleMessages: Record<RefusalCode, string> = {
  BAD_REQUEST: `must be one of ${apiVersions.join(', ')}`,
  PATCH_NOT_ALLOWED: 'The data of a customer who is UNDER_REVIEW cannot be changed',
  UNAUTHORIZED: 'A valid credential is needed: Authorization: Bearer <key or token>',
  FORBIDDEN: 'This credential lacks the scope customers:write',
  SANDBOX_ONLY: 'This operation exists in the sandbox only',
  CUSTOMER_NOT_ACTIVE: 'The customer is UNDER_REVIEW, and must be ACTIVE',
  PAYMENT_METHOD_NOT_AVAILABLE: 'The customer may not use ACH',
  NOT_FOUND: 'There is nothing here by that id or path',
  METHOD_NOT_ALLOWED: 'PUT is not possible here',
  CONFLICT: 'The resource is in a state that does not allow this',
  DUPLICATE_PAYMENT_ACCOUNT: 'This customer has this account already',
  PAYMENT_ACCOUNT_IN_USE: 'The account has a balance',
  GONE: 'This inbox was told to answer so',
  IDEMPOTENCY_REQUEST_IN_PROGRESS: 'A request with this x-idempotency-key is still running',
  IDEMPOTENCY_KEY_REUSED: 'This x-idempotency-key was used for a different request',
  AMOUNT_BELOW_MINIMUM: 'source.sourceAmount must be at least 0.10 USDC on BASE',
  AMOUNT_ABOVE_MAXIMUM: 'source.sourceAmount must be at most 1000000.00 USD on ACH',
  QUOTE_EXPIRED: 'The quote was good for five minutes: ask for a new one',
  QUOTE_ALREADY_USED: 'There is a transaction of this quote already',
  TRANSACTION_NOT_CANCELLABLE: 'A transaction can be cancelled until its money is on the way',
  INSUFFICIENT_BALANCE: 'The source account has less than this available',
  UNSUPPORTED_ROUTE: 'USD does not move by SEPA',
  RATE_LIMITED: 'More than 600 requests a minute; try again after 1 s',
  PAYLOAD_TOO_LARGE: 'The body is larger than 104857600 bytes',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json in UTF-8, not compressed',
  INTERNAL_ERROR: 'Something went wrong on our side; the request id helps us find it',
  SERVICE_UNAVAILABLE: 'The database is away for a moment; try again',
}
