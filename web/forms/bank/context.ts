import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useListened } from '../fields/context.ts'
import type { BankStore } from './store.ts'

export const BankContext = createContext<{ store: BankStore } | undefined>(undefined)

/** The form of this window. A component that uses it is drawn again when an answer changes. */
export function useBank(): BankStore {
  return useListened(useContext(BankContext)).store
}
