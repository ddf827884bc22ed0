-- Tells whether an account can be a side of a payment, for statements that decide and write in one round trip. It
-- repeats the rule of misfitsOf in src/payment-accounts/account-fit.ts. p_wallet_type: the kind of service wallet that
-- holds the currency.
create or replace function svc.account_fits(
  p_account_type text, p_account_currency text, p_account_method text, p_account_wallet_type text,
  p_currency text, p_method text, p_wallet_type text)
returns boolean language sql immutable as $$
  select case p_account_type
         when 'SVC_CRYPTO_WALLET' then p_account_wallet_type = p_wallet_type
         when 'SVC_AUTO_FIAT_ACCOUNT' then false
         else p_account_currency = p_currency and p_account_method = p_method end
$$;

revoke execute on function svc.account_fits from public;
grant execute on function svc.account_fits to svc_app;
