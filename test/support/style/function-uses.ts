import type { Exceptions } from './source-tree.ts'

const oneCall = 'a transaction, its event and its stored answer are made by one call: one round trip, one commit'
const derivation = 'the signer derives an obligation from what is stored, in one snapshot, before it seals it'
const correction = 'coordinates change only with the notification of a bank, which the same statement confirms'

/** Tables and functions of another owner that SQL functions use. */
export const foreignUsesInFunctions: Exceptions = {
  'signer reads payouts': derivation,
  'signer reads wallets': derivation,
  'signer calls holding_of': derivation,
  'signer reads payment_accounts': derivation,
  'signer reads transactions': derivation,
  'signer reads deposits': derivation,
  'signer reads postings': derivation,
  'signer reads entries': derivation,
  'signer reads ledger_accounts': derivation,
  'signer reads reserves': derivation,
  'signer reads unfolded_postings': derivation,
  'signer reads former_bank_details': derivation,
  'replace_bank_details writes bank_changes': correction,
  'payment-accounts reads bank_files': correction,
  'payment-accounts reads bank_file_items': correction,
  'payment-accounts reads payouts': correction,
  'fold_entries writes open_lines': 'a line is open from the commit on that writes it',
  'insert_transactions writes events': oneCall,
  'insert_transactions writes idempotency_keys': oneCall,
  'transactions reads idempotency_keys': oneCall,
  'transactions reads quotes': oneCall,
  'transactions reads customers': oneCall,
  'transactions reads payment_accounts': oneCall,
  'transactions reads payout_halts': 'no payout starts that was halted since the worker looked',
  'transactions reads ledger_accounts': 'a batch knows what each wallet has before it reserves',
  'transactions reads ledger_lines': 'reconciliation compares the ledger with the banks in one snapshot',
  'transactions calls reserve': 'the ledger reserves the money in the same call',
  'transactions calls assign_address': 'custody assigns the deposit address in the same call',
}
