import native from 'litesvm/dist/internal.js'

/** An error of a transaction as the node's JSON shows it, such as `{ InstructionError: [0, { Custom: 1 }] }`. */
export type TransactionErr = string | Record<string, unknown>

type NativeError = ReturnType<InstanceType<typeof native.FailedTransactionMetadata>['err']>

const enums = native as unknown as Record<'TransactionErrorFieldless' | 'InstructionErrorFieldless', object>
const transactionErrors = namesOf(enums.TransactionErrorFieldless)
const instructionErrors = namesOf(enums.InstructionErrorFieldless)

/** Puts an error of the runtime into the node's JSON. */
export function toTransactionErr(error: NativeError): TransactionErr {
  if (typeof error === 'number') return transactionErrors.get(error) ?? 'SanitizeFailure'
  if (error instanceof native.TransactionErrorInstructionError) {
    return { InstructionError: [error.index, toInstructionErr(error.err())] }
  }
  if (error instanceof native.TransactionErrorDuplicateInstruction) return { DuplicateInstruction: error.index }
  const account = { account_index: error.accountIndex }
  return error instanceof native.TransactionErrorInsufficientFundsForRent
    ? { InsufficientFundsForRent: account }
    : { ProgramExecutionTemporarilyRestricted: account }
}

function toInstructionErr(error: ReturnType<InstanceType<typeof native.TransactionErrorInstructionError>['err']>) {
  if (typeof error === 'number') return instructionErrors.get(error) ?? 'GenericError'
  return error instanceof native.InstructionErrorCustom ? { Custom: error.code } : 'BorshIoError'
}

function namesOf(values: object): Map<number, string> {
  return new Map(Object.entries(values).map(([name, value]) => [Number(value), name]))
}

/** The node's words for the errors that clients meet most. */
const words: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  SignatureFailure: 'Transaction did not pass signature verification',
  SanitizeFailure: 'Transaction failed to sanitize accounts offsets correctly',
  AddressLookupTableNotFound: 'Transaction loads an address table account that does not exist',
  InvalidAddressLookupTableOwner: 'Transaction loads an address table account with an invalid owner',
  InvalidAddressLookupTableData: 'Transaction loads an address table account with invalid data',
  InvalidAddressLookupTableIndex: 'Transaction address table lookup uses an invalid index',
  InvalidArgument: 'invalid program argument',
  InvalidInstructionData: 'invalid instruction data',
  InvalidAccountData: 'invalid account data for instruction',
  InsufficientFunds: 'insufficient funds for instruction',
  IncorrectProgramId: 'incorrect program id for instruction',
  MissingRequiredSignature: 'missing required signature for instruction',
  AccountAlreadyInitialized: 'instruction requires an uninitialized account',
  UninitializedAccount: 'instruction requires an initialized account',
  InvalidAccountOwner: 'Invalid account owner',
  IllegalOwner: 'Provided owner is not allowed',
  ProgramFailedToComplete: 'Program failed to complete',
  ComputationalBudgetExceeded: 'Computational budget exceeded',
}

/** Describes an error as the node does. */
export function describeErr(err: TransactionErr): string {
  if (typeof err === 'string') return words[err] ?? err
  if ('InstructionError' in err) {
    const [index, inner] = err.InstructionError as [number, string | { Custom: number }]
    const text =
      typeof inner === 'string' ? (words[inner] ?? inner) : `custom program error: 0x${inner.Custom.toString(16)}`
    return `Error processing Instruction ${index}: ${text}`
  }
  if ('InsufficientFundsForRent' in err) {
    const { account_index: index } = err.InsufficientFundsForRent as { account_index: number }
    return `Transaction results in an account (${index}) with insufficient funds for rent`
  }
  return Object.keys(err)[0] ?? 'unknown error'
}
