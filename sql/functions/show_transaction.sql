-- Shows a transaction as JSON: the only presenter, for answers, pages and events. Its parts are jsonb: json would be
-- parsed for each of them.
-- In plpgsql, whose expressions are planned once per session: an inlined SQL function is planned with every statement.
create or replace function svc.show_transaction(shown svc.transactions) returns text language plpgsql stable as $$
begin
  return concat('{"transactionId":"', shown.transaction_id, '","customerId":"', shown.customer_id,
    '","quoteId":"', shown.quote_id, '","transactionStatus":"', shown.status, '"',
    ',"correlationId":' || to_json(shown.correlation_id)::text,
    ',"externalId":' || to_json(shown.external_id)::text,
    ',"source":{"sourcePaymentAccountId":"', shown.source_payment_account_id,
      '","sourceCurrency":', shown.parts -> 'sourceCurrency', ',"sourcePaymentMethod":"', shown.source_method,
      '","sourceAmount":', shown.parts -> 'sourceAmount',
      ',"sourceReferenceId":', to_json(shown.source_reference_id),
      -- The customer has sent a part, and must send the rest.
      case when shown.status = 'AWAITING_TRANSFER' and shown.received_amount > 0 then concat(
        ',"sourceReceivedAmount":"', svc.format_amount(shown.received_amount, shown.parts ->> 'sourceDecimals'),
        '","sourceDueAmount":"',
        svc.format_amount(shown.source_amount - shown.received_amount, shown.parts ->> 'sourceDecimals'), '"') end,
    '},"destination":{"destinationPaymentAccountId":"', shown.destination_payment_account_id,
      '","destinationPaymentMethod":"', shown.destination_method,
      '","destinationCurrency":', shown.parts -> 'destinationCurrency', ',"exchangeRate":"', shown.exchange_rate,
      '","destinationAmount":"',
      svc.format_amount(shown.destination_amount, shown.parts ->> 'destinationDecimals'),
      '","destinationReferenceId":', to_json(shown.destination_reference_id),
    '},"fees":', shown.parts -> 'fees',
    -- A customer must not pay for a transaction that has ended.
    case when shown.status not in ('COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED') then
      ',"transferInstructions":' || shown.transfer_instructions end,
    ',"createdAt":"', svc.format_time(shown.created_at), '","updatedAt":"', svc.format_time(shown.updated_at), '"',
    case shown.status when 'AWAITING_TRANSFER' then ',"expiresAt":"' || svc.format_time(shown.expires_at) || '"' end,
    case when shown.guaranteed_until is not null then
      ',"guaranteedUntil":"' || svc.format_time(shown.guaranteed_until) || '"' end,
    ',"statusHistory":', array_to_json(shown.status_history),
    ',"failureReason":"' || shown.failure_reason || '"',
    ',"labels":', array_to_json(shown.labels),
    ',"approval":{"approvalId":"' || shown.approval_id || '","expiresAt":"' || svc.format_time(shown.approval_expires_at)
      || '"}',
    case when shown.refund is not null then concat(
      ',"refund":{"refundStatus":"', shown.refund ->> 'status', '","refundCurrency":', shown.parts -> 'sourceCurrency',
      ',"refundAmount":"',
      svc.format_amount((shown.refund ->> 'amount')::numeric, shown.parts ->> 'sourceDecimals'),
      '","refundReferenceId":', to_json(shown.refund ->> 'referenceId'), '}') end,
    -- Only banks return funds, so the currency is a label.
    case when shown.repayment is not null then concat(
      ',"repayment":{"repaymentStatus":"', shown.repayment ->> 'status',
      '","repaymentCurrency":{"label":"', shown.repayment ->> 'asset', '"},"repaymentAmount":"',
      svc.format_amount((shown.repayment ->> 'amount')::numeric, shown.parts ->>
        case shown.repayment ->> 'asset' when shown.source_asset then 'sourceDecimals' else 'destinationDecimals' end),
      '","repaymentReferenceId":', to_json(shown.repayment ->> 'referenceId'), '}') end,
    '}');
end $$;

revoke execute on function svc.show_transaction from public;
grant execute on function svc.show_transaction to svc_app;
