import type { NetworkKind } from '../catalog/network-kinds.ts'

/** Who gets an address. The payment account is being made in the same transaction. */
export type WalletOwner = { organizationId: string; customerId: string; paymentAccountId: string; kind: NetworkKind }
