-- Which deliveries are due, and which one of a resource is the first, are two questions with an index each. Both indexes were
-- of what is PENDING, so for the second question PostgreSQL could take the first index, which reads everything that waits for
-- each delivery, whenever its statistics were of a moment in which nothing waited. By due_at it cannot be mistaken.
drop index svc.webhook_deliveries_due;
create index webhook_deliveries_due on svc.webhook_deliveries (organization_id, webhook_id, due_at, sequence)
  where due_at is not null;
