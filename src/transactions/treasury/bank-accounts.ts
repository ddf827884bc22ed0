import type { FiatRail } from '../../catalog/currencies.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'
import { type FilesRequest, isSameAccount, readAccountFiles } from './account-files.ts'
import { type AccountFiles, type BankAccount, bankAccountProblem, type NewBankAccount } from './bank-account.ts'
import * as accounts from './bank-account-store.ts'

export type BankAccountDeps = {
  database: Database
  audit: Audit
  actor: string
  /** True when a virtual account of a customer ever had this number. */
  wasIssued(on: Queryable, currency: string, coordinates: BankCoordinates): Promise<boolean>
}

/** Manages our own bank accounts and the rails that they serve. */
export function createBankAccountService(deps: BankAccountDeps) {
  const { database, audit, actor } = deps
  return {
    listAccounts: (): Promise<BankAccount[]> => accounts.listBankAccounts(database),

    /** Opens an account that serves rails. Throws an error that tells the operator what to change. */
    openAccount: async (account: NewBankAccount, files?: FilesRequest): Promise<void> => {
      const problem = bankAccountProblem(account)
      if (problem) throw new Error(problem)
      const wanted = files ? { ...account, files: readAccountFiles(account.rails as FiatRail[], files) } : account
      const { bankAccountId, bankName, currency, rails } = wanted
      await database.inTx(async (tx) => {
        await accounts.lockBankAccounts(tx)
        const known = await accounts.listBankAccounts(tx)
        if (known.some((account) => account.bankAccountId === bankAccountId))
          throw new Error(`The account ${bankAccountId} exists already.`)
        const other = known.find((account) => account.rails.some((rail) => rails.includes(rail)))
        if (other) throw new Error(`${other.bankAccountId} serves ${other.rails.join(', ')} already.`)
        if ('files' in wanted && wanted.files) {
          requireOwnCoordinates(known, currency, wanted.files)
          await requireNotIssued(deps, tx, currency, wanted.files)
        }
        if (!(await accounts.insertBankAccount(tx, wanted)))
          throw new Error('Another process has just opened this account, or one that serves these rails.')
        const details = { bankName, currency, rails }
        const act = { actor, action: 'bank_account.opened', subjectId: bankAccountId, details }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      })
    },

    /**
     * Connects an account that was opened without coordinates with the files of its bank, once. Its payouts that wait
     * leave from then on. Throws an error that tells the operator what to change.
     */
    connectAccount: async (bankAccountId: string, files: FilesRequest): Promise<void> => {
      const account = (await accounts.listBankAccounts(database)).find((each) => each.bankAccountId === bankAccountId)
      if (!account) throw new Error(`There is no account ${bankAccountId}: "svc treasury accounts" lists them.`)
      const read = readAccountFiles(account.rails, files)
      await database.inTx(async (tx) => {
        await accounts.lockBankAccounts(tx)
        const others = (await accounts.listBankAccounts(tx)).filter((each) => each.bankAccountId !== bankAccountId)
        requireOwnCoordinates(others, account.currency, read)
        await requireNotIssued(deps, tx, account.currency, read)
        if (!(await accounts.connectBankAccount(tx, bankAccountId, read)))
          throw new Error(`${bankAccountId} is connected already: its coordinates never change.`)
        const act = { actor, action: 'bank_account.connected', subjectId: bankAccountId }
        await audit.append(tx, {
          organizationId: platformOrganizationId,
          ...act,
          details: { coordinates: read.coordinates, dialect: read.dialect },
        })
      })
    },

    /** Opens accounts of the sandbox's bank, for rails that no account serves yet. */
    openSandboxAccounts: async (offered: readonly NewBankAccount[]): Promise<void> => {
      const served = new Set((await accounts.listBankAccounts(database)).flatMap(({ rails }): string[] => rails))
      const missing = offered.filter(({ rails }) => !rails.some((rail) => served.has(rail)))
      for (const account of missing) await database.inTx((tx) => accounts.insertBankAccount(tx, account))
    },
  }
}

/** Refuses coordinates that another account has: Svc could not tell whose statement a bank sends. */
function requireOwnCoordinates(others: readonly BankAccount[], currency: string, files: AccountFiles): void {
  const taken = others.find(
    (each) => each.currency === currency && each.files && isSameAccount(each.files.coordinates, files.coordinates),
  )
  if (taken) throw refuseCoordinates(`are those of ${taken.bankAccountId}: each account has its own`)
}

/** Refuses the number of a virtual account: all that arrives at our account would be that customer's. */
async function requireNotIssued({ wasIssued }: BankAccountDeps, tx: Tx, currency: string, files: AccountFiles) {
  if (await wasIssued(tx, currency, files.coordinates))
    throw refuseCoordinates('were issued to a customer as a virtual account')
}

function refuseCoordinates(message: string): Refusal {
  return new Refusal('CONFLICT', `--coordinates ${message}.`, { details: [{ field: 'coordinates', message }] })
}
