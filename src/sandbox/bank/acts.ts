import { scaleOf } from '../../catalog/currencies.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import { parseAmount } from '../../lib/money.ts'
import { badField, Refusal } from '../../lib/refusal.ts'
import type { Deposit } from '../../transactions/deposits/deposit.ts'
import type { DepositView } from '../../transactions/deposits/reads.ts'
import type { DepositService } from '../../transactions/deposits/service.ts'
import type { PayoutService } from '../../transactions/payouts/service.ts'
import type { TransactionService } from '../../transactions/service.ts'
import type { ShownTransaction } from '../../transactions/transaction.ts'
import { presentTransaction } from '../../transactions/wire.ts'
import type { AccountName, HeldAccount } from './formats.ts'
import { isChangeCode, isReturnCode } from './payments/returns.ts'
import type { IncomingTransfer, SandboxBank } from './service.ts'
import type { BankDepositBody, BankRecallBody, BankReturnBody } from './wire.ts'

type BankActDeps = {
  /** Undefined when the sandbox simulates its bank in memory. */
  bank: SandboxBank | undefined
  transactions: TransactionService
  deposits: DepositService
  payouts: PayoutService
  audit: Audit
}

export type BankActs = ReturnType<typeof createBankActService>

/** Lets a developer act as the customers of the sandbox's bank, and as the banks behind it. */
export function createBankActService(deps: BankActDeps) {
  const { bank, transactions, payouts, audit } = deps
  const record = recordWith(audit)
  return {
    /** Finds one of our accounts at the bank. */
    findAccount: async (bankAccountId: string): Promise<HeldAccount> => {
      const account = (await requireBank(bank).accounts()).find((each) => each.bankAccountId === bankAccountId)
      if (!account) throw badField('bankAccountId', 'must be the name of a bank account of this deployment')
      return account
    },

    deposit: async (tx: Tx, caller: Caller, account: HeldAccount, body: BankDepositBody) => {
      const { bankAccountId, currency } = account
      const transfer = readTransfer(account, body)
      const { bankReference: referenceId, status } = await requireBank(bank).credit(tx, transfer)
      const details = { referenceId, status, amount: String(transfer.amount), currency }
      await record(tx, caller, 'sandbox.bank_deposit_sent', bankAccountId, details)
      return { referenceId, bankAccountId, amount: body.amount, currency, paymentMethod: transfer.rail }
    },

    /** Finds the transaction, and the accounts of the bank. */
    findReturn: async (caller: Caller, readBody: () => BankReturnBody) => {
      const body = readBody()
      const transaction = await transactions.find(caller, body.transactionId)
      const isAch = transaction.destinationMethod === 'ACH'
      if (!isReturnCode(body.code, isAch) && !(isAch && isChangeCode(body.code))) {
        throw badField(
          'code',
          isAch ? 'must be a code of Nacha such as R02' : 'must be a code of ISO 20022 such as AC04',
        )
      }
      return { transaction, code: body.code, accounts: await requireBank(bank).accounts() }
    },

    /** Returns the payout of a COMPLETED transaction, or notifies a change of the receiver's account. */
    returnFunds: async (
      tx: Tx,
      caller: Caller,
      {
        transaction,
        code,
        accounts,
      }: { transaction: ShownTransaction; code: string; accounts: readonly HeldAccount[] },
    ) => {
      const paid = transaction.status === 'COMPLETED' ? await payouts.expedite(tx, transaction, ['PAYOUT']) : []
      const references = paid.map(({ shortReference }) => shortReference)
      const isDone = isChangeCode(code)
        ? await requireBank(bank).changeReceivers(tx, accounts, references, code)
        : await requireBank(bank).returnPayments(tx, references, code)
      if (!isDone) throw new Refusal('CONFLICT', 'Only a COMPLETED transaction that the bank has paid can be returned')
      const action = isChangeCode(code) ? 'sandbox.bank_change_notified' : 'sandbox.bank_payment_returned'
      await record(tx, caller, action, transaction.transactionId, { code })
      return presentTransaction(transaction)
    },

    ...createRecallActs(deps),

    state: async (tx: Tx, caller: Caller, account: HeldAccount) => {
      const { bankAccountId, currency } = account
      await requireBank(bank).state(tx, account)
      await record(tx, caller, 'sandbox.bank_statement_written', bankAccountId)
      return { bankAccountId, currency }
    },
  }
}

function recordWith(audit: Audit) {
  return (tx: Tx, { organizationId, apiKeyId }: Caller, action: string, subjectId: string, details = {}) =>
    audit.append(tx, { organizationId, actor: `api_key:${apiKeyId}`, action, subjectId, details })
}

type FoundRecall = { deposit: Deposit; code: string; account: HeldAccount | undefined }

function createRecallActs({ bank, deposits, audit }: BankActDeps) {
  return {
    /** Finds the deposit that the payer's bank wants back, and our account that it arrived at. */
    findRecall: async (caller: Caller, readBody: () => BankRecallBody): Promise<FoundRecall> => {
      const { depositId, code = 'FRAD' } = readBody()
      const deposit = await deposits.find(caller, depositId)
      const accounts = await requireBank(bank).accounts()
      return { deposit, code, account: accounts.find(({ bankAccountId }) => bankAccountId === deposit.book) }
    },

    recall: async (tx: Tx, caller: Caller, { deposit, code, account }: FoundRecall): Promise<DepositView> => {
      const { externalId: bankReference, depositId } = deposit
      const isTold = account && (await requireBank(bank).recall(tx, { account, bankReference, code }))
      if (!isTold) throw new Refusal('CONFLICT', 'No bank of the sandbox has told this deposit in a file')
      await recordWith(audit)(tx, caller, 'sandbox.bank_payment_recalled', depositId, { code })
      return deposits.show(deposit)
    },
  }
}

function requireBank(bank: SandboxBank | undefined): SandboxBank {
  if (bank) return bank
  throw new Refusal('CONFLICT', 'The bank of this sandbox does not run: start Svc with SVC_SANDBOX_BANK=files')
}

function readTransfer(account: HeldAccount, body: BankDepositBody): IncomingTransfer {
  const { amount: text, reference, senderName, senderAccount, rail = account.rails[0], entryReference } = body
  if (!rail || !account.rails.includes(rail)) throw badField('rail', `must be one of ${account.rails.join(', ')}`)
  const parsed = parseAmount(text, scaleOf(account.currency))
  if (!parsed.ok) throw badField('amount', parsed.problem)
  if (parsed.units === 0n) throw badField('amount', 'must be greater than zero')
  return {
    account,
    rail,
    amount: parsed.units,
    ...(entryReference === undefined ? {} : { bankReference: entryReference }),
    sender: {
      ...(senderName === undefined ? {} : { name: senderName }),
      ...(senderAccount === undefined ? {} : { account: readAccountName(senderAccount) }),
    },
    ...(reference === undefined ? {} : { text: reference }),
  }
}

/** Reads an IBAN, a number, or the code of a bank, a slash and a number. */
function readAccountName(text: string): AccountName {
  const plain = text.replaceAll(' ', '')
  if (/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(plain)) return { iban: plain }
  const [bankId = '', ...number] = plain.split('/')
  return number.length === 0 ? { number: plain } : { bankId, number: number.join('/') }
}
