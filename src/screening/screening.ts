/** Somebody to hold against the list. `name` is in any order and script; `field` says where it stood. */
export type ScreenedName = { kind: 'INDIVIDUAL' | 'BUSINESS'; name: string; dateOfBirth?: string; field?: string }

/** `match` is as good as the same name; `possible` is close enough for a person to look. */
export type Strength = 'match' | 'possible'

/** A party that resembles an entry. Nothing in it is the party's own data: `reasons` quote no name. */
export type ScreeningMatch = {
  listVersion: number
  entryNumber: string
  /** As the list has it, which is public. */
  listedName: string
  /** 0 to 100. */
  score: number
  strength: Strength
  reasons: string[]
  field?: string
}

/** An address that is on the list. */
export type AddressMatch = {
  listVersion: number
  entryNumber: string
  listedName: string
  /** As it was asked about. */
  chain: string
  address: string
  /** The currency that the list names it for, such as XBT, ETH or USDT. */
  listedCurrency: string
}

export type EntryKind = 'individual' | 'entity' | 'vessel' | 'aircraft'

/** How a name got on the list: the entry's own, another one, or another one that the list itself calls weak. */
export type NameQuality = 'primary' | 'alternate' | 'weak'
export type ListedName = { text: string; quality: NameQuality }

/** A stretch of days, both ends included: a whole year for "1961", wider for "circa 1961". */
export type BirthRange = { from: string; to: string }

export type ListedAddress = { currency: string; address: string }

export type ListedEntry = {
  number: string
  kind: EntryKind
  names: ListedName[]
  births: BirthRange[]
  addresses: ListedAddress[]
}
