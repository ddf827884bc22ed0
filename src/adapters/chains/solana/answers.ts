import type {
  BalanceChange,
  OwnedTokens,
  SignatureInfo,
  SolanaAccount,
  SolanaTransaction,
  TransactionStatus,
} from '../../../chains/solana/node.ts'
import { readTokenAccount } from '../../../lib/solana/token-account.ts'
import { invalid, type Raw, readList, readObject } from '../raw-answers.ts'
import { type Instruction, readMoves } from './token-moves.ts'

/** Reads an integer. The parser of the answer has kept every digit of a large one. */
export function readInteger(value: unknown, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n) return value
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw invalid(what)
  return BigInt(value as number)
}

export function readText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw invalid(what)
  return value
}

/** Reads an answer about the state of a slot: the slot, and the value in it. */
export function readInContext(answer: unknown, what: string): { slot: bigint; value: unknown } {
  const { context, value } = readObject(answer, what)
  return { slot: readInteger(readObject(context, what).slot, `slot of ${what}`), value }
}

export function readSignatures(answer: unknown): SignatureInfo[] {
  return readList(answer, 'list of signatures').map((each) => {
    const { signature, slot, err } = readObject(each, 'signature')
    return {
      signature: readText(signature, 'signature'),
      slot: readInteger(slot, 'slot of a signature'),
      isFailed: err !== null,
    }
  })
}

export function readStatuses(value: unknown, count: number): TransactionStatus[] {
  const list = readList(value, 'list of statuses')
  if (list.length !== count) throw invalid('list of statuses')
  return list.map((each): TransactionStatus => {
    if (each === null) return { state: 'UNKNOWN' }
    const { slot, err, confirmationStatus } = readObject(each, 'status')
    if (confirmationStatus !== 'finalized') return { state: 'WAITING' }
    return { state: 'FINAL', slot: readInteger(slot, 'slot of a status'), error: readError(err) }
  })
}

function readError(error: unknown): string | null {
  if (error === null) return null
  if (error === undefined) throw invalid('status of a transaction')
  return JSON.stringify(error, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

export function readAccounts(value: unknown, count: number): (SolanaAccount | undefined)[] {
  const list = readList(value, 'list of accounts')
  if (list.length !== count) throw invalid('list of accounts')
  return list.map((each) => {
    if (each === null) return undefined
    const { owner, lamports, data } = readObject(each, 'account')
    const [bytes, encoding] = readList(data, 'data of an account')
    if (typeof bytes !== 'string' || encoding !== 'base64') throw invalid('data of an account')
    return {
      program: readText(owner, 'program of an account'),
      lamports: readInteger(lamports, 'coins of an account'),
      data: Buffer.from(bytes, 'base64'),
    }
  })
}

/** Reads the token accounts of an owner, in an order on which nodes agree. */
export function readOwned(value: unknown, owner: string): OwnedTokens[] {
  const found = readList(value, 'list of token accounts').map((each) => readObject(each, 'token account'))
  const read = readAccounts(
    found.map(({ account }) => account),
    found.length,
  )
  return found
    .map(({ pubkey }, at) => {
      const token = readTokenAccount(read[at]?.data ?? Buffer.alloc(0))
      if (token?.owner !== owner) throw invalid('token account')
      return { account: readText(pubkey, 'token account'), mint: token.mint, amount: token.amount }
    })
    .toSorted((a, b) => (a.account < b.account ? -1 : 1))
}

export function readPriorityFees(answer: unknown): bigint[] {
  return readList(answer, 'list of fees').map((each) => {
    const { prioritizationFee } = readObject(each, 'fee')
    return readInteger(prioritizationFee, 'fee')
  })
}

/** Reads a transaction; undefined for null: the node does not have it. */
export function readTransaction(signature: string, answer: unknown): SolanaTransaction | undefined {
  if (answer === null) return undefined
  const raw = readObject(answer, 'transaction')
  const { signatures, message } = readObject(raw.transaction, 'transaction')
  if (readList(signatures, 'list of signatures')[0] !== signature) throw invalid('transaction: it is another one')
  const meta = readObject(raw.meta, 'record of a transaction')
  const accounts = readKeys(readObject(message, 'message'), meta)
  const [before, after] = [meta.preBalances, meta.postBalances].map((balances) =>
    readList(balances, 'list of balances'),
  )
  const coinChanges = accounts.map(
    (_, at) => readInteger(after?.[at], 'balance') - readInteger(before?.[at], 'balance'),
  )
  return {
    signature,
    slot: readInteger(raw.slot, 'slot of a transaction'),
    time: raw.blockTime === null || raw.blockTime === undefined ? null : readInteger(raw.blockTime, 'time of a block'),
    error: readError(meta.err),
    fee: readInteger(meta.fee, 'fee of a transaction'),
    feePayer: readText(accounts[0], 'account that pays the fee'),
    feePayerChange: coinChanges[0] as bigint,
    accounts,
    coinChanges,
    balances: readBalances(accounts, meta),
    transfers: readMoves(readInstructions(accounts, readObject(message, 'message'), meta)),
  }
}

/** Lists the instructions of a transaction: its own, and those that programs called on their behalf. */
function readInstructions(accounts: readonly string[], message: Raw, meta: Raw): Instruction[] {
  const inner = (meta.innerInstructions ?? []) as unknown
  const called = readList(inner, 'list of instructions').flatMap((each) =>
    readList(readObject(each, 'instruction').instructions, 'list of instructions'),
  )
  const keyAt = (place: unknown) => readText(accounts[Number(readInteger(place, 'instruction'))], 'instruction')
  return [...readList(message.instructions, 'list of instructions'), ...called].map((each) => {
    const { programIdIndex, accounts: places, data } = readObject(each, 'instruction')
    if (typeof data !== 'string') throw invalid('instruction')
    return { program: keyAt(programIdIndex), accounts: readList(places, 'instruction').map(keyAt), data }
  })
}

/** Lists the accounts of a transaction: those of its message, then those that it loads from tables. */
function readKeys(message: Raw, meta: Raw): string[] {
  const keys = readList(message.accountKeys, 'list of accounts')
  const loaded = meta.loadedAddresses
  const { writable, readonly } =
    loaded === undefined || loaded === null ? { writable: [], readonly: [] } : readObject(loaded, 'loaded accounts')
  return [...keys, ...readList(writable, 'loaded accounts'), ...readList(readonly, 'loaded accounts')].map((key) =>
    readText(key, 'account'),
  )
}

type Balance = Omit<BalanceChange, 'before' | 'after'> & { amount: bigint }

/**
 * Joins the balances before and after. An account that is in one list only was created or closed. One that was closed
 * and created anew for another owner or mint is two changes.
 */
function readBalances(accounts: readonly string[], meta: Raw): BalanceChange[] {
  const keyOf = ({ account, mint, owner, program }: Balance) => `${account} ${mint} ${owner} ${program}`
  const changes = new Map<string, BalanceChange>()
  const join = (list: unknown, side: 'before' | 'after') => {
    for (const each of readList(list, 'list of token balances')) {
      const balance = readBalance(accounts, each)
      const { amount, ...facts } = balance
      const known = changes.get(keyOf(balance)) ?? { ...facts, before: 0n, after: 0n }
      changes.set(keyOf(balance), { ...known, [side]: amount })
    }
  }
  join(meta.preTokenBalances, 'before')
  join(meta.postTokenBalances, 'after')
  return [...changes.values()]
}

function readBalance(accounts: readonly string[], value: unknown): Balance {
  const raw = readObject(value, 'token balance')
  const { amount } = readObject(raw.uiTokenAmount, 'token balance')
  if (typeof amount !== 'string' || !/^\d{1,20}$/.test(amount)) throw invalid('token balance')
  return {
    account: readText(accounts[Number(readInteger(raw.accountIndex, 'token balance'))], 'token balance'),
    mint: readText(raw.mint, 'mint of a token balance'),
    owner: readText(raw.owner, 'owner of a token balance'),
    program: readText(raw.programId, 'program of a token balance'),
    amount: BigInt(amount),
  }
}
