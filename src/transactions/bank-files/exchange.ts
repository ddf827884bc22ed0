/**
 * The port to the folders that a transfer agent synchronizes with the banks, outgoing/ and incoming/, and to those that
 * only Svc uses. A file that has gone from outgoing/ says nothing: the agent takes files away. A file of incoming/ is
 * taken into received/ before it is read: the bank may deliver the next one under the same name.
 */
export type BankExchange = {
  /**
   * Tells why the folders cannot be used now; undefined when each has the marker of this deployment. Without it another
   * folder may stand in for ours, such as the empty place of a volume that is not mounted: every other call throws then,
   * because a file that is missing there proves nothing.
   */
  findProblem(): Promise<string | undefined>
  /** Makes the folders as they are now those of this deployment. */
  adopt(): Promise<void>
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
  /** Lists staged files that nothing has changed for so long. */
  listStaged(unchangedMs: number): Promise<string[]>
  /** True when incoming/ or received/ has files that are not hidden or named as unfinished. */
  hasIncoming(): Promise<boolean>
  /** Lists incoming/ without what is hidden or named as unfinished. */
  listIncoming(): Promise<IncomingFile[]>
  /** Moves a listed file of incoming/ into received/; false when it is not there any more. The move decides between processes. */
  take(name: string, keptAs: string): Promise<boolean>
  /** Lists the files in received/. */
  listTaken(): Promise<string[]>
  /** Opens a file of received/; undefined when it is not there. */
  openTaken(keptAs: string): Promise<OpenedFile | undefined>
  /** Gives a file of received/ another name there; false when it is not there. */
  rename(keptAs: string, newlyKeptAs: string): Promise<boolean>
  /** Moves a file of received/ into archive/. */
  archive(keptAs: string, archivedAs: string): Promise<void>
  /** Moves a file of received/ into quarantine/, beside a file that tells the reason. */
  quarantine(keptAs: string, reason: string): Promise<void>
  isQuarantined(keptAs: string): Promise<boolean>
  /** Moves a file from quarantine/ back into received/; false when it is not there. */
  restore(keptAs: string): Promise<boolean>
}

/** An open file, which its reader closes. */
export type OpenedFile = { chunks: AsyncIterable<Buffer>; close(): Promise<void> }

/**
 * `isSettled`: neither its size nor its time has changed since the last listing, nor for some seconds. `isPlain`: it is a
 * file, and no folder or link.
 */
export type IncomingFile = { name: string; size: number; isSettled: boolean; isPlain: boolean }

/** The id of the folders of a deployment. `isMarked`: all of them had their marker once. */
export type FolderIdentity = {
  read(): Promise<{ folderId: string; isMarked: boolean }>
  recordMarked(): Promise<void>
}
