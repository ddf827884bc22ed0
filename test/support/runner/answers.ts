import type { Static, TSchema } from 'typebox'
import * as audit from '../../../src/audit/wire.ts'
import type { ruleEvents } from '../../../src/automation-rules/runs/event-wire.ts'
import { PreviewAnswer } from '../../../src/automation-rules/runs/preview-wire.ts'
import * as rules from '../../../src/automation-rules/wire.ts'
import * as credentials from '../../../src/credentials/wire.ts'
import * as customers from '../../../src/customers/wire.ts'
import * as events from '../../../src/events/wire.ts'
import * as operations from '../../../src/http/operations.ts'
import type { ErrorBody } from '../../../src/http/wire.ts'
import * as ledger from '../../../src/ledger/wire.ts'
import * as organizations from '../../../src/organizations/wire.ts'
import * as accounts from '../../../src/payment-accounts/wire.ts'
import * as policies from '../../../src/policies/wire.ts'
import * as quotes from '../../../src/quotes/wire.ts'
import * as reviews from '../../../src/reviews/wire.ts'
import * as sandboxBank from '../../../src/sandbox/bank/wire.ts'
import * as chains from '../../../src/sandbox/chain-routes.ts'
import * as inboxes from '../../../src/sandbox/inbox/wire.ts'
import * as sandbox from '../../../src/sandbox/routes.ts'
import { SentDeposit } from '../../../src/sandbox/transaction-routes.ts'
import { ApprovalAnswer, ApprovalPage } from '../../../src/transactions/approvals/wire.ts'
import { BankChangeAnswer, BankChangePage } from '../../../src/transactions/bank-files/changes/wire.ts'
import { BankFilePage } from '../../../src/transactions/bank-files/wire.ts'
import * as deposits from '../../../src/transactions/deposits/wire.ts'
import { DeveloperFeesAnswer, FeeReceiverAnswer } from '../../../src/transactions/developer-fees/wire.ts'
import * as disbursements from '../../../src/transactions/disbursements/wire.ts'
import * as reconciliation from '../../../src/transactions/reconciliation/wire.ts'
import * as transactions from '../../../src/transactions/wire.ts'
import { CallbackReceived } from '../../../src/verification/provider/wire.ts'
import type { webhookEvents } from '../../../src/webhooks/event-wire.ts'
import * as webhooks from '../../../src/webhooks/wire.ts'

/** The answer schema of each operation. test/contracts/answers.test.ts compares it with the routes. */
export const answers = {
  'GET /organizations': organizations.OrganizationPage,
  'GET /organizations/{organizationId}': organizations.OrganizationAnswer,
  'PATCH /organizations/{organizationId}': organizations.OrganizationAnswer,
  'POST /api-keys': credentials.CreatedApiKeyAnswer,
  'GET /api-keys': credentials.ApiKeyPage,
  'DELETE /api-keys/{apiKeyId}': credentials.RevokedApiKeyAnswer,
  'POST /api-keys/{apiKeyId}/roll': credentials.RolledApiKeyAnswer,
  'POST /auth/token': credentials.TokenAnswer,
  'GET /.well-known/jwks.json': credentials.Jwks,
  'GET /events': events.EventPage,
  'GET /events/stream': events.StreamText,
  'GET /events/{eventId}': events.EventAnswer,
  'POST /webhooks': webhooks.WebhookWithSecretAnswer,
  'GET /webhooks': webhooks.WebhookPage,
  'GET /webhooks/{webhookId}': webhooks.WebhookAnswer,
  'PATCH /webhooks/{webhookId}': webhooks.WebhookAnswer,
  'DELETE /webhooks/{webhookId}': webhooks.WebhookAnswer,
  'POST /webhooks/{webhookId}/rotate-secret': webhooks.WebhookWithSecretAnswer,
  'POST /webhooks/{webhookId}/test': webhooks.WebhookTestAnswer,
  'GET /webhooks/{webhookId}/deliveries': webhooks.DeliveryPage,
  'GET /webhook-deliveries/{deliveryId}': webhooks.DeliveryAnswer,
  'POST /webhook-deliveries/{deliveryId}/retry': webhooks.DeliveryAnswer,
  'POST /events/{eventId}/replay': webhooks.ReplayedEventAnswer,
  'POST /events/replay': webhooks.ReplayedRangeAnswer,
  'POST /customers': customers.CustomerAnswer,
  'GET /customers': customers.CustomerPage,
  'GET /customers/{customerId}': customers.CustomerAnswer,
  'PATCH /customers/{customerId}': customers.CustomerAnswer,
  'GET /customer/{customerId}': customers.CustomerAnswer,
  'POST /customers/{customerId}/deactivate': customers.CustomerAnswer,
  'POST /customers/{customerId}/reactivate': customers.CustomerAnswer,
  'POST /customers/{customerId}/verification-link/revoke': customers.CustomerAnswer,
  'POST /customers/{customerId}/erase': customers.CustomerAnswer,
  'POST /verification/callbacks': CallbackReceived,
  'GET /reviews': reviews.ReviewPage,
  'GET /reviews/{customerId}': reviews.ReviewAnswer,
  'GET /reviews/{customerId}/documents/{n}': reviews.DocumentFile,
  'POST /reviews/{customerId}/claim': reviews.ReviewAnswer,
  'POST /reviews/{customerId}/release': reviews.ReviewAnswer,
  'POST /reviews/{customerId}/decision': reviews.ReviewAnswer,
  'POST /payment-accounts': accounts.PaymentAccountAnswer,
  'GET /payment-accounts': accounts.PaymentAccountPage,
  'GET /payment-accounts/{paymentAccountId}': accounts.PaymentAccountAnswer,
  'DELETE /payment-accounts/{paymentAccountId}': accounts.PaymentAccountAnswer,
  'POST /payment-accounts/{paymentAccountId}/form-link/revoke': accounts.PaymentAccountAnswer,
  'GET /payment-accounts/{paymentAccountId}/balance': accounts.BalanceAnswer,
  'GET /payment-accounts/{paymentAccountId}/balances': accounts.BalancesAnswer,
  'GET /payment-accounts/{paymentAccountId}/entries': accounts.EntryPage,
  'POST /quotes': quotes.QuoteAnswer,
  'GET /quotes': quotes.QuotePage,
  'GET /quotes/{quoteId}': quotes.StoredQuoteAnswer,
  'GET /quotes/{quoteId}/explain': quotes.ExplainAnswer,
  'GET /exchange-rates': quotes.ExchangeRateAnswer,
  'GET /policies': policies.PolicyAnswer,
  'PUT /policies': policies.PolicyAnswer,
  'POST /policies/preview': policies.PreviewAnswer,
  'POST /transactions': transactions.TransactionAnswer,
  'GET /transactions': transactions.TransactionPage,
  'GET /transactions/{transactionId}': transactions.TransactionAnswer,
  'GET /transactions/{transactionId}/timeline': transactions.TimelineAnswer,
  'GET /transactions/{transactionId}/ledger-entries': transactions.LedgerEntriesAnswer,
  'POST /transactions/{transactionId}/cancel': transactions.TransactionAnswer,
  'POST /transactions/{transactionId}/transfer-link/revoke': transactions.TransactionAnswer,
  'POST /transactions/{transactionId}/resolve': transactions.TransactionAnswer,
  'GET /deposits': deposits.DepositPage,
  'GET /deposits/{depositId}': deposits.DepositAnswer,
  'GET /deposits/{depositId}/sender': deposits.DepositSender,
  'POST /deposits/{depositId}/resolve': deposits.DepositAnswer,
  'POST /deposits/{depositId}/recall': deposits.DepositAnswer,
  'GET /customers/{customerId}/returned-funds': disbursements.ReturnedFundsAnswer,
  'POST /customers/{customerId}/disbursements': disbursements.DisbursementAnswer,
  'GET /customers/{customerId}/disbursements': disbursements.DisbursementPage,
  'GET /customers/{customerId}/disbursements/{disbursementId}': disbursements.DisbursementAnswer,
  'POST /customers/{customerId}/disbursements/{disbursementId}/cancel': disbursements.DisbursementAnswer,
  'POST /automation-rules': rules.RuleAnswer,
  'GET /automation-rules': rules.RulePage,
  'POST /automation-rules/preview': PreviewAnswer,
  'GET /automation-rules/{ruleId}': rules.RuleAnswer,
  'PUT /automation-rules/{ruleId}': rules.RuleAnswer,
  'DELETE /automation-rules/{ruleId}': rules.RuleAnswer,
  'POST /automation-rules/{ruleId}/pause': rules.RuleAnswer,
  'POST /automation-rules/{ruleId}/resume': rules.RuleAnswer,
  'GET /automation-rules/{ruleId}/runs': rules.RunPage,
  'GET /audit': audit.AuditPage,
  'GET /ledger/check': ledger.LedgerCheckAnswer,
  'GET /bank-files': BankFilePage,
  'GET /reconciliation': reconciliation.ReconciliationAnswer,
  'GET /reconciliation/statement.csv': reconciliation.StatementCsv,
  'GET /reconciliation/statement.xml': reconciliation.StatementXml,
  'GET /approvals': ApprovalPage,
  'GET /approvals/{approvalId}': ApprovalAnswer,
  'POST /approvals/{approvalId}/decision': ApprovalAnswer,
  'GET /bank-changes': BankChangePage,
  'GET /developer-fees': DeveloperFeesAnswer,
  'PUT /developer-fees/receiver': FeeReceiverAnswer,
  'POST /developer-fees/payouts': disbursements.DisbursementAnswer,
  'POST /bank-changes/{bankChangeId}/decision': BankChangeAnswer,
  'POST /sandbox/bank/deposits': sandboxBank.SentBankDeposit,
  'POST /sandbox/bank/returns': transactions.TransactionAnswer,
  'POST /sandbox/bank/recalls': deposits.DepositAnswer,
  'POST /sandbox/bank/statements': sandboxBank.WrittenStatement,
  'GET /sandbox/clock': sandbox.BusinessTime,
  'POST /sandbox/clock': sandbox.BusinessTime,
  'POST /sandbox/customers/{customerId}/verification': customers.CustomerAnswer,
  'GET /sandbox/scenarios': sandbox.Scenarios,
  'POST /sandbox/payment-accounts/{paymentAccountId}/complete': accounts.PaymentAccountAnswer,
  'POST /sandbox/inbox': inboxes.InboxAnswer,
  'GET /sandbox/inbox': inboxes.InboxPage,
  'PATCH /sandbox/inbox/{inboxId}': inboxes.InboxAnswer,
  'DELETE /sandbox/inbox/{inboxId}': inboxes.InboxAnswer,
  'GET /sandbox/inbox/{inboxId}/requests': inboxes.InboxRequestPage,
  'POST /sandbox/receive/{inboxToken}': inboxes.Received,
  'POST /sandbox/deposits/{depositId}/reverse': deposits.DepositAnswer,
  'POST /sandbox/payment-accounts/{paymentAccountId}/deposits': SentDeposit,
  'POST /sandbox/transactions/{transactionId}/advance': transactions.TransactionAnswer,
  'POST /sandbox/transactions/{transactionId}/return': transactions.TransactionAnswer,
  'GET /sandbox/chains': chains.SandboxChainList,
  'POST /sandbox/chains/{network}/mine': chains.SandboxChainAnswer,
  'POST /sandbox/chains/{network}/reorg': chains.SandboxChainAnswer,
  'POST /sandbox/chains/{network}/pause': chains.SandboxChainAnswer,
  'POST /sandbox/chains/{network}/resume': chains.SandboxChainAnswer,
  'POST /sandbox/chains/{network}/fees': chains.SandboxChainAnswer,
  'POST /sandbox/chains/{network}/fault': chains.SandboxChainAnswer,
  'POST /sandbox/chains/{network}/faucet': chains.FaucetGift,
  'GET /readyz': operations.Ready,
  'GET /version': operations.Version,
  'GET /changelog': operations.Changelog,
  'GET /metrics': operations.MetricsText,
} satisfies Record<string, TSchema>

type Operation = keyof typeof answers

/** The body of an operation's answer, by its method and path. */
export type BodyOf<Of extends Operation> = Bodies[Shape<Of>]

type Page<Name extends string, Item> = Record<Name, Item[]> & { nextPageToken: string }

type Payloads = typeof customers.customerEvents &
  typeof accounts.paymentAccountEvents &
  typeof transactions.transactionEvents &
  typeof deposits.depositEvents &
  typeof ruleEvents &
  typeof webhookEvents

/** An event with the resource that its type carries. */
export type Event = Omit<Static<typeof events.EventAnswer>, 'data'> & {
  data: Static<Payloads[keyof Payloads]['schema']>
}

/** Answers by method and path, with {} for each parameter. */
type Bodies = {
  [Each in Operation as Shape<Each>]: Each extends 'GET /events'
    ? Page<'events', Event>
    : Each extends 'GET /events/{eventId}'
      ? Event
      : Static<(typeof answers)[Each]>
}

type Shape<Text extends string> = Text extends `${infer Before}{${string}}${infer After}`
  ? `${Before}{}${Shape<After>}`
  : Text

/** The body that a call reads, by the operation it names. The fields are absent when the service refuses. */
export type AnswerTo<Method extends string, Path extends string> = `${Method} ${PathShape<Path>}` extends infer Called
  ? Called extends keyof Bodies
    ? Bodies[Called]
    : UnknownBody
  : never

/** The body of an answer to a path whose operation its type does not name, such as a variable. */
export type UnknownBody = { [field: string]: unknown }

export type ErrorFields = Partial<ErrorBody>

type PathShape<Path extends string> = Path extends `${infer Before}?${string}` ? Segments<Before> : Segments<Path>

type Segments<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${Segment<First>}/${Segments<Rest>}`
  : Segment<Path>

type Segment<Text extends string> = string extends Text ? '{}' : Text
