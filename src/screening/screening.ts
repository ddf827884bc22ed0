/** A name to screen, in any word order and script. `field` is its place in the submission. */
export type ScreenedName = { kind: 'INDIVIDUAL' | 'BUSINESS'; name: string; dateOfBirth?: string; field?: string }

/** `match` is practically the same name; `possible` is close enough for a reviewer to judge. */
export type Strength = 'match' | 'possible'

/** A document number to screen, with the code of its country. `field` is its place in the submission. */
export type ScreenedDocument = { kind: ScreenedName['kind']; number: string; country?: string; field?: string }

/** The list that has an entry, its version, and the sanctions programs of the entry. */
export type ListPlace = { list: string; listVersion: number; programs: string[] }

/** A screened name or document that matches an entry. It holds no data of the customer: `reasons` quote no name. */
export type ScreeningMatch = ListPlace & {
  entryNumber: string
  /** The public name on the list. */
  listedName: string
  /** 0 to 100. */
  score: number
  strength: Strength
  reasons: string[]
  field?: string
}

/** An address that is on the list. */
export type AddressMatch = ListPlace & {
  entryNumber: string
  listedName: string
  /** The network on which the address was screened. */
  chain: string
  address: string
  /** The currency that the list names it for, such as XBT, ETH or USDT. */
  listedCurrency: string
}

export type EntryKind = 'individual' | 'entity' | 'vessel' | 'aircraft'

/** The entry's main name, an alternate one, or an alternate one that the list itself calls weak. */
export type NameQuality = 'primary' | 'alternate' | 'weak'
export type ListedName = { text: string; quality: NameQuality }

/** A range of days, both ends included: a whole year for "1961", wider for "circa 1961". */
export type BirthRange = { from: string; to: string }

export type ListedAddress = { currency: string; address: string }

/** A normalized number of a document, with the code of the country where it is known. */
export type ListedDocument = { number: string; country?: string }

export type ListedEntry = {
  number: string
  kind: EntryKind
  names: ListedName[]
  births: BirthRange[]
  addresses: ListedAddress[]
  /** The sanctions programs, as the list calls them. */
  programs?: string[]
  documents?: ListedDocument[]
}
