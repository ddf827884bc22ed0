import type { Account, Engine } from './engine.ts'
import type { Landed } from './journal-entry.ts'
import { readTokenAccount } from './token-accounts.ts'

type Undo = { landed: Landed; before: Map<string, Account | undefined> }

/** The number of transactions that the chain can take back. */
const keptUndos = 2_000

/** The accounts now and at slots of the near past, and the transactions by signature and by address. */
export class State {
  readonly #engine: Engine
  /** The newest transactions, oldest first, each with the accounts as they were before it. */
  #undos: Undo[] = []
  readonly #bySignature = new Map<string, Landed>()
  readonly #byAddress = new Map<string, Landed[]>()
  readonly #bySlot = new Map<number, Landed[]>()
  /** The transaction of each request to the sandbox. */
  readonly #byRequest = new Map<string, string>()
  /** Every token account that a wallet ever had. */
  readonly #holdings = new Map<string, Set<string>>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Records a transaction that changed the engine's accounts already. */
  record(landed: Landed, addresses: readonly string[], before: Map<string, Account | undefined>): void {
    this.#bySignature.set(landed.signature, landed)
    for (const address of addresses) append(this.#byAddress, address, landed)
    append(this.#bySlot, landed.slot, landed)
    if (landed.key !== undefined && landed.err === null) this.#byRequest.set(landed.key, landed.signature)
    this.#undos.push({ landed, before })
    if (this.#undos.length > 2 * keptUndos) this.#undos.splice(0, keptUndos)
  }

  /** Remembers whose token account an address is. */
  noteHolder(address: string, account: Account | undefined): void {
    const token = readTokenAccount(account)
    if (!token) return
    const held = this.#holdings.get(token.owner) ?? new Set()
    this.#holdings.set(token.owner, held.add(address))
  }

  /** The account as it was after a slot. */
  accountAt(address: string, slot: number): Account | undefined {
    for (let index = this.#firstAfter(slot); index < this.#undos.length; index++) {
      const { before } = this.#undos[index] as Undo
      if (before.has(address)) return before.get(address)
    }
    return this.#engine.get(address)
  }

  heldBy(owner: string): string[] {
    return [...(this.#holdings.get(owner) ?? [])]
  }

  find(signature: string): Landed | undefined {
    return this.#bySignature.get(signature)
  }

  findRequest(key: string): string | undefined {
    return this.#byRequest.get(key)
  }

  /** The transactions that name an address, oldest first. */
  namedIn(address: string): readonly Landed[] {
    return this.#byAddress.get(address) ?? []
  }

  inSlot(slot: number): readonly Landed[] {
    return this.#bySlot.get(slot) ?? []
  }

  get count(): number {
    return this.#bySignature.size
  }

  /** True if every transaction above a slot can be taken back. */
  canReturnTo(slot: number): boolean {
    const oldest = this.#undos[0]
    return this.count === this.#undos.length || (oldest !== undefined && oldest.landed.slot <= slot)
  }

  /** Takes back every transaction above a slot, and returns them, oldest first. */
  returnTo(slot: number): Landed[] {
    const undone = this.#undos.splice(this.#firstAfter(slot))
    for (const { landed, before } of undone.toReversed()) {
      for (const [address, account] of before) this.#engine.set(address, account)
      this.#bySignature.delete(landed.signature)
      this.#bySlot.delete(landed.slot)
      if (landed.key !== undefined) this.#byRequest.delete(landed.key)
    }
    for (const listed of this.#byAddress.values()) {
      while ((listed.at(-1)?.slot ?? 0) > slot) listed.pop()
    }
    return undone.map(({ landed }) => landed)
  }

  #firstAfter(slot: number): number {
    let index = this.#undos.length
    while (index > 0 && (this.#undos[index - 1] as Undo).landed.slot > slot) index -= 1
    return index
  }
}

function append<Key>(lists: Map<Key, Landed[]>, key: Key, landed: Landed): void {
  const list = lists.get(key)
  if (list) list.push(landed)
  else lists.set(key, [landed])
}
