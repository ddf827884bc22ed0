import type { Database, Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { BankFolders } from '../folders.ts'
import type { Sealing } from '../sealing.ts'
import * as store from './store.ts'

const batch = 20
const retrySeconds = 5

/** Makes the id of a message: 32 letters and digits, which every format has room for. */
export function newMessageId(): string {
  return newId().replaceAll('-', '').toUpperCase()
}

/** Composes a file, to be written into incoming/ after the commit. Its name is unique and its bytes never change. */
export async function composeLetter(
  tx: Tx,
  sealing: Sealing,
  { format, content }: { format: string; content: Buffer },
): Promise<void> {
  const letterId = newId()
  const name = `${format}-${letterId}.${format.startsWith('nacha') ? 'ach' : 'xml'}`
  await store.insertLetter(tx, { letterId, name, sealedContent: sealing.sealContent(letterId, content) })
}

/** Writes the letters that are due; answers how many. A letter may be written twice, with the same name and bytes. */
export async function writeDueLetters(
  { database, sealing, folders, onFailure }: LetterDeps,
  leaseMs: number,
): Promise<number> {
  const letters = await store.claimLetters(database, batch, leaseMs)
  for (const letter of letters) {
    try {
      await folders.deliver(letter.name, sealing.openContent(letter.letter_id, letter.sealed_content))
      await store.finishLetter(database, letter, null)
    } catch (error) {
      onFailure(error)
      await store.finishLetter(database, letter, retrySeconds)
    }
  }
  return letters.length
}

type LetterDeps = { database: Database; sealing: Sealing; folders: BankFolders; onFailure(error: unknown): void }
