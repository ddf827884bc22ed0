import type { ListedEntry } from '../../screening.ts'

/** A part of an entry that a reader could not read. The entry is compared without it. */
export type UnreadPart = {
  part: 'birth date' | 'crypto address' | 'document number'
  entryNumber: string
  text: string
}

export type ReadList = {
  entries: ListedEntry[]
  unread: UnreadPart[]
  /** When the publisher made the list, if the files tell it. */
  publishedAt?: Date
}

/** The files of a published list: a folder and the names of the files in it. */
export type ListFiles = { folder: string; names: readonly string[] }

/** Reads a published list. One file in this folder holds one reader; lists.ts names them all. */
export type ListReader = {
  /** The files, as `svc help` and errors name them. */
  files: string
  /** Tells whether these files are this list, so that an operator need not name it. */
  recognizes(names: readonly string[]): boolean
  /** Throws ListProblem, which names the place, when a file cannot be read: the list is imported whole or not at all. */
  read(files: ListFiles): Promise<ReadList>
}

// Six times the largest published list. A larger file is another list and must not fill the memory.
export const maxEntries = 200_000
export const maxNames = 600_000
export const maxNameLength = 1_000
