import native, { type Account as NativeAccount } from 'litesvm/dist/internal.js'
import { readSolanaAddress, writeSolanaAddress } from '../../../lib/addresses/solana-address.ts'
import { type TransactionErr, toTransactionErr } from './engine-error.ts'
import { slotsPerEpoch } from './slots.ts'
import type { WireInstruction, WireTransaction } from './transaction.ts'

/** An account of the chain; one without coins does not exist. */
export type Account = { lamports: bigint; owner: string; data: Uint8Array; isExecutable: boolean }

/** The outcome of a transaction in the runtime. One that did not land changed nothing and cost nothing. */
export type Outcome = {
  hasLanded: boolean
  err: TransactionErr | null
  logs: string[]
  /** The calls that each instruction made, with the depth of each. */
  inner: { index: number; instructions: (WireInstruction & { stackHeight: number })[] }[]
  units: bigint
  returned: { program: string; data: Uint8Array } | undefined
}

const noSignature = Buffer.alloc(64)

/**
 * The runtime of this process. It checks signatures; blockhashes and repeated transactions are checked by the chain,
 * because the runtime knows only its newest blockhash.
 */
export class Engine {
  readonly #svm = new native.LiteSvm()
  #slot = 0
  /** Accounts that the runtime does not have yet. */
  #staged: Map<string, Account | undefined> | undefined

  constructor() {
    this.#svm.setBlockhashCheck(false)
    this.#svm.setTransactionHistory(0n)
    this.#svm.setLogBytesLimit(10_000n)
  }

  /** Sets accounts many times over; only the last of each reaches the runtime. */
  stage(change: () => void): void {
    this.#staged = new Map()
    change()
    const staged = this.#staged
    this.#staged = undefined
    for (const [address, account] of staged) this.set(address, account)
  }

  get(address: string): Account | undefined {
    if (this.#staged?.has(address)) return this.#staged.get(address)
    const account = this.#svm.getAccount(bytesOf(address))
    return account && account.lamports() > 0n ? fromNative(account) : undefined
  }

  set(address: string, account: Account | undefined): void {
    if (this.#staged) {
      this.#staged.set(address, account)
      return
    }
    const { lamports, data, owner, isExecutable } = account ?? nothing
    this.#svm.setAccount(bytesOf(address), new native.Account(lamports, data, bytesOf(owner), isExecutable, 0n))
  }

  /** Lets programs see a slot and its time. */
  enter(slot: number, time: number): void {
    if (slot === this.#slot) return
    this.#slot = slot
    const epoch = BigInt(Math.floor(slot / slotsPerEpoch))
    this.#svm.setClock(new native.Clock(BigInt(slot), BigInt(time), epoch, epoch + 1n, BigInt(time)))
  }

  /** Lets programs see the newest blocks, newest first. */
  showSlotHashes(hashes: { slot: number; hash: string }[]): void {
    this.#svm.setSlotHashes(hashes.map(({ slot, hash }) => ({ slot: BigInt(slot), hash })))
  }

  rentExemption(length: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(length))
  }

  execute({ bytes, version }: WireTransaction, checksSignatures: boolean): Outcome {
    return this.#with(checksSignatures, () =>
      toOutcome(
        version === 'legacy' ? this.#svm.sendLegacyTransaction(bytes) : this.#svm.sendVersionedTransaction(bytes),
      ),
    )
  }

  /** Runs a transaction without a look at its signatures, and forgets its effects; returns the accounts as they would be. */
  simulate({ bytes, version }: WireTransaction): { outcome: Outcome; accounts: Map<string, Account> } {
    return this.#with(false, () => {
      const result =
        version === 'legacy'
          ? this.#svm.simulateLegacyTransaction(bytes)
          : this.#svm.simulateVersionedTransaction(bytes)
      const accounts = new Map<string, Account>()
      if (result instanceof native.FailedTransactionMetadata) return { outcome: toOutcome(result), accounts }
      for (const each of result.postAccounts()) {
        accounts.set(writeSolanaAddress(each.address), fromNative(each.account()))
      }
      return { outcome: toOutcome(result.meta()), accounts }
    })
  }

  #with<Result>(checksSignatures: boolean, act: () => Result): Result {
    if (checksSignatures) return act()
    this.#svm.setSigverify(false)
    try {
      return act()
    } finally {
      this.#svm.setSigverify(true)
    }
  }
}

const nothing: Account = {
  lamports: 0n,
  owner: '11111111111111111111111111111111',
  data: new Uint8Array(),
  isExecutable: false,
}

const knownBytes = new Map<string, Uint8Array>()
const mostKnown = 5_000

function bytesOf(address: string): Uint8Array {
  const known = knownBytes.get(address)
  if (known) return known
  const bytes = readSolanaAddress(address)
  if (!bytes) throw new Error('not an address of Solana')
  if (knownBytes.size >= mostKnown) knownBytes.clear()
  knownBytes.set(address, bytes)
  return bytes
}

function fromNative(account: NativeAccount): Account {
  return {
    lamports: account.lamports(),
    owner: writeSolanaAddress(account.owner()),
    data: account.data(),
    isExecutable: account.executable(),
  }
}

type NativeResult = ReturnType<InstanceType<typeof native.LiteSvm>['sendLegacyTransaction']>

function toOutcome(result: NativeResult): Outcome {
  const isFailed = result instanceof native.FailedTransactionMetadata
  const meta = isFailed ? result.meta() : result
  const returned = meta.returnData()
  const data = returned.data()
  return {
    hasLanded: !isFailed || !noSignature.equals(meta.signature()),
    err: isFailed ? toTransactionErr(result.err()) : null,
    logs: meta.logs(),
    inner: meta.innerInstructions().flatMap((calls, index) => {
      if (calls.length === 0) return []
      const instructions = calls.map((call) => {
        const instruction = call.instruction()
        return {
          program: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: instruction.data(),
          stackHeight: call.stackHeight(),
        }
      })
      return [{ index, instructions }]
    }),
    units: meta.computeUnitsConsumed(),
    returned: data.length > 0 ? { program: writeSolanaAddress(returned.programId()), data } : undefined,
  }
}
