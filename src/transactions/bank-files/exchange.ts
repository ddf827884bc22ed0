/**
 * The port to the folders that a transfer agent synchronizes with the banks: outgoing/, incoming/, archive/ and
 * quarantine/. A file that has gone from outgoing/ says nothing: the agent takes files away.
 */
export type BankExchange = {
  /** Writes bytes through to a new file that no agent sees; answers its name. */
  stage(content: Buffer): Promise<string>
  /** Removes a staged file that was not recorded. */
  discard(stagingName: string): Promise<void>
  /** Moves a staged file into outgoing/; false when it is not staged any more. The move decides between processes. */
  release(stagingName: string, name: string): Promise<boolean>
  /** Moves a staged file into the archive, so that it never leaves; false when it is not staged any more. */
  withdraw(stagingName: string, name: string): Promise<boolean>
  /** True when a staged file was withdrawn. */
  isWithdrawn(name: string): Promise<boolean>
  /** Lists complete files of incoming/: not hidden, and not named as unfinished. */
  listIncoming(): Promise<IncomingFile[]>
  /** Opens a file of incoming/; undefined when it is not there any more. */
  openIncoming(name: string): Promise<OpenedFile | undefined>
  /** Moves a file of incoming/ into archive/ under another name. */
  archive(name: string, archivedAs: string): Promise<void>
  /** Moves a file of incoming/ into quarantine/, beside a file that tells the reason. */
  quarantine(name: string, keptAs: string, reason: string): Promise<void>
  isQuarantined(keptAs: string): Promise<boolean>
  /** Moves a file from quarantine/ back into incoming/; false when it is not there. Throws when the name is taken. */
  restore(keptAs: string, name: string): Promise<boolean>
}

/** An open file, which its reader closes. */
export type OpenedFile = { chunks: AsyncIterable<Buffer>; close(): Promise<void> }

/** `isSettled`: neither its size nor its time has changed since the last listing, nor for some seconds. */
export type IncomingFile = { name: string; size: number; isSettled: boolean }
