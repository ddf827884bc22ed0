import type { Faults } from '../../faults.ts'
import { RpcError } from '../../rpc-error.ts'
import type { Account, Outcome } from '../engine.ts'
import { describeErr, type TransactionErr } from '../engine-error.ts'
import { toMeta } from '../execution.ts'
import { priceOf } from '../pool.ts'
import { programs } from '../token-accounts.ts'
import { BadTransaction, decodeMessage, isSigned, type WireTransaction } from '../transaction.ts'
import { presentAccount } from './accounts.ts'
import { addressOf, badParams, type Settings, settingsOf, transactionOf } from './params.ts'
import { type Method, requireUpTo, type View } from './view.ts'

const behindSlots = 42
const mostPrices = 150
const [lamportsPerSignature, unitsPerInstruction, unitsPerBuiltin, mostUnits] = [5_000n, 200_000, 3_000, 1_400_000]

/** The calls that try and take transactions. */
export function sendingMethods(faults: Faults): Readonly<Record<string, Method>> {
  return {
    sendTransaction: (view, [encoded, config]) => {
      const settings = settingsOf(config)
      const transaction = transactionOf(encoded, settings)
      return send(view, faults, transaction, settings)
    },
    simulateTransaction: (view, [encoded, config]) => {
      const settings = settingsOf(config)
      return simulate(view, transactionOf(encoded, settings), settings)
    },
    getFeeForMessage: (view, [encoded, config]) => {
      const slot = view.slotFor(settingsOf(config))
      const message = readMessage(encoded)
      const isKnown = view.chain.slots.findHash(message.blockhash, slot) !== undefined
      return { context: view.context(slot), value: isKnown ? feeOf(message) : null }
    },
    getRecentPrioritizationFees: (view, [addresses]) => {
      if (addresses !== undefined && !Array.isArray(addresses)) throw badParams('Invalid params: expected a list.')
      requireUpTo(addresses?.length ?? 0, 128, 'inputs')
      const head = view.slot('processed')
      const count = Math.min(mostPrices, view.chain.slots.height(head) + 1)
      const slots = Array.from({ length: count }, (_, age) => view.chain.slots.below(head, count - 1 - age))
      return slots.map((slot) => ({ slot, prioritizationFee: view.chain.usualPrice }))
    },
    getHealth: () => {
      if (faults.takes('node_behind')) throw nodeBehind()
      return 'ok'
    },
  }
}

function nodeBehind(): RpcError {
  return new RpcError(`Node is behind by ${behindSlots} slots`, -32_005, { numSlotsBehind: behindSlots })
}

function send(view: View, faults: Faults, transaction: WireTransaction, settings: Settings): string {
  const [signature] = transaction.signatures as [string]
  const isExpired = faults.takes('expired_blockhash')
  if (settings.skipPreflight !== true) {
    const commitment = settings.preflightCommitment ?? 'finalized'
    const slot = view.slotFor({ ...settings, commitment })
    if (faults.takes('node_behind')) throw nodeBehind()
    const refused = isExpired ? failedBefore('BlockhashNotFound') : preflight(view, transaction, slot)
    if (refused) throw refuse(refused)
  }
  if (isExpired || faults.takes('drop_transaction')) return signature
  if (!view.chain.state.find(signature)) view.chain.send(transaction)
  if (faults.takes('already_processed')) throw refuse(failedBefore('AlreadyProcessed'))
  return signature
}

/** Tries a transaction as a node does before it sends it on; undefined if it would land without an error. */
function preflight(view: View, transaction: WireTransaction, slot: number): Outcome | undefined {
  requireSignatures(transaction)
  const { outcome } = view.chain.simulate(transaction)
  const err = statusErr(view, transaction, slot)
  if (err) return failedBefore(err)
  return outcome.err === null ? undefined : outcome
}

function requireSignatures(transaction: WireTransaction): void {
  if (!isSigned(transaction)) throw new RpcError('Transaction signature verification failure', -32_003)
}

/** The error of a transaction that landed already, or whose blockhash the block at a slot does not know. */
function statusErr(view: View, { signatures, blockhash }: WireTransaction, slot: number): TransactionErr | undefined {
  if (view.find(signatures[0] as string, slot)) return 'AlreadyProcessed'
  return view.chain.slots.findHash(blockhash, slot) === undefined ? 'BlockhashNotFound' : undefined
}

function failedBefore(err: TransactionErr): Outcome {
  return { hasLanded: false, err, logs: [], inner: [], units: 0n, returned: undefined }
}

function refuse(outcome: Outcome): RpcError {
  const { err, logs, units, returned } = toMeta(outcome)
  const text = describeErr(err as TransactionErr)
  return new RpcError(`Transaction simulation failed: ${text}`, -32_002, {
    accounts: null,
    err,
    fee: null,
    innerInstructions: null,
    loadedAccountsDataSize: 0,
    loadedAddresses: null,
    logs,
    postBalances: null,
    postTokenBalances: null,
    preBalances: null,
    preTokenBalances: null,
    replacementBlockhash: null,
    returnData: returned ?? null,
    unitsConsumed: units,
  })
}

function simulate(view: View, transaction: WireTransaction, settings: Settings): unknown {
  const { sigVerify = false, replaceRecentBlockhash = false, accounts, innerInstructions = false } = settings
  if (sigVerify === true && replaceRecentBlockhash === true) {
    throw badParams('sigVerify may not be used with replaceRecentBlockhash')
  }
  const slot = view.slotFor(settings)
  if (sigVerify === true) requireSignatures(transaction)
  const { outcome, accounts: after } = view.chain.simulate(transaction)
  const early = replaceRecentBlockhash === true ? undefined : statusErr(view, transaction, slot)
  const { err, logs, inner, units, returned } = toMeta(early ? failedBefore(early) : outcome)
  const { slots } = view.chain
  const replacement = { blockhash: slots.hash(slot), lastValidBlockHeight: slots.height(slot) + 150 }
  return {
    context: view.context(slot),
    value: {
      err,
      logs,
      accounts: accounts === undefined || accounts === null ? null : showAfter(view, after, settingsOf(accounts), slot),
      unitsConsumed: units,
      loadedAccountsDataSize: 0,
      returnData: returned ?? null,
      innerInstructions: innerInstructions === true ? inner : null,
      ...(replaceRecentBlockhash === true ? { replacementBlockhash: replacement } : {}),
    },
  }
}

function showAfter(view: View, after: Map<string, Account>, settings: Settings, slot: number): unknown {
  const { addresses } = settings
  if (!Array.isArray(addresses)) throw badParams('Invalid params: expected a list of addresses.')
  return addresses.map((each) => {
    const address = addressOf(each)
    const account = after.get(address) ?? view.account(address, slot)
    return account && account.lamports > 0n ? presentAccount(view, account, slot, settings, 'base64') : null
  })
}

type Message = ReturnType<typeof decodeMessage>

function readMessage(encoded: unknown): Message {
  if (typeof encoded !== 'string') throw badParams('Invalid params: invalid type, expected a string.')
  try {
    return decodeMessage(Uint8Array.from(Buffer.from(encoded, 'base64')))
  } catch (error) {
    if (!(error instanceof BadTransaction)) throw error
    throw badParams(`failed to deserialize solana_message::VersionedMessage: ${error.message}`)
  }
}

const builtins: readonly string[] = [programs.system, programs.computeBudget]

/** The fee of a message: its signatures, and the price of the compute units that it may use. */
function feeOf(message: Message): bigint {
  const { keys, instructions, signerCount } = message
  const limits = instructions.filter(({ program, data }) => keys[program] === programs.computeBudget && data[0] === 2)
  const usual = instructions.reduce(
    (sum, { program }) => sum + (builtins.includes(keys[program] ?? '') ? unitsPerBuiltin : unitsPerInstruction),
    0,
  )
  const [limit] = limits
  const units = BigInt(
    Math.min(limit && limit.data.length >= 5 ? Buffer.from(limit.data).readUInt32LE(1) : usual, mostUnits),
  )
  return lamportsPerSignature * BigInt(signerCount) + (priceOf(message) * units + 999_999n) / 1_000_000n
}
