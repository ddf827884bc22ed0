-- Shows an approval as JSON: the only presenter, for answers, pages and events. It names what is to be approved.
create or replace function svc.show_approval(shown svc.approvals) returns text language plpgsql stable as $$
begin
  return (
    select concat('{"approvalId":"', shown.approval_id, '","approvalStatus":"', shown.status,
             '","transactionId":"', shown.transaction_id, '","customerId":"', transaction.customer_id,
             '","source":{"sourcePaymentAccountId":"', transaction.source_payment_account_id,
               '","sourceCurrency":', transaction.parts -> 'sourceCurrency',
               ',"sourceAmount":', transaction.parts -> 'sourceAmount',
             '},"destination":{"destinationPaymentAccountId":"', transaction.destination_payment_account_id,
               '","destinationPaymentMethod":"', transaction.destination_method,
               '","destinationCurrency":', transaction.parts -> 'destinationCurrency', ',"destinationAmount":"',
               svc.format_amount(transaction.destination_amount, transaction.parts ->> 'destinationDecimals'),
             '"},"rules":', (select jsonb_agg(rule - 'organizationId' order by place)
                               from jsonb_array_elements(shown.rules) with ordinality as demanded (rule, place)),
             ',"makerApiKeyId":"' || shown.maker_api_key_id || '"',
             ',"decisions":', coalesce((
               select json_agg(json_build_object('apiKeyId', api_key_id, 'decision', decision,
                                                 'decidedAt', svc.format_time(decided_at)) order by decided_at, api_key_id)
                 from svc.approval_decisions
                where organization_id = shown.organization_id and approval_id = shown.approval_id), '[]'),
             ',"createdAt":"', svc.format_time(shown.created_at), '","expiresAt":"', svc.format_time(shown.expires_at), '"',
             ',"decidedAt":"' || svc.format_time(shown.decided_at) || '"', '}')
      from svc.transactions as transaction
     where transaction.organization_id = shown.organization_id and transaction.transaction_id = shown.transaction_id);
end $$;

revoke execute on function svc.show_approval from public;
grant execute on function svc.show_approval to svc_app;
