/** Rows about policies for the tests between organizations. */

type Ids = Record<'quoteId' | 'apiKeyId' | 'customerId' | 'paymentAccountId', string>

/** The policy of an answer, as a list; another organization's is a 404. */
export const policyOf = ({ version }: { version?: unknown }) => (version === undefined ? [] : [version])

const previewed = ({ customerId, paymentAccountId }: Pick<Ids, 'customerId' | 'paymentAccountId'>) => ({
  customerId,
  destinationPaymentAccountId: paymentAccountId,
  amount: '1',
  currency: 'USD',
})

/** The ids in the body of a preview. */
export function previewRows(ours: Ids): Record<string, (side: Ids) => object> {
  return {
    'POST /policies/preview quoteId': ({ quoteId }) => ({ quoteId }),
    'POST /policies/preview apiKeyId': ({ apiKeyId }) => ({ ...previewed(ours), apiKeyId }),
    'POST /policies/preview customerId': ({ customerId }) => previewed({ ...ours, customerId }),
    'POST /policies/preview destinationPaymentAccountId': ({ paymentAccountId }) =>
      previewed({ ...ours, paymentAccountId }),
  }
}
