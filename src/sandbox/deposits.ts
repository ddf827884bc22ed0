import { createHash } from 'node:crypto'
import type { Asset } from '../catalog/currencies.ts'
import { assetOf, type FiatRail, isFiat, isNetwork, labelOf, type Network, scaleOf } from '../catalog/currencies.ts'
import { kindOf } from '../catalog/network-kinds.ts'
import { isPaymentMethod, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { CustodyService } from '../custody/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { checksumEvmAddress } from '../lib/addresses/evm-address.ts'
import { writeSolanaAddress } from '../lib/addresses/solana-address.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { parseAmount } from '../lib/money.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import type { PaymentAccount } from '../payment-accounts/payment-account.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import type { Deposit } from '../transactions/deposits/deposit.ts'
import type { DepositView } from '../transactions/deposits/reads.ts'
import type { SenderService } from '../transactions/deposits/sender.ts'
import type { DepositService } from '../transactions/deposits/service.ts'
import { readAddress } from '../transactions/deposits/sightings/record.ts'
import type { ScreenedSender, Sighting, SightingStatus } from '../transactions/deposits/sightings/sighting.ts'
import { findTransferMessage } from '../transactions/deposits/transfer-message.ts'
import { describeTransfer } from './bank/account-deposits.ts'
import type { HeldAccount } from './bank/formats.ts'
import type { IncomingTransfer, SandboxBank } from './bank/service.ts'
import type { ChainControl } from './chains/control.ts'

export type DepositBody = {
  amount: string
  currency: string
  chain?: string
  rail?: string
  reference?: string
  senderName?: string
  senderAddress?: string
  entryReference?: string
}

export type ReversalBody = { amount?: string; reversalReference?: string; reason?: string }

type SandboxDepositDeps = {
  paymentAccounts: PaymentAccountService
  deposits: DepositService & SenderService
  audit: Audit
  custody: Pick<CustodyService, 'isOwnAddress'>
  /** Undefined when the sandbox simulates its bank in memory. */
  bank: SandboxBank | undefined
  /** Undefined when the sandbox simulates its chains in memory. */
  localChains: Pick<ChainControl, 'faucet'> | undefined
  /** The networks whose transfers are on a chain. The sandbox simulates those of the others. */
  onChain: ReadonlySet<Network>
}

type Prepared = { account: PaymentAccount; body: DepositBody } & (
  | { sender: ScreenedSender }
  /** Money that the bank reports in a file. */
  | { transfer: IncomingTransfer; bank: SandboxBank }
  /** Tokens that are on their way on a local chain. The scanner of the chain will see them. */
  | { sent: Sent }
)

export type SandboxDeposits = ReturnType<typeof createSandboxDepositService>

/** Simulates money that arrives at a service account, or that the owner of an external account sends. */
export function createSandboxDepositService(deps: SandboxDepositDeps) {
  const { paymentAccounts, deposits, audit, bank } = deps
  return {
    /**
     * Screens the sender's name here, as the watcher of a bank does, unless the bank reports the transfer in a file. On a
     * local chain, sends the tokens.
     */
    prepare: async (
      caller: Caller,
      paymentAccountId: string,
      readBody: () => DepositBody,
      requestKey: string,
    ): Promise<Prepared> => {
      const opened = await paymentAccounts.open(caller.organizationIds, paymentAccountId)
      if (!opened) throw notFound()
      const body = readBody()
      const { method, asset, amount } = readMoney(body)
      const { account } = opened
      if (bank && isFiat(asset)) {
        detailsFor(account, asset, method, body)
        senderAddressIn(account, body, asset, method)
        const details = paymentAccounts.readBankDetails(opened)
        const sent = { ...body, rail: method as FiatRail, amount }
        return { account, body, transfer: describeTransfer(await bank.accounts(), opened, details, sent), bank }
      }
      const sent = await transferOnChain(deps, account, body, requestKey)
      if (sent) return { account, body, sent }
      const { senderName: name } = body
      const named = { method, book: account.organizationId, ...(name === undefined ? {} : { name }) }
      return { account, body, sender: await deposits.screenSender(named) }
    },

    send: async (tx: Tx, caller: Caller, prepared: Prepared) => {
      const { account, body } = prepared
      const { method, asset, amount } = readMoney(body)
      const { referenceId, sightingStatus } = await record(deposits, tx, prepared)
      await audit.append(tx, {
        organizationId: account.organizationId,
        actor: `api_key:${caller.apiKeyId}`,
        action: 'sandbox.deposit_sent',
        subjectId: account.paymentAccountId,
        details: { asset, amount: String(amount), externalId: referenceId, sightingStatus },
      })
      return { referenceId, sightingStatus, amount: body.amount, currency: body.currency, paymentMethod: method }
    },

    find: (caller: Caller, depositId: string): Promise<Deposit> => deposits.find(caller, depositId),

    /** Finds the account of the bank that a deposit arrived at; undefined when no file told it. */
    findHeld: async ({ asset, book }: Deposit): Promise<HeldAccount | undefined> =>
      bank && isFiat(asset) ? (await bank.accounts()).find(({ bankAccountId }) => bankAccountId === book) : undefined,

    /** Lets the bank or chain take a deposit back, all of it or a part. A bank with files tells it in a notification. */
    reverse: (tx: Tx, caller: Caller, deposit: Deposit, body: ReversalBody, held?: HeldAccount): Promise<DepositView> =>
      reverse({ deposits, audit, bank }, tx, caller, deposit, { ...body, ...(held ? { held } : {}) }),
  }
}

type Sent = { referenceId: string; sightingStatus: SightingStatus }

async function record(deposits: SandboxDepositDeps['deposits'], tx: Tx, prepared: Prepared): Promise<Sent> {
  if ('sent' in prepared) return prepared.sent
  if ('transfer' in prepared) return sendByBank(tx, prepared)
  return sight(deposits, tx, prepared.account, prepared.body, prepared.sender)
}

/** Sends tokens on a local chain, once per request or entry reference; undefined without a local chain. */
async function transferOnChain(
  { localChains, onChain, custody }: Pick<SandboxDepositDeps, 'localChains' | 'onChain' | 'custody'>,
  account: PaymentAccount,
  body: DepositBody,
  requestKey: string,
): Promise<Sent | undefined> {
  const { method, asset, amount } = readMoney(body)
  if (!localChains || !isNetwork(method) || !onChain.has(method)) return undefined
  const { address } = detailsFor(account, asset, method, body)
  const from = senderAddressIn(account, body, asset, method)
  if (address === null || from === null) return undefined
  // The chain would take the tokens from a wallet whose balance the ledger keeps.
  if (await custody.isOwnAddress(kindOf(method), from)) {
    throw badField('senderAddress', 'must not be an address of a service wallet or of the treasury')
  }
  const entry = body.entryReference && JSON.stringify([account.organizationId, account.paymentAccountId, body])
  const gift = { key: entry ?? requestKey, address, from, currency: labelOf(asset), amount: String(amount) }
  const { transactionHash, position, isRepeated } = await localChains.faucet(method, gift)
  return { referenceId: `${transactionHash}:${position}`, sightingStatus: isRepeated ? 'REPEATED' : 'RECORDED' }
}

async function sendByBank(
  tx: Tx,
  { transfer, bank }: Pick<Extract<Prepared, { bank: SandboxBank }>, 'transfer' | 'bank'>,
): Promise<Sent> {
  const { bankReference: referenceId, status: sightingStatus } = await bank.credit(tx, transfer)
  return { referenceId, sightingStatus }
}

/** Records the transfer at once, as if its observer had reported it. */
async function sight(
  deposits: SandboxDepositDeps['deposits'],
  tx: Tx,
  account: PaymentAccount,
  body: DepositBody,
  sender: ScreenedSender,
): Promise<Sent> {
  const { method, asset, amount } = readMoney(body)
  const externalId = body.entryReference ?? `sandbox-${newId()}`
  const sighted = await deposits.recordSighting(tx, {
    method,
    // Each organization has its own sandbox bank, so that entry references of two organizations never collide.
    book: account.organizationId,
    externalId,
    asset,
    amount: String(amount),
    ...sender,
    detailsHash: isFiat(asset) ? deposits.hashDetails(body.reference, body.senderName) : null,
    ...detailsFor(account, asset, method, body),
    fromAddress: senderAddressIn(account, body, asset, method),
    state: 'FINAL',
    block: null,
    observedAt: null,
  })
  // The sandbox reports final transfers of some money, so no other outcome is possible.
  return { referenceId: externalId, sightingStatus: sighted as SightingStatus }
}

async function reverse(
  { deposits, audit, bank }: Pick<SandboxDepositDeps, 'deposits' | 'audit' | 'bank'>,
  tx: Tx,
  caller: Caller,
  deposit: Deposit,
  { held, ...body }: ReversalBody & { held?: HeldAccount },
): Promise<DepositView> {
  const { organizationId, depositId, asset, method, book, externalId } = deposit
  const parsed = body.amount === undefined ? undefined : parseAmount(body.amount, scaleOf(asset))
  if (parsed && !parsed.ok) throw badField('amount', parsed.problem)
  const reversalId = body.reversalReference ?? `sandbox-${newId().slice(-12)}`
  const reason = body.reason ?? 'R10'
  if (bank && held) {
    const left = BigInt(deposit.amount) - BigInt(deposit.reversedAmount)
    const amount = parsed?.units ?? left
    const isBooked =
      amount > 0n &&
      amount <= left &&
      (await bank.reverse(tx, {
        account: held,
        bankReference: externalId,
        amount,
        reversalReference: reversalId,
        reason,
      }))
    if (!isBooked)
      throw new Refusal('CONFLICT', 'The bank has no credit of this deposit with so much left to take back')
  } else {
    const whole = parsed ? { amount: parsed.units } : {}
    await deposits.reverse(tx, { method, book, externalId, reversalId, reason, ...whole })
  }
  const act = { actor: `api_key:${caller.apiKeyId}`, action: 'sandbox.deposit_reversed' }
  await audit.append(tx, { organizationId, ...act, subjectId: depositId, details: { reversalId } })
  return deposits.show(await deposits.find(caller, depositId, tx))
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

/** The address that sends tokens: the one named, else that of the external wallet, else one that no customer has. */
function senderAddressIn(
  { paymentAccountType, organizationId, address }: PaymentAccount,
  { senderAddress }: DepositBody,
  asset: Asset,
  method: PaymentMethod,
): string | null {
  if (isFiat(asset)) {
    if (senderAddress !== undefined) throw badField('senderAddress', 'is for tokens only')
    return null
  }
  if (senderAddress !== undefined) return readAddress(method as Network, 'senderAddress', senderAddress)
  return paymentAccountType === 'EXTERNAL_CRYPTO_WALLET' ? address : strangerOf(organizationId, method as Network)
}

/** An address that sends tokens of no named sender, the same each time: a repeated report names the same sender. */
function strangerOf(organizationId: string, network: Network): string {
  const bytes = createHash('sha256').update(`stranger of ${organizationId}`).digest()
  return kindOf(network) === 'EVM'
    ? checksumEvmAddress(`0x${bytes.subarray(0, 20).toString('hex')}`)
    : writeSolanaAddress(bytes)
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
      return { ...unknown, address: readAddress(method as Network, 'reference', reference), senderAccountId: id }
  }
}
