import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import { badField, Refusal } from '../../lib/refusal.ts'
import { type BankDetails, statusesWithAccounts } from '../../payment-accounts/payment-account.ts'
import type { OpenAccount } from '../../payment-accounts/sealed-account.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import { ruleOf } from '../rules.ts'
import { type FormSession, renewSession, sessionEnded } from '../session.ts'
import { offeredRails } from './catalog.ts'
import { confirmedNameOf, isWithoutOwner, requireFormRules } from './rules.ts'
import { tidyAnswers } from './tidy.ts'
import { inspectCompletion, readSaveKey, withoutOwnFields } from './wire.ts'

export type BankFormDeps = {
  database: Database
  audit: Audit
  accounts: Pick<
    PaymentAccountService,
    'openByLink' | 'open' | 'prepareComplete' | 'complete' | 'isSavedBy' | 'findOpenMethods'
  >
  customers: Pick<CustomerService, 'open'>
  isSandbox: boolean
}

/** The account of a link, its customer, and the methods by which the account can be completed. */
export type OpenForm = { opened: OpenAccount; customer: OpenCustomer; methods: readonly string[] }

export type BankFormService = ReturnType<typeof createBankFormService>

/** Serves the form of one PENDING bank account. It keeps no draft: the answers are few, and one of them is a number. */
export function createBankFormService(deps: BankFormDeps) {
  const { database, audit, accounts } = deps
  const open = (organizationId: string, paymentAccountId: string) => openForm(deps, organizationId, paymentAccountId)
  const prepare = ({ opened: { account }, customer }: OpenForm, answers: unknown) =>
    accounts
      .prepareComplete([account.organizationId], account.paymentAccountId, () => inspect(answers))
      .then((prepared) => requireFormRules(prepared, customer, answers))
      .catch(nameField)
  const reopen = async (form: OpenForm): Promise<OpenForm> => {
    const { organizationId, paymentAccountId } = form.opened.account
    return (await open(organizationId, paymentAccountId)) ?? form
  }
  return {
    exchange: async (token: string, nowMs: number): Promise<FormSession | undefined> => {
      const found = await accounts.openByLink(token)
      const form = found && (await open(found.account.organizationId, found.account.paymentAccountId))
      if (!form) return undefined
      const { organizationId, paymentAccountId: subjectId, linkVersion } = form.opened.account
      return renewSession({ sessionId: newId(), organizationId, subjectId, linkVersion, startedAtMs: nowMs }, nowMs)
    },

    open: async ({ organizationId, subjectId, linkVersion }: FormSession): Promise<OpenForm | undefined> => {
      const form = await open(organizationId, subjectId)
      return form?.opened.account.linkVersion === linkVersion ? form : undefined
    },

    /** A saved account stays no longer on a screen than answers do, nor does a page that opens by itself. */
    showsNothing: (form: OpenForm): boolean => statusOf(form) === 'CLOSED',
    readStatus: async (form: OpenForm) => ({ status: statusOf(form), version: form.opened.account.version }),
    readState: async (form: OpenForm) => readState(deps, form),

    /** Lists the problems for which the account would be refused. Stores nothing. */
    check: async (form: OpenForm, answers: unknown) => {
      const problems = await prepare(form, answers).then(
        () => [],
        (error: unknown) => {
          if (error instanceof Refusal && error.details) return error.details
          throw error
        },
      )
      return { problems: problems.map(({ field, message }) => ({ field, ...ruleOf(message) })) }
    },

    /** Completes the account, through the same service and rules as the API. The same save again succeeds. */
    save: async (form: OpenForm, answers: unknown) => {
      const saveKey = readSaveKey(answers)
      try {
        const prepared = await prepare(form, answers)
        requireSameLink(form, prepared.opened)
        await database.inTx(async (tx) => {
          await accounts.complete(tx, prepared, saveKey).catch((error) => nameField(error, prepared.details))
          const { organizationId, paymentAccountId: subjectId } = prepared.opened.account
          const act = { actor: 'hosted form', action: 'payment_account.completed' }
          await audit.append(tx, { organizationId, ...act, subjectId })
        })
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'CONFLICT') throw error
        if (!(await accounts.isSavedBy(form.opened, saveKey))) {
          requireSameLink(form, (await reopen(form)).opened)
          throw error
        }
      }
      return readState(deps, await reopen(form))
    },
  }
}

async function openForm(
  { accounts, customers }: BankFormDeps,
  organizationId: string,
  paymentAccountId: string,
): Promise<OpenForm | undefined> {
  const opened = await accounts.open([organizationId], paymentAccountId)
  const customer = opened && (await customers.open([organizationId], opened.account.customerId))
  if (!opened?.key || !customer?.key) return undefined
  const methods = opened.account.status === 'PENDING' ? await accounts.findOpenMethods(customer) : []
  return { opened, customer, methods }
}

/** Refuses a save whose link was revoked after the session was opened. */
function requireSameLink({ opened }: OpenForm, now: OpenAccount): void {
  if (now.account.linkVersion !== opened.account.linkVersion) throw sessionEnded()
}

/** Names the field of a refusal that the API tells by its code alone, so that the page can show it there. */
function nameField(error: unknown, details?: BankDetails): never {
  if (!(error instanceof Refusal)) throw error
  if (error.code === 'PAYMENT_METHOD_NOT_AVAILABLE') {
    throw badField('externalBankAccount.bankAccountPaymentMethod', 'must be one of the rails that are offered')
  }
  if (error.code !== 'DUPLICATE_PAYMENT_ACCOUNT' || !details) throw error
  const { iban, interacEmail } = details.coordinates
  const name = iban ? 'iban' : interacEmail ? 'interacEmail' : 'accountNumber'
  const field = `externalBankAccount.${name}`
  throw new Refusal(error.code, error.message, { details: [{ field, message: 'is registered already' }] })
}

function inspect(answers: unknown) {
  return inspectCompletion(tidyAnswers(withoutOwnFields(answers)))
}

export type BankFormStatus = 'OPEN' | 'WAITING' | 'SAVED' | 'CLOSED'

/** WAITING: for the name of the customer. CLOSED says no more: why a customer may have no new account is not told. */
function statusOf({ opened, customer, methods }: OpenForm): BankFormStatus {
  const { status } = opened.account
  if (status === 'ACTIVE') return 'SAVED'
  const mayAdd = statusesWithAccounts.includes(customer.customer.status)
  if (status !== 'PENDING' || !mayAdd || offeredRails(methods).length === 0) return 'CLOSED'
  return isWithoutOwner(opened, customer) ? 'WAITING' : 'OPEN'
}

/** Everything that the page shows. Of a saved account that is its mask, never its number. */
function readState(deps: BankFormDeps, form: OpenForm) {
  const { opened, customer, methods } = form
  const status = statusOf(form)
  const about = {
    status,
    version: opened.account.version,
    isSandbox: deps.isSandbox,
    nickname: ['OPEN', 'SAVED'].includes(status) ? (opened.profile?.nickname ?? '') : '',
  }
  if (status === 'SAVED') {
    const { ownerName = '', bankName = '', mask = '' } = opened.profile ?? {}
    return { ...about, account: { rail: opened.account.paymentMethod, mask, bankName, ownerName } }
  }
  if (status !== 'OPEN') return about
  const { isThirdParty } = opened.account
  const name = isThirdParty ? '' : confirmedNameOf(customer)
  const owner = { type: customer.customer.customerType, name, isThirdParty }
  return { ...about, rails: offeredRails(methods), owner }
}

export type BankFormState = ReturnType<typeof readState>
