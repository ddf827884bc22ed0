import { createFolderExchange } from '../adapters/bank/exchange.ts'
import { readIncoming } from '../adapters/bank/read.ts'
import { checkPayment, writeFile } from '../adapters/bank/write.ts'
import { fiatRails } from '../catalog/currencies.ts'
import type { BankFormats } from '../transactions/bank-files/formats.ts'
import { createBankRail } from '../transactions/bank-files/outgoing/rail.ts'
import { alwaysOpen } from '../transactions/bank-files/outgoing/schedule.ts'
import type { Rail } from '../transactions/payouts/rail.ts'
import type { TreasuryService } from '../transactions/treasury/service.ts'
import type { Deps } from './deps.ts'

const formats: BankFormats = { checkPayment, writeFile, readIncoming }

/** Creates the rail that pays through files; undefined when the sandbox simulates its bank in memory. */
export function createBankFilesRail(
  { config: { bankFiles }, database, onPoint }: Deps,
  { listAccounts }: Pick<TreasuryService, 'listAccounts'>,
): Rail | undefined {
  if (!bankFiles) return undefined
  return createBankRail({
    database,
    formats,
    exchange: createFolderExchange(bankFiles.folder),
    schedule: alwaysOpen,
    reusesNumbers: !bankFiles.keepsHours,
    validSeconds: bankFiles.validSeconds,
    methods: fiatRails,
    listAccounts,
    onPoint,
  })
}
