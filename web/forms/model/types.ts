/** The answers of the service: see src/forms. */

/** `rule`: a broken rule with what it demands, such as a length, or the issue of what is due. */
export type Problem = {
  field: string
  rule: string
  demand?: string
  kind: 'invalid' | 'due' | 'refused'
  mayStay: boolean
}
/** `issue`: absent for those about which the customer can only contact support. `about`: the field that it names. */
export type Correction = { issue?: string; about?: string; opens: string[]; isForSupport: boolean; needsFile: boolean }
/** A new answer; null or undefined empties the field, or removes an item from its list. */
export type Change = { field: string; value: unknown }
export type ShownFile = { mediaType: string; byteLength: number; isNew: boolean }

export type FormState = {
  customerType: 'INDIVIDUAL' | 'BUSINESS'
  status: string
  /** Which submission the answers are for. */
  submission: number
  name: string
  updatedAt: string
  isSandbox: boolean
  reviewDueAt?: string
  revision: number
  /** How often an item was removed from a list: with the same count, a place in a list is the same item. */
  moves: number
  page?: string
  values: Tree
  given: string[]
  files: Record<string, ShownFile>
  /** Tell one hidden number or file from another, by its field. */
  marks: Record<string, string>
  problems: Problem[]
  required: string[]
  corrections?: Correction[]
}

/** The part of the answers that fields show, and that the texts of their problems are made from. */
export type Answered = Pick<FormState, 'values' | 'given' | 'files' | 'problems' | 'required'>

export type Tree = { [name: string]: unknown }

export type Catalog = {
  countries: [code: string, name: string][]
  regions: Record<string, [code: string, name: string][]>
  postalCodes: { required: string[]; none: string[]; examples: Record<string, string> }
  nationalIdTypes: Record<string, string[]>
  legalForms: Record<string, string[]>
  codes: Record<string, string[]>
  /** Choices of single fields, by the last name of their path. */
  choices?: Record<string, [code: string, words: string][]>
  oneSided: string[]
  /** The codes that the ribbon can ask for, by category; in the sandbox alone. */
  issueCodes?: Record<string, string[]>
  suggestions: Record<string, string[]>
  lengths: Record<string, { min?: number; max?: number }>
}
