import type { AddressMatch, ScreenedDocument, ScreenedName, ScreeningMatch } from '../../screening/screening.ts'

/** Screens names, addresses and document numbers against the watch lists in force. */
export type ScreeningLookups = {
  screen(names: readonly ScreenedName[]): Promise<readonly ScreeningMatch[]>
  screenAddresses(addresses: readonly { chain: string; address: string }[]): Promise<readonly AddressMatch[]>
  screenDocuments(documents: readonly ScreenedDocument[]): Promise<readonly ScreeningMatch[]>
  /** Returns the version of the lists; undefined when no list is imported. Higher is newer. */
  currentVersion(): Promise<number | undefined>
}
