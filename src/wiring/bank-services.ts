import { randomUUID } from 'node:crypto'
import { createFolderExchange } from '../adapters/bank/exchange.ts'
import { streamStatement } from '../adapters/bank/iso20022/statement-writer.ts'
import { readIncoming } from '../adapters/bank/read.ts'
import { checkPayment, writeFile } from '../adapters/bank/write.ts'
import { fiatRails } from '../catalog/currencies.ts'
import type { CustomerService } from '../customers/service.ts'
import { commandActor } from '../db/audit/audit.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import { type BankChangeService, createBankChangeService } from '../transactions/bank-files/changes/service.ts'
import { createSenderPolicy } from '../transactions/bank-files/entries/sender.ts'
import type { BankExchange } from '../transactions/bank-files/exchange.ts'
import { readFolders, recordMarked } from '../transactions/bank-files/folders/folder-store.ts'
import type { BankFormats } from '../transactions/bank-files/formats.ts'
import { createIncomingService, type IncomingService } from '../transactions/bank-files/incoming/service.ts'
import { bankFilesRail, createBankRail } from '../transactions/bank-files/outgoing/rail.ts'
import { type BankFileService, createBankFileService } from '../transactions/bank-files/service.ts'
import type { SenderService } from '../transactions/deposits/sender.ts'
import type { DepositService } from '../transactions/deposits/service.ts'
import type { Rail } from '../transactions/payouts/rail.ts'
import type { PayoutService } from '../transactions/payouts/service.ts'
import { createDifferenceDecisions } from '../transactions/reconciliation/decisions.ts'
import { createStatementExportService } from '../transactions/reconciliation/export.ts'
import { createReconciliationService } from '../transactions/reconciliation/service.ts'
import type { TreasuryService } from '../transactions/treasury/service.ts'
import type { ChainPayouts } from './chains/payouts.ts'
import type { Deps } from './deps.ts'

const formats: BankFormats = { checkPayment, writeFile, readIncoming }

/** The folders of the banks; undefined when the sandbox simulates its bank in memory. */
export function createExchange({ config: { bankFiles }, database }: Deps): BankExchange | undefined {
  if (!bankFiles) return undefined
  const { folder, settleMs } = bankFiles
  const identity = { read: () => readFolders(database, randomUUID()), recordMarked: () => recordMarked(database) }
  return createFolderExchange(folder, { settleMs, identity })
}

/** Creates the rail that pays through files. */
export function createBankFilesRail(
  { config: { bankFiles }, database, onPoint }: Deps,
  exchange: BankExchange | undefined,
  { listAccounts }: Pick<TreasuryService, 'listAccounts'>,
): Rail | undefined {
  if (!bankFiles || !exchange) return undefined
  return createBankRail({
    database,
    formats,
    exchange,
    keepsHours: bankFiles.keepsHours,
    usesSameDay: bankFiles.usesSameDay,
    closedDays: bankFiles.closedDays,
    validSeconds: bankFiles.validSeconds,
    methods: fiatRails,
    listAccounts,
    onPoint,
  })
}

type Needed = {
  deposits: DepositService & SenderService
  payouts: PayoutService
  paymentAccounts: PaymentAccountService
  customers: CustomerService
  treasury: TreasuryService
}

/** Creates the service that receives the files of banks. */
export function createIncomingFiles(
  deps: Deps,
  exchange: BankExchange | undefined,
  { deposits, payouts, paymentAccounts, customers, treasury }: Needed,
): IncomingService | undefined {
  const { log, database, secret } = deps
  const holdsMismatches = deps.config.bankFiles?.holdsMismatches ?? true
  if (!exchange) return undefined
  return createIncomingService({
    database,
    exchange,
    formats,
    deposits,
    senders: createSenderPolicy({ database, paymentAccounts, customers, holdsMismatches }),
    screenSender: deposits.screenSender,
    findVirtualAccount: paymentAccounts.findVirtualAccount,
    listAccounts: treasury.listAccounts,
    report: (tx, report) => payouts.reports.receive({ rail: bankFilesRail, ...report }, tx),
    identityKey: deriveKey(secret, 'bank entries'),
    changeKey: deriveKey(secret, 'bank changes'),
    onDuplicate: (file) => log.error(file, 'a bank says that it has this file already: its payments may be paid'),
    onAcceptedAfterRejection: (told) =>
      log.error(told, 'a bank accepted what it had rejected: it may be paid, also twice; ask the bank'),
    onRejectedAfterPayment: (told) => log.error(told, 'a bank rejected a payment after it had settled: ask the bank'),
    onRejectedOften: (file) => log.error(file, 'a bank rejects the same payments again and again: they pause'),
    onForeignChange: (change) =>
      log.warn(
        change,
        'a bank corrects the account of a payment that is not ours: ask the bank, then refuse the change',
      ),
    onRecall: (recall) => log.warn(recall, 'a bank recalls a payment: its money is held until an operator answers'),
    onFee: (told) => log.warn(told, 'a bank credited less than it returned: record its fee'),
    onFolders: (problem) => {
      if (problem === undefined) log.info('the folders of the banks can be used')
      else log.error({ problem }, 'the folders of the banks cannot be used: nothing is sent or read until they can')
    },
    onQuarantined: (file) => log.error(file, 'a file of a bank cannot be read: it is in quarantine'),
    onFailure: deps.onJobFailure('bank files', 'a bank file could not be applied and is retried later'),
    onPoint: deps.onPoint,
  })
}

/** Creates the service that shows files to operators. */
export function createBankFileRecords(deps: Deps, exchange: BankExchange | undefined): BankFileService {
  const { config, database, pages, audit } = deps
  const isOpenToAll = config.environment === 'sandbox'
  const actor = commandActor(config.operator)
  return createBankFileService({ database, pages, audit, exchange, isOpenToAll, actor })
}

/** Creates the service that lets operators decide about notifications of change. */
export function createBankChanges(
  deps: Deps,
  needed: { paymentAccounts: PaymentAccountService; customers: CustomerService },
): BankChangeService {
  const { config, database, pages, audit } = deps
  const changeKey = deriveKey(deps.secret, 'bank changes')
  return createBankChangeService({
    database,
    pages,
    audit,
    actor: commandActor(config.operator),
    changeKey,
    ...needed,
  })
}

/** Creates the services that compare the ledger with banks and networks, and that write its own statements. */
export function createReconciliation(
  { config, database, pages, audit }: Deps,
  {
    ledger,
    treasury,
    chainPayouts,
  }: { ledger: LedgerService; treasury: TreasuryService; chainPayouts: Pick<ChainPayouts, 'comparisons'> },
) {
  const { listAccounts } = treasury
  const shared = { database, ledger, listAccounts, isSandbox: config.environment === 'sandbox' }
  return {
    reconciliation: createReconciliationService({
      ...shared,
      pages,
      hasBankFiles: config.bankFiles !== undefined,
      readNetworks: chainPayouts.comparisons.readDay,
    }),
    differences: createDifferenceDecisions({ database, ledger, audit, actor: commandActor(config.operator) }),
    statementExports: createStatementExportService({ ...shared, writeStatement: streamStatement }),
  }
}
