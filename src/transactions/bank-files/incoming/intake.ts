import type { Database } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import { keptName, readKeptName } from '../bank-file.ts'
import type { BankExchange } from '../exchange.ts'
import * as store from './file-store.ts'
import { hashFile } from './read.ts'

export type IntakeDeps = {
  database: Database
  exchange: BankExchange
  onFailure(error: unknown): void
}

/**
 * Takes files out of incoming/ and registers them by their bytes. Each step can be repeated: a worker may die after any
 * of them, and several may work at once.
 */
export function createIntake(deps: IntakeDeps) {
  const { exchange, onFailure } = deps
  const skipped = new Set<string>()

  async function takeNew(): Promise<void> {
    for (const { name, isSettled, isPlain } of await exchange.listIncoming()) {
      if (!isPlain && !skipped.has(name)) {
        skipped.add(name)
        onFailure(new Error(`incoming/ has "${name}", which is a folder or a link: Svc does not read it`))
      }
      if (isPlain && isSettled) await exchange.take(name, keptName(newId(), name)).catch(onFailure)
    }
  }

  return {
    /** Registers all complete files, and puts those that a dead worker left in received/ where they belong. */
    receive: async (): Promise<void> => {
      await takeNew()
      const taken = await exchange.listTaken()
      if (taken.length === 0) return
      const ids = taken.map((keptAs) => readKeptName(keptAs).bankFileId)
      const known = new Map((await store.findFiles(deps.database, ids)).map((file) => [file.bankFileId, file]))
      for (const keptAs of taken) {
        const file = known.get(readKeptName(keptAs).bankFileId)
        await (file ? settle(deps, keptAs, file) : register(deps, keptAs)).catch(onFailure)
      }
    },
  }
}

async function register(deps: IntakeDeps, keptAs: string): Promise<void> {
  const { database, exchange } = deps
  const { bankFileId, name } = readKeptName(keptAs)
  const source = await exchange.openTaken(keptAs)
  if (!source) return
  const { contentHash, size } = await hashFile(source)
  const known = await store.registerFile(database, { bankFileId, name, contentHash, size })
  if (!known || known.bankFileId === bankFileId) return
  await settleCopy(deps, keptAs, known)
}

/** Files away a file with the bytes of another one, or lets it take the place of one that is missing. */
async function settleCopy({ database, exchange }: IntakeDeps, keptAs: string, known: store.KnownFile): Promise<void> {
  const { bankFileId, name, status } = known
  const first = keptName(bankFileId, name)
  const isDropped = status === 'DISMISSED' && known.problemCode === 'CHANGED'
  if (isDropped && (await exchange.rename(keptAs, first))) return store.reviveFile(database, bankFileId)
  if (status === 'RECEIVED' && !(await isKept(exchange, first))) return void (await exchange.rename(keptAs, first))
  if (status === 'QUARANTINED' && !(await exchange.isQuarantined(first))) {
    if (await exchange.rename(keptAs, first)) await exchange.quarantine(first, known.problem ?? 'unknown')
    return
  }
  const deliveries = await store.countDelivery(database, bankFileId)
  await exchange.archive(keptAs, `${bankFileId}-again-${deliveries}-${readKeptName(keptAs).name}`)
}

/** Moves a registered file to its place, unless it waits to be read. */
async function settle({ exchange }: IntakeDeps, keptAs: string, file: store.KnownFile): Promise<void> {
  const { name, status, problemCode, problem } = file
  if (status === 'RECEIVED') return
  if (status === 'QUARANTINED') return exchange.quarantine(keptAs, problem ?? 'unknown')
  // Its bytes are not those that were registered: they are a new file.
  if (problemCode === 'CHANGED') return void (await exchange.rename(keptAs, keptName(newId(), name)))
  await exchange.archive(keptAs, keptAs)
}

async function isKept(exchange: BankExchange, keptAs: string): Promise<boolean> {
  if (await exchange.isQuarantined(keptAs)) return true
  const opened = await exchange.openTaken(keptAs)
  await opened?.close()
  return opened !== undefined
}
