create or replace function svc.show_new_transaction(
  p_transaction_id uuid, p_customer_id uuid, p_quote_id uuid, p_status text, p_correlation_id text, p_parts text,
  p_instructions text, p_moment timestamptz, p_expires_at timestamptz)
returns text language sql stable as $$
  select format('{"transactionId":"%s","customerId":"%s","quoteId":"%s","transactionStatus":"%s"',
              p_transaction_id, p_customer_id, p_quote_id, p_status)
    || coalesce(',"correlationId":' || to_json(p_correlation_id)::text, '')
    || ',' || p_parts
    || coalesce(',"transferInstructions":' || p_instructions, '')
    || format(',"createdAt":"%1$s","updatedAt":"%1$s"', svc.stamp(p_moment))
    || coalesce(',"expiresAt":"' || svc.stamp(p_expires_at) || '"', '')
    || format(',"statusHistory":[{"status":"%s","at":"%s"}],"labels":[]}', p_status, svc.stamp(p_moment))
$$;

revoke execute on function svc.show_new_transaction from public;
grant execute on function svc.show_new_transaction to svc_app;
