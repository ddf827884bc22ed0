/** A return as a message or an entry tells it. */
export type ToldReturn = {
  reference: string
  amount: bigint
  currency: string
  reason: string
  valueDate: string | null
  /** The bank's id of the return in its message, or a name for the entry. */
  identity: string
  bankFileId: string
  /** The entry that credits it; undefined for a message. */
  bankEntryId?: string
}
