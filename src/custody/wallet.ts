import type { NetworkKind } from '../catalog/network-kinds.ts'

/** The owner of an address. Its payment account is created in the same database transaction. */
export type WalletOwner = { organizationId: string; customerId: string; paymentAccountId: string; kind: NetworkKind }
