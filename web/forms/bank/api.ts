import { call, leaveForm, renewForm } from '../model/api.ts'
import type { TimesLeft } from '../model/closing.ts'
import type { Catalog } from '../model/types.ts'
import type { BankState } from './model.ts'

type Broken = { field: string; rule: string; demand?: string }

export const bankApi = {
  readCatalog: () => call<Catalog>('GET', 'bank-account/catalog'),
  readState: () => call<BankState>('GET', 'bank-account/state'),
  readStatus: () => call<TimesLeft & Pick<BankState, 'status' | 'version'>>('GET', 'bank-account/status'),
  /** Lists the problems of answers, and stores nothing. */
  check: (body: object) => call<{ problems: Broken[] }>('POST', 'bank-account/check', body),
  save: (body: object) => call<BankState>('POST', 'bank-account/account', body),
  leave: () => leaveForm('bank-account/leave'),
  renew: () => renewForm('bank-account'),
}
