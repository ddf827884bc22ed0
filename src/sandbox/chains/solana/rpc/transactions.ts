import { readBase58 } from '../../../../lib/addresses/base58.ts'
import type { Landed } from '../journal-entry.ts'
import { programs } from '../token-accounts.ts'
import { decodeTransaction } from '../transaction.ts'
import { addressOf, badParams, optionalNumber, settingsOf, signatureOf, votedCommitmentOf } from './params.ts'
import { presentTransaction } from './presentation.ts'
import { type Method, requireUpTo, type View } from './view.ts'

const mostStatuses = 256
const mostSignatures = 1_000
/** A node without history remembers the outcomes of about as many slots. */
const rememberedSlots = 300

/** The calls that read transactions. */
export const transactionMethods: Readonly<Record<string, Method>> = {
  getTransaction: (view, [signature, config]) => {
    const settings = typeof config === 'string' ? { encoding: config } : settingsOf(config)
    const landed = view.find(signatureOf(signature), view.slot(votedCommitmentOf(settings)))
    if (!landed) return null
    const { slot } = landed
    return {
      slot,
      blockTime: view.chain.slots.time(slot),
      transactionIndex: view.chain.state.inSlot(slot).indexOf(landed),
      ...presentTransaction(landed, settings),
    }
  },
  getSignatureStatuses: (view, [signatures, config]) => {
    if (!Array.isArray(signatures)) throw badParams('Invalid params: expected a list of signatures.')
    requireUpTo(signatures.length, mostStatuses, 'inputs')
    const { searchTransactionHistory } = settingsOf(config)
    const slot = view.slot('processed')
    const oldest = searchTransactionHistory === true ? 0 : slot - rememberedSlots
    const value = signatures.map((each) => {
      const landed = view.find(signatureOf(each), slot)
      return landed && landed.slot >= oldest ? presentStatus(view, landed) : null
    })
    return { context: view.context(slot), value }
  },
  getSignaturesForAddress: (view, [address, config]) => {
    const settings = settingsOf(config)
    const commitment = votedCommitmentOf(settings)
    view.slotFor({ ...settings, commitment })
    const limit = optionalNumber(settings, 'limit') ?? mostSignatures
    if (limit < 1 || limit > mostSignatures) throw badParams(`Invalid limit; max ${mostSignatures}`)
    const [before, until] = [settings.before, settings.until].map((each) =>
      each === undefined || each === null ? undefined : signatureOf(each),
    )
    const listed = list(view, { address: addressOf(address), upTo: view.slot(commitment), before, until, limit })
    return listed.map((landed) => ({
      signature: landed.signature,
      slot: landed.slot,
      err: landed.err,
      memo: memoOf(landed),
      blockTime: view.chain.slots.time(landed.slot),
      confirmationStatus: view.confirmationOf(landed.slot),
    }))
  },
}

type Wanted = {
  address: string
  upTo: number
  before: string | undefined
  until: string | undefined
  limit: number
}

/** The transactions that name an address, newest first. A node that does not know `before` answers with none. */
function list(view: View, { address, upTo, before, until, limit }: Wanted): Landed[] {
  const { state } = view.chain
  const [first, last] = [before, until].map((each) => (each === undefined ? undefined : view.find(each, upTo)))
  if (before !== undefined && !first) return []
  const found: Landed[] = []
  for (const landed of state.namedIn(address).toReversed()) {
    if (landed.slot > upTo || (first && !isOlder(view, landed, first))) continue
    if (found.length === limit || (last && !isOlder(view, last, landed))) break
    found.push(landed)
  }
  return found
}

function isOlder(view: View, one: Landed, other: Landed): boolean {
  if (one.slot !== other.slot) return one.slot < other.slot
  const inSlot = view.chain.state.inSlot(one.slot)
  return inSlot.indexOf(one) < inSlot.indexOf(other)
}

function presentStatus(view: View, { slot, err }: Landed) {
  const confirmationStatus = view.confirmationOf(slot)
  const confirmations = view.chain.slots.height(view.slot('processed')) - view.chain.slots.height(slot)
  return {
    slot,
    confirmations: confirmationStatus === 'finalized' ? null : confirmations,
    err,
    status: err === null ? { Ok: null } : { Err: err },
    confirmationStatus,
  }
}

const memoPrograms = [programs.memo, programs.memo1].map((each) => Buffer.from(readBase58(each) ?? []))

function memoOf({ raw }: Landed): string | null {
  const bytes = Buffer.from(raw, 'base64')
  // Decoding takes much longer, and few transactions have a memo.
  if (!memoPrograms.some((program) => bytes.includes(program))) return null
  const { keys, instructions } = decodeTransaction(bytes)
  const memos = instructions.filter(
    ({ program }) => keys[program] === programs.memo || keys[program] === programs.memo1,
  )
  return memos.length === 0
    ? null
    : memos.map(({ data }) => `[${data.length}] ${Buffer.from(data).toString()}`).join('; ')
}
