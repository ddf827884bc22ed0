import type { PreparedFile } from '../files/prepare.ts'
import { concerns } from './paths.ts'

/** How far the new file of a field is. */
export type PendingFile =
  | { at: 'preparing' }
  | { at: 'looking'; prepared: PreparedFile; chosen: File; url: string }
  | { at: 'uploading'; share: number; isRetrying: boolean }
  /** `prepared`: a file whose upload may be retried. `unprepared`: one for which a part of the form did not load. */
  | { at: 'failed'; message: string; prepared?: PreparedFile; unprepared?: { chosen: File; fromPage: number } }

/** `field`: the place of the file now. It changes when an item before it is removed from its list. */
export type FileTask = { readonly field: string; show(file: PendingFile): void; signal: AbortSignal }

/** Brings a file closer to the server, and tells how far it came; undefined when it has arrived. */
export type FileWork = (task: FileTask) => Promise<PendingFile | undefined>

type Entry = { field: string; file: PendingFile; stop: AbortController; work: Promise<void> }

/**
 * The files of this window that are not on the server yet. They outlive the page of their field, so that a customer who
 * goes back loses none; the session ends them.
 */
export class PendingFiles {
  readonly #entries = new Set<Entry>()
  readonly #tell: () => void

  constructor(tell: () => void) {
    this.#tell = tell
  }

  at(field: string): PendingFile | undefined {
    return this.#find(field)?.file
  }

  #find(field: string): Entry | undefined {
    return [...this.#entries].find((entry) => entry.field === field)
  }

  /** Starts to work on the file of a field, in place of a former one. Never rejects. */
  begin(field: string, first: PendingFile, work: FileWork): Promise<void> {
    this.drop(field)
    const entry: Entry = { field, file: first, stop: new AbortController(), work: Promise.resolve() }
    this.#entries.add(entry)
    const show = (file: PendingFile | undefined) => {
      if (!this.#entries.has(entry)) return releasePicture(file)
      if (file !== entry.file) releasePicture(entry.file)
      if (file) entry.file = file
      else this.#entries.delete(entry)
      this.#tell()
    }
    this.#tell()
    const task: FileTask = {
      get field() {
        return entry.field
      },
      show,
      signal: entry.stop.signal,
    }
    entry.work = work(task).then(show)
    return entry.work
  }

  drop(field: string): void {
    this.#dropIf((entry) => entry.field === field)
  }

  /** Returns the fields. */
  dropAll(): string[] {
    return this.#dropIf(() => true)
  }

  /** Another device has removed an item of a list: a place may be that of another item by now. Returns the fields. */
  dropInLists(): string[] {
    return this.#dropIf(({ field }) => field.includes('['))
  }

  /** Follows the removal of an item from its list: the files of later items move to their new places. */
  removeItem(item: string): void {
    const [, list = '', at = ''] = /^(.*)\[(\d+)\]$/.exec(item) ?? []
    this.#dropIf(({ field }) => concerns(item, field))
    for (const entry of this.#entries) {
      const [, index = '', rest = ''] = entry.field.startsWith(`${list}[`)
        ? (/^\[(\d+)\](.*)$/.exec(entry.field.slice(list.length)) ?? [])
        : []
      if (index !== '' && Number(index) > Number(at)) entry.field = `${list}[${Number(index) - 1}]${rest}`
    }
  }

  #dropIf(isDropped: (entry: Entry) => boolean): string[] {
    const dropped = [...this.#entries].filter(isDropped)
    for (const entry of dropped) {
      this.#entries.delete(entry)
      entry.stop.abort()
      releasePicture(entry.file)
    }
    this.#tell()
    return dropped.map(({ field }) => field)
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /** Tells whether a file is on its way, in these fields or inside of them. */
  isBusy(fields?: readonly string[]): boolean {
    return this.#within(fields).some(({ file }) => file.at === 'preparing' || file.at === 'uploading')
  }

  #within(fields: readonly string[] | undefined): Entry[] {
    return [...this.#entries].filter(({ field }) => !fields || fields.some((each) => concerns(each, field)))
  }

  /** The files that wait for the customer: for a look, or for another attempt. */
  waiting(): Map<string, 'looking' | 'failed'> {
    const found = [...this.#entries].flatMap(({ field, file: { at } }) =>
      at === 'looking' || at === 'failed' ? [[field, at] as const] : [],
    )
    return new Map(found)
  }

  /** Resolves when no file is on its way, in these fields or inside of them. */
  async settle(fields: readonly string[]): Promise<void> {
    while (this.isBusy(fields)) await Promise.all(this.#within(fields).map(({ work }) => work))
  }
}

type Saving = { files: PendingFiles; elsewhere: { losses: number }; flush(): Promise<void> }

/**
 * Resolves when everything of these fields is on the server, or waits for the customer; to false when answers or files were
 * given up meanwhile, which the customer has to know before the form is submitted.
 */
export async function finish(store: Saving, fields: readonly string[]): Promise<boolean> {
  const { losses } = store.elsewhere
  do {
    await store.files.settle(fields)
    await store.flush()
  } while (store.files.isBusy(fields))
  return store.elsewhere.losses === losses
}

function releasePicture(file: PendingFile | undefined): void {
  if (file?.at === 'looking') URL.revokeObjectURL(file.url)
}
