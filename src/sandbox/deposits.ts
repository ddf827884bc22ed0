import type { Asset } from '../catalog/currencies.ts'
import { assetOf, isFiat, isNetwork, type Network, scaleOf } from '../catalog/currencies.ts'
import { kindOf } from '../catalog/network-kinds.ts'
import { isPaymentMethod, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { parseAmount } from '../lib/money.ts'
import { badField, notFound } from '../lib/refusal.ts'
import type { PaymentAccount } from '../payment-accounts/payment-account.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import type { Sighting } from '../transactions/deposits/deposit.ts'
import type { DepositService } from '../transactions/deposits/service.ts'
import { findTransferMessage } from '../transactions/deposits/transfer-message.ts'
import type { Counterparty } from '../transactions/screening/screening.ts'

export type DepositBody = {
  amount: string
  currency: string
  chain?: string
  rail?: string
  reference?: string
  senderName?: string
  entryReference?: string
}

type SandboxDepositDeps = {
  paymentAccounts: PaymentAccountService
  deposits: DepositService
  audit: Audit
  isCounterpartyBlocked(counterparty: Counterparty): Promise<boolean>
}

type Prepared = { account: PaymentAccount; body: DepositBody; isSenderBlocked: boolean }

export type SandboxDeposits = ReturnType<typeof createSandboxDepositService>

/** Simulates money that arrives at a service account, or that the owner of an external account sends. */
export function createSandboxDepositService({
  paymentAccounts,
  deposits,
  audit,
  isCounterpartyBlocked,
}: SandboxDepositDeps) {
  return {
    /** Screens the sender's name here, as the watcher of a bank does. The name is not stored. */
    prepare: async (caller: Caller, paymentAccountId: string, readBody: () => DepositBody): Promise<Prepared> => {
      const opened = await paymentAccounts.open(caller.organizationIds, paymentAccountId)
      if (!opened) throw notFound()
      const body = readBody()
      const { organizationId, customerId } = opened.account
      const { method } = readMoney(body)
      const { senderName: name } = body
      const isSenderBlocked =
        name !== undefined && (await isCounterpartyBlocked({ organizationId, customerId, method, name }))
      return { account: opened.account, body, isSenderBlocked }
    },

    send: async (tx: Tx, caller: Caller, { account, body, isSenderBlocked }: Prepared) => {
      const { organizationId, paymentAccountId: subjectId } = account
      const { method, asset, amount } = readMoney(body)
      const externalId = body.entryReference ?? `sandbox-${newId()}`
      const sightingStatus = await deposits.recordSighting(tx, {
        method,
        // Each organization has its own sandbox bank, so that entry references of two organizations never collide.
        book: organizationId,
        externalId,
        asset,
        amount: String(amount),
        isSenderBlocked,
        detailsHash: isFiat(asset) ? deposits.hashDetails(body.reference, body.senderName) : null,
        ...detailsFor(account, asset, method, body),
      })
      await audit.append(tx, {
        organizationId,
        actor: `api_key:${caller.apiKeyId}`,
        action: 'sandbox.deposit_sent',
        subjectId,
        details: { asset, amount: String(amount), externalId, sightingStatus },
      })
      return {
        referenceId: externalId,
        sightingStatus,
        amount: body.amount,
        currency: body.currency,
        paymentMethod: method,
      }
    },
  }
}

function readMoney({ amount: text, currency, chain, rail }: DepositBody) {
  const method = chain ?? rail
  if (method === undefined || (chain !== undefined && rail !== undefined)) {
    throw badField('body', 'must have exactly one of chain and rail')
  }
  const field = chain === undefined ? 'rail' : 'chain'
  if (!isPaymentMethod(method) || isNetwork(method) !== (chain !== undefined)) {
    throw badField(field, `must be the name of a ${chain === undefined ? 'rail' : 'network'}`)
  }
  const asset = assetOf(currency, method)
  if (!asset) throw badField('currency', `cannot move by ${method}`)
  const parsed = parseAmount(text, scaleOf(asset))
  if (!parsed.ok) throw badField('amount', parsed.problem)
  if (parsed.units === 0n) throw badField('amount', 'must be greater than zero')
  return { method, asset, amount: parsed.units }
}

type SightingDetails = Pick<Sighting, 'message' | 'address' | 'virtualAccountId' | 'senderAccountId'>

/** Derives the details that a bank or chain would report. */
function detailsFor(
  account: PaymentAccount,
  asset: Asset,
  method: PaymentMethod,
  { reference }: DepositBody,
): SightingDetails {
  const unknown: SightingDetails = { message: null, address: null, virtualAccountId: null, senderAccountId: null }
  const { paymentAccountId: id, paymentAccountType } = account
  const requireFiat = (isRequired: boolean) => {
    if (isFiat(asset) !== isRequired) throw badField('currency', 'does not match the type of this payment account')
  }
  switch (paymentAccountType) {
    case 'SVC_CRYPTO_WALLET':
      requireFiat(false)
      if (kindOf(method as Network) !== account.walletType) throw badField('chain', 'must be a network of this wallet')
      return { ...unknown, address: account.address }
    case 'SVC_AUTO_FIAT_ACCOUNT':
      requireFiat(true)
      return { ...unknown, virtualAccountId: id }
    case 'EXTERNAL_BANK_ACCOUNT':
      requireFiat(true)
      return { ...unknown, message: findTransferMessage(reference ?? '') ?? null, senderAccountId: id }
    case 'EXTERNAL_CRYPTO_WALLET':
      requireFiat(false)
      if (reference === undefined) throw badField('reference', 'must be the address that receives the tokens')
      return { ...unknown, address: reference, senderAccountId: id }
  }
}
