import { deriveKey } from '../../encryption/deployment-secrets.ts'
import type { HeldAccount } from '../../sandbox/bank/formats.ts'
import { createSandboxBankService, type SandboxBank } from '../../sandbox/bank/service.ts'
import type { BankAccount } from '../../transactions/treasury/bank-account.ts'
import type { Deps } from '../deps.ts'
import { sandboxBankFormats } from './formats.ts'

/** Creates the bank of the sandbox. Production has none: there only the folders connect Svc with a bank. */
export function createSandboxBank(
  deps: Deps,
  treasury: { listAccounts(): Promise<BankAccount[]> },
): SandboxBank | undefined {
  const { config, database, secret } = deps
  if (config.environment !== 'sandbox' || !config.bankFiles?.hasSandboxBank) return undefined
  return createSandboxBankService({
    database,
    folder: config.bankFiles.folder,
    formats: sandboxBankFormats,
    sealingKey: deriveKey(secret, 'sandbox bank'),
    accounts: async () => (await treasury.listAccounts()).flatMap(toHeldAccount),
    openingBalance: BigInt(config.sandboxLiquidity) * 100n,
    delaySeconds: config.sandboxPayoutDelaySeconds,
    leaseMs: config.leaseMs,
    onFailure: deps.onJobFailure('sandbox bank', 'the bank of the sandbox could not handle a file and retries it'),
  })
}

function toHeldAccount({ bankAccountId, currency, rails, files }: BankAccount): HeldAccount[] {
  if (!files) return []
  const { holderName, coordinates, dialect } = files
  const { nacha } = dialect
  return [{ bankAccountId, currency, rails, holderName, coordinates, ...(nacha ? { nacha } : {}) }]
}
