import { deriveKey } from '../encryption/deployment-secrets.ts'
import { createBankFormService } from '../forms/bank-account/service.ts'
import { createPayService } from '../forms/pay/service.ts'
import { createFormService } from '../forms/service.ts'
import type { Caller } from '../lib/caller.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import { createSandboxVerificationService } from '../sandbox/verification.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { CustomerServices } from './customer-services.ts'
import type { Deps } from './deps.ts'

/** Creates the services of the hosted forms. In the sandbox a ribbon can decide a verification. */
export function createFormServices(
  { config, database, audit, secret, log }: Deps,
  { customers, verification, reviews, transactions }: CustomerServices & { transactions: TransactionService },
  accounts: PaymentAccountService,
) {
  const sandbox = createSandboxVerificationService({ customers, verification, reviews, audit })
  const forms = createFormService({
    database,
    customers,
    ...(config.environment === 'sandbox'
      ? {
          decideInSandbox: async (opened, decision) => {
            const caller = callerOf(opened.customer.organizationId)
            await database.inTx((tx) => sandbox.decide(tx, caller, opened, () => decision))
          },
        }
      : {}),
  })
  const bankForms = createBankFormService({
    database,
    audit,
    accounts,
    customers,
    isSandbox: config.environment === 'sandbox',
  })
  const pay = createPayService({
    transactions,
    linkKey: deriveKey(secret, 'form links'),
    onError: (error) => log.warn({ err: error }, 'the open pay pages could not be served and continue later'),
  })
  return { forms, bankForms, pay }
}

/** The visitor of a form in the sandbox, as the audit log names it. */
function callerOf(organizationId: string): Caller {
  return {
    organizationId,
    organizationIds: [organizationId],
    tiers: new Map(),
    apiKeyId: 'hosted form',
    scopes: new Set(),
    requestsPerMinute: 0,
    isToken: false,
    isReviewer: false,
  }
}
