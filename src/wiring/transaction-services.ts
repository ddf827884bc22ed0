import { isFiatRail } from '../catalog/currencies.ts'
import type { CustodyService } from '../custody/service.ts'
import { commandActor } from '../db/audit/audit.ts'
import { openDatabase } from '../db/database.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { createTransferLinks } from '../forms/pay/link.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { OrganizationService } from '../organizations/service.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import { createSandboxRails } from '../sandbox/rails.ts'
import { isMagicallyBlocked } from '../sandbox/screening.ts'
import { type AdvanceDeps, createAdvanceService } from '../transactions/advance.ts'
import { type ApprovalDeps, createApprovalService } from '../transactions/approvals/service.ts'
import type { BankExchange } from '../transactions/bank-files/exchange.ts'
import { joinApplied } from '../transactions/bank-files/returns/join.ts'
import { createAutoTransactionService } from '../transactions/deposits/auto-transaction.ts'
import { createRecallService, type RecallDeps } from '../transactions/deposits/recalls/service.ts'
import { createReversalService, type ReversalDeps } from '../transactions/deposits/reversals/service.ts'
import { createSenderService } from '../transactions/deposits/sender.ts'
import { createDepositService } from '../transactions/deposits/service.ts'
import { createQuarantineService } from '../transactions/deposits/sightings/quarantine-service.ts'
import type { SightingKey } from '../transactions/deposits/sightings/sighting.ts'
import { createUnattributedDepositService } from '../transactions/deposits/unattributed.ts'
import { createDeveloperFeeService } from '../transactions/developer-fees/service.ts'
import { createDisbursementService } from '../transactions/disbursements/service.ts'
import { createCollectionService, createReserveSender } from '../transactions/payouts/collections/service.ts'
import { createManualSettlementService } from '../transactions/payouts/manual-settlement.ts'
import { registerRails } from '../transactions/payouts/rail.ts'
import { createUnmatchedReportService } from '../transactions/payouts/reports/unmatched.ts'
import { sealInvariant } from '../transactions/payouts/seal-checks.ts'
import { createPayoutService } from '../transactions/payouts/service.ts'
import { createDepositResolutionService, type DepositResolutionDeps } from '../transactions/resolutions/deposits.ts'
import { createTransactionResolutionService } from '../transactions/resolutions/transactions.ts'
import { createCounterpartyScreeningService } from '../transactions/screening/counterparty.ts'
import { createTransactionService, type TransactionService } from '../transactions/service.ts'
import type { DeliveryLog } from '../transactions/timeline/service.ts'
import { createTreasuryService, type TreasuryService } from '../transactions/treasury/service.ts'
import {
  createBankChanges,
  createBankFileRecords,
  createBankFilesRail,
  createExchange,
  createIncomingFiles,
} from './bank-services.ts'
import { createChainFunding } from './chains/funding.ts'
import type { ChainPayouts } from './chains/payouts.ts'
import type { CustomerServices } from './customer-services.ts'
import type { Deps } from './deps.ts'
import type { QuoteServices } from './quote-services.ts'

type Needed = Pick<CustomerServices, 'customers' | 'verification' | 'reviews' | 'reviewAuthority' | 'screening'> &
  Pick<QuoteServices, 'quotes' | 'quoteDeps'> & {
    ledger: LedgerService
    paymentAccounts: PaymentAccountService
    deliveryLog: DeliveryLog
    custody: CustodyService
    chainPayouts: Pick<ChainPayouts, 'rails'>
    organizations: Pick<OrganizationService, 'isSuspended'>
  }

export function createTransactionServices(deps: Deps, needed: Needed) {
  const { config, log, database, pages, audit, onPoint } = deps
  const { customers, verification, reviewAuthority: authority, ledger, paymentAccounts, quotes, quoteDeps } = needed
  const isSandbox = config.environment === 'sandbox'
  const transactions = createTransactionService(transactionDeps(deps, needed))
  const exchange = createExchange(deps)
  const operatorServices = createOperatorServices(deps, needed, exchange)
  const { rails, closeCounterparty } = createRails(deps, exchange, {
    ...operatorServices,
    transactions,
    chainPayouts: needed.chainPayouts,
  })
  const screening = createCounterpartyScreeningService({
    database,
    customers,
    verification,
    reviews: needed.reviews,
    watchList: needed.screening,
    isMagic: ({ name }) => isSandbox && isMagicallyBlocked(name),
  })
  const { valueNow } = quotes
  const shared = { database, ledger, paymentAccounts, screening, authority, currencyOf: quotes.currencyOf, onPoint }
  const deposits = createDepositServices({
    ...shared,
    valueNow,
    pages,
    customers,
    createAutoTransaction: createAutoTransactionService(quoteDeps),
    isSuspended: needed.organizations.isSuspended,
    onFailure: deps.onJobFailure('deposits', 'a deposit could not be processed and is retried later'),
    onSetFailure: deps.onSetFailure('deposits'),
    ...sightingHooks(deps),
    custody: needed.custody,
  })
  const payouts = createPayoutService({
    ...shared,
    customers,
    rails,
    batchKey: deriveKey(deps.secret, 'payout batches'),
    seals: needed.custody.seals,
    custody: needed.custody,
    onWrongSeal: async ({ payoutId, asset }, problem) => {
      log.error({ payoutId, problem }, 'a payout does not leave: it is not what the signer sealed')
      await ledger.haltAsset(asset, sealInvariant)
    },
    timeoutMs: config.leaseMs / 3,
    sandboxLiquidity: isSandbox ? config.sandboxLiquidity : 0,
    ...createChainFunding(deps, needed),
    onUnmatchedReport: (report) => log.error(report, 'a rail reports a reference that no payout has'),
    onWaiting: (reason, payouts) => log.warn({ reason, payouts }, 'payouts wait'),
    onFailure: deps.onJobFailure('payouts', 'a payout could not be advanced and is retried later'),
  })
  return {
    transactions,
    ...operatorServices,
    transactionResolutions: createTransactionResolutionService({ ...shared, valueNow, customers }),
    approvals: createApprovals(deps, { ledger, customers }),
    disbursements: createDisbursementService({ ...shared, valueNow, pages, customers, audit }),
    isCounterpartyBlocked: screening.isCounterpartyBlocked,
    transactionAdvance: createAdvance(deps, { ...shared, rateNow: quotes.rateNow }),
    ...createDepositDecisions({ ...shared, customers, audit, actor: commandActor(config.operator) }),
    manualSettlements: createManualSettlementService({ ...shared, customers, audit, rails }),
    deposits,
    payouts,
    bankChanges: createBankChanges(deps, { paymentAccounts, customers }),
    developerFees: createDeveloperFeeService({ ...shared, valueNow, customers, audit }),
    bankFiles: createIncomingFiles(deps, exchange, { ...shared, ...operatorServices, customers, deposits, payouts }),
    closeCounterparty,
  }
}

function createAdvance(deps: Deps, needed: Omit<AdvanceDeps, 'onFailure' | 'onSetFailure'>) {
  const onFailure = deps.onJobFailure('transactions', 'a transaction could not be advanced and is retried later')
  return createAdvanceService({ ...needed, onFailure, onSetFailure: deps.onSetFailure('transactions') })
}

function createApprovals(deps: Deps, needed: Pick<ApprovalDeps, 'ledger' | 'customers'>) {
  const { database, pages, audit, onPoint } = deps
  const onFailure = deps.onJobFailure('approvals', 'an approval could not be ended and is retried later')
  return createApprovalService({ ...needed, database, pages, audit, onFailure, onPoint })
}

function transactionDeps({ config, database, pages, audit, secret, processState }: Deps, needed: Needed) {
  const { customers, quotes, paymentAccounts, ledger, deliveryLog } = needed
  const formsUrl = () => config.formsUrl ?? `${processState.baseUrl}/forms`
  const addTransferLink = createTransferLinks(deriveKey(secret, 'form links'), formsUrl)
  const { currencyOf } = quotes
  const own = { database, pages, audit, addTransferLink, currencyOf }
  return { ...own, ledger, deliveryLog, customers, quotes, paymentAccounts }
}

type RailParts = {
  treasury: TreasuryService
  transactions: TransactionService
  chainPayouts: Pick<ChainPayouts, 'rails'>
}

/** The rails of the deployment. Payouts of a network without nodes wait in production; the sandbox simulates it. */
function createRails(
  deps: Deps,
  exchange: BankExchange | undefined,
  { treasury, transactions, chainPayouts }: RailParts,
) {
  const { config } = deps
  const isSandbox = config.environment === 'sandbox'
  const memory = isSandbox ? openDatabase({ ...deps.connection, connections: 2 }) : undefined
  const delaySeconds = config.sandboxPayoutDelaySeconds
  const sourceAmountsOf = transactions.findSourceAmountsOfPayouts
  const served = chainPayouts.rails.flatMap(({ methods }) => methods)
  const simulated = memory ? createSandboxRails({ memory, delaySeconds, sourceAmountsOf, served }) : []
  const bankRail = createBankFilesRail(deps, exchange, treasury)
  const others = simulated.filter(({ methods }) => !methods.some(isFiatRail))
  return {
    rails: registerRails([...chainPayouts.rails, ...(bankRail ? [bankRail, ...others] : simulated)]),
    closeCounterparty: async () => memory?.close(),
  }
}

type OperatorNeeds = { ledger: LedgerService; custody: CustodyService; paymentAccounts: PaymentAccountService }

/** The services of commands: only the operator of the deployment calls them. */
function createOperatorServices(
  deps: Deps,
  { ledger, custody, paymentAccounts }: OperatorNeeds,
  exchange: BankExchange | undefined,
) {
  const { config, database, audit } = deps
  const { operator } = config
  const actor = commandActor(operator)
  return {
    treasury: createTreasuryService({
      database,
      ledger,
      audit,
      operator,
      actor,
      send: createReserveSender({ custody }),
      wasIssued: paymentAccounts.wasIssued,
    }),
    collections: createCollectionService({ database, ledger, audit, actor }),
    quarantinedSightings: createQuarantineService({ database, audit, custody }),
    unmatchedReports: createUnmatchedReportService({ database, audit, actor, joinReport: joinApplied }),
    bankFileRecords: createBankFileRecords(deps, exchange),
  }
}

/** The operator's decisions about what banks take back or want back, and about money without an owner. */
function createDepositDecisions(deps: RecallDeps & ReversalDeps) {
  return {
    depositReversals: createReversalService(deps),
    recalls: createRecallService(deps),
    unattributedDeposits: createUnattributedDepositService(deps),
  }
}

function createDepositServices(deps: DepositResolutionDeps) {
  return { ...createDepositService(deps), ...createDepositResolutionService(deps), ...createSenderService(deps) }
}

/** The keys for sightings, and reports of what a watcher of a bank or chain must never see. */
function sightingHooks({ log, metrics, secret }: Deps) {
  return {
    hashKey: deriveKey(secret, 'sightings'),
    senderKey: deriveKey(secret, 'senders of deposits'),
    onQuarantined: ({ method, externalId }: SightingKey) =>
      log.error({ method, externalId }, 'a bank or chain reported another entry under a known reference: quarantined'),
    onContradicted: ({ method, externalId }: SightingKey) => {
      metrics.countContradictedSighting(method)
      log.error({ method, externalId }, 'a chain has dropped a final block with a deposit: payouts are halted')
    },
  }
}
