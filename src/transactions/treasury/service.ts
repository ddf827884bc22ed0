import { type Asset, assets, isFiat, scaleOf } from '../../catalog/currencies.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import { referenceOf } from '../../ledger/posting.ts'
import * as postings from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import { parseAmount } from '../../lib/money.ts'
import { requirePosted } from '../change.ts'
import { type BankAccount, bankAccountProblem, type NewBankAccount, sandboxBankAccounts } from './bank-account.ts'
import * as accounts from './bank-account-store.ts'
import { addLiquidity, takeLiquidity } from './liquidity-store.ts'

export type TreasuryDeps = { database: Database; ledger: LedgerService; audit: Audit }
export type TreasuryService = ReturnType<typeof createTreasuryService>

/** A movement of own money of the operator, which serves the payouts of one organization. */
export type FundMovement = { organizationId: string; holding: string; asset: string; amount: string; reason: string }

const actor = 'command line'

/** Manages our own bank accounts, and the money that the operator puts in and takes out. */
export function createTreasuryService(deps: TreasuryDeps) {
  const { database, audit } = deps
  return {
    listAccounts: (): Promise<BankAccount[]> => accounts.listBankAccounts(database),

    /** Opens an account that serves rails. Throws an error that tells the operator what to change. */
    openAccount: async (wanted: NewBankAccount): Promise<void> => {
      const problem = bankAccountProblem(wanted)
      if (problem) throw new Error(problem)
      const { bankAccountId, bankName, currency, rails } = wanted
      await database.inTx(async (tx) => {
        const known = await accounts.listBankAccounts(tx)
        if (known.some((account) => account.bankAccountId === bankAccountId))
          throw new Error(`The account ${bankAccountId} exists already.`)
        const other = known.find((account) => account.rails.some((rail) => rails.includes(rail)))
        if (other) throw new Error(`${other.bankAccountId} serves ${other.rails.join(', ')} already.`)
        if (!(await accounts.insertBankAccount(tx, wanted)))
          throw new Error('Another process has just opened this account, or one that serves these rails.')
        const details = { bankName, currency, rails }
        const act = { actor, action: 'bank_account.opened', subjectId: bankAccountId, details }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      })
    },

    /** Opens the accounts of the sandbox's bank, for rails that no account serves yet. */
    openSandboxAccounts: async (): Promise<void> => {
      const served = new Set((await accounts.listBankAccounts(database)).flatMap(({ rails }): string[] => rails))
      const missing = sandboxBankAccounts.filter(({ rails }) => !rails.some((rail) => served.has(rail)))
      for (const account of missing) await database.inTx((tx) => accounts.insertBankAccount(tx, account))
    },

    /** Records own money that the operator has put into a holding. Payouts may use it at once. */
    fund: (movement: FundMovement): Promise<void> =>
      move(deps, movement, 'treasury.funded', async (tx, { organizationId, at, asset, amount, reference }) => {
        const posting = { organizationId, reference, ...postings.fund({ at, asset, amount }) }
        requirePosted(await deps.ledger.post(tx, [posting]))
        await addLiquidity(tx, [{ organizationId, at: { holding: at }, asset, available: amount }])
      }),

    /** Records own money that the operator has taken out; never more than payouts could use. */
    withdraw: (movement: FundMovement): Promise<void> =>
      move(deps, movement, 'treasury.withdrawn', async (tx, { organizationId, at, asset, amount, reference }) => {
        const posting = { organizationId, reference, ...postings.withdraw({ at, asset, amount }) }
        requirePosted(await deps.ledger.post(tx, [posting]))
        if (!(await takeLiquidity(tx, { organizationId, holding: at, asset }, amount)))
          throw new Error(
            'Less than this amount is available: the rest is owed, or payouts on their way have taken it.',
          )
      }),
  }
}

type Movement = { organizationId: string; at: string; asset: Asset; amount: bigint; reference: string }

/** Checks a movement of own money, and records it with its audit entry in one database transaction. */
async function move(
  { database, audit }: TreasuryDeps,
  { organizationId, holding: at, reason, ...text }: FundMovement,
  action: string,
  record: (tx: Tx, movement: Movement) => Promise<void>,
): Promise<void> {
  const asset = assets.find((each) => each === text.asset)
  if (!asset) throw new Error(`The asset must be one of ${assets.join(', ')}.`)
  const parsed = parseAmount(text.amount, scaleOf(asset))
  if (!parsed.ok || parsed.units === 0n)
    throw new Error(`The amount ${parsed.ok ? 'must be above zero' : parsed.problem}.`)
  const own = await accounts.listBankAccounts(database)
  const holdings = isFiat(asset)
    ? own.filter(({ currency }) => currency === asset).map(({ bankAccountId }) => bankAccountId)
    : ['TREASURY']
  if (holdings.length === 0) throw new Error(`No bank account holds ${asset}: open one with "svc treasury open".`)
  if (!holdings.includes(at)) throw new Error(`${asset} is held at ${holdings.join(', ')}, not at ${at}.`)
  const reference = referenceOf({ type: 'operator', id: newId() }, action)
  await database.inTx(async (tx) => {
    await record(tx, { organizationId, at, asset, amount: parsed.units, reference })
    const details = { holding: at, asset, amount: text.amount, reason }
    await audit.append(tx, { organizationId, actor, action, subjectId: reference, details })
  })
}
